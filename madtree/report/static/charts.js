// Charts: importance, residuals, and what all charts have.

function showImportance(place, names, tree) {
  const { features, shares: values, unused, others } = tree.importance;
  const bars = make("div", { class: "bars", role: "list" });
  const most = Math.max(...values, 1e-9);
  features.forEach((feature, i) => {
    const bar = make("div", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${(values[i] / most) * 100}%`;
    const row = make("div", { role: "listitem" });
    row.style.display = "contents";
    row.append(make("span", { class: "name" }, names[feature]), bar, make("span", { class: "value" }, `${values[i].toFixed(1)} %`));
    bars.append(row);
  });
  const parts = [bars];
  if (others) parts.push(make("p", { class: "hint" }, `and ${numberText(others)} more features with less`));
  if (unused) parts.push(make("p", { class: "hint" }, `${plural(unused, "feature")} of no importance`));
  place.replaceChildren(...parts);
}

function chart(place, height, label) {
  const width = Math.max(280, place.clientWidth);
  const svg = d3.create("svg").attr("class", "chart").attr("viewBox", `0 0 ${width} ${height}`).attr("height", height)
    .attr("role", "img").attr("aria-label", label);
  place.append(svg.node());
  return { svg, width, height };
}

function valueAxis(svg, scale, left, width, title) {
  svg.append("g").attr("class", "grid").attr("transform", `translate(${left},0)`)
    .call(d3.axisLeft(scale).ticks(6).tickSize(-width).tickFormat("")).call((g) => g.select(".domain").remove());
  svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(scale).ticks(6))
    .call((g) => g.select(".domain").remove());
  svg.append("text").attr("x", left - 40).attr("y", 12).text(title);
}

// Between which values a scale lies. Where all are the same, but for rounding, with room to both sides: ticks between them
// would tell digits that say nothing.
function extent(values) {
  const [least, most] = d3.extent(values);
  const size = Math.max(Math.abs(least), Math.abs(most));
  const room = most - least > size * 1e-9 ? 0 : size / 2 || 1;
  return [least - room, most + room];
}

// Values that are told as texts along the lower end of a chart, those that there is room for. Timestamps are told by their
// days, where these differ.
function textTicks(axis, scale, numbers, texts) {
  const room = 96;
  const shown = [];
  for (let i = 0; i < numbers.length; i += 1) {
    if (!shown.length || scale(numbers[i]) - scale(numbers[shown.at(-1)]) >= room) shown.push(i);
  }
  const days = shown.map((i) => texts[i].slice(0, 10));
  const byDay = shown.every((i) => /^\d{4}-\d\d-\d\d[ T]/.test(texts[i])) && new Set(days).size === days.length;
  axis.call(d3.axisBottom(scale).tickValues(shown.map((i) => numbers[i])).tickFormat((_, place) => fitted(byDay ? days[place] : texts[shown[place]], room - 6, 11)));
}

// Lines and numbers along the lower end of a chart.
function axisBelow(svg, scale, height, ticks) {
  svg.append("g").attr("class", "grid").attr("transform", `translate(0,${height - 30})`)
    .call(d3.axisBottom(scale).ticks(ticks).tickSize(-(height - 34)).tickFormat("")).call((g) => g.select(".domain").remove());
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - 30})`)
    .call(d3.axisBottom(scale).ticks(ticks)).call((g) => g.select(".domain").remove());
}

// Residuals against predictions: every row as a point, or for ranges of the prediction a box of quantiles.
function showResiduals(place, figures) {
  const { svg, width, height } = chart(place, 360, "Residuals against predicted values");
  const edge = { left: 60, right: 16, top: 28, bottom: 44 };
  const ranges = figures.ranges ?? [];
  const points = (figures.points ?? []).map(([predicted, actual]) => [predicted, actual - predicted]);
  const at = ranges.length ? ranges.map((row) => row.predicted) : points.map(([predicted]) => predicted);
  const values = ranges.length ? ranges.flatMap((row) => [row.quantiles[0], row.quantiles.at(-1)]) : points.map(([, residual]) => residual);
  const [least, most] = d3.extent(at);
  const room = (most - least || Math.abs(most) || 1) * 0.04;
  const x = d3.scaleLinear([least - room, most + room], [edge.left, width - edge.right]);
  const y = d3.scaleLinear(extent([0, ...values]), [height - edge.bottom, edge.top]).nice();
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, "actual − predicted");
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`).call(d3.axisBottom(x).ticks(Math.min(8, width / 80)));
  svg.append("text").attr("x", width - edge.right).attr("y", height - 6).attr("text-anchor", "end").text("predicted");
  svg.append("line").attr("class", "zero").attr("x1", edge.left).attr("x2", width - edge.right).attr("y1", y(0)).attr("y2", y(0));
  svg.append("g").selectAll("circle").data(points).join("circle").attr("class", "dot").attr("cx", (p) => x(p[0])).attr("cy", (p) => y(p[1])).attr("r", 4)
    .append("title").text((p) => `predicted ${numberText(p[0])}, residual ${roundedText(p[1])}`);
  // Few of the boxes stand closer than these; they may overlap.
  const apart = d3.quantile(d3.pairs(ranges), 0.25, ([one, next]) => x(next.predicted) - x(one.predicted)) ?? Infinity;
  const wide = Math.max(6, Math.min(26, apart * 0.8));
  const boxes = svg.append("g").selectAll("g").data(ranges).join("g").attr("class", "range").attr("transform", (row) => `translate(${x(row.predicted)},0)`);
  boxes.append("line").attr("class", "whisker").attr("y1", (row) => y(row.quantiles[0])).attr("y2", (row) => y(row.quantiles[4]));
  boxes.append("rect").attr("class", "box").attr("x", -wide / 2).attr("width", wide).attr("y", (row) => y(row.quantiles[3]))
    .attr("height", (row) => Math.max(1, y(row.quantiles[1]) - y(row.quantiles[3])));
  boxes.append("line").attr("class", "median").attr("x1", -wide / 2).attr("x2", wide / 2).attr("y1", (row) => y(row.quantiles[2])).attr("y2", (row) => y(row.quantiles[2]));
  boxes.append("title").text((row) => `predicted about ${roundedText(row.predicted)}: ${plural(row.n, "row")}, mean of actual ${roundedText(row.actual)}, middle half from ${roundedText(row.quantiles[1])} to ${roundedText(row.quantiles[3])}`);
}
