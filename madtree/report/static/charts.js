// Charts: importance, the cross-validated error by complexity, residuals.

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

// As rpart's plotcp: the trees of the sequence at equal distances, whisker one standard error, 1-SE line.
function showCp(place, rows) {
  place.replaceChildren();
  const label = "Cross-validated relative error of each tree of the pruning sequence";
  const { svg, width, height } = chart(place, 320, label);
  const edge = { left: 52, right: 16, top: 28, bottom: 52 };
  const x = d3.scalePoint(d3.range(rows.length), [edge.left, width - edge.right]).padding(0.5);
  const least = d3.least(rows, (row) => row.xerror);
  const limit = least.xerror + least.xstd;
  const low = d3.min(rows, (row) => row.xerror - row.xstd);
  const high = d3.max(rows, (row) => row.xerror + row.xstd);
  const y = d3.scaleLinear([Math.min(low, limit), Math.max(high, limit)], [height - edge.bottom, edge.top]).nice();
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, "relative error");
  const every = Math.ceil((rows.length * 52) / (width - edge.left - edge.right));
  const ticks = svg.append("g").selectAll("g").data(rows.map((row, i) => ({ row, i })).filter(({ i }) => i % every === 0))
    .join("g").attr("transform", ({ i }) => `translate(${x(i)},${height - edge.bottom})`).attr("text-anchor", "middle");
  ticks.append("text").attr("y", 18).text(({ row }) => Number(row.cp.toPrecision(2)));
  ticks.append("text").attr("y", 33).text(({ row }) => row.n_splits + 1);
  svg.append("text").attr("x", width - edge.right).attr("y", height - 2).attr("text-anchor", "end").text("cp, and leaves of the tree");
  svg.append("line").attr("class", "limit").attr("x1", edge.left).attr("x2", width - edge.right).attr("y1", y(limit)).attr("y2", y(limit));
  // Above the plot, where neither the curve nor the chosen tree's words can be.
  svg.append("line").attr("class", "limit").attr("x1", width - edge.right - 24).attr("x2", width - edge.right).attr("y1", 8).attr("y2", 8);
  svg.append("text").attr("x", width - edge.right - 30).attr("y", 12).attr("text-anchor", "end").text(`1 SE: ${roundedText(limit)}`);
  svg.append("path").attr("class", "curve").attr("d", d3.line((row, i) => x(i), (row) => y(row.xerror))(rows));
  svg.append("g").selectAll("line").data(rows).join("line").attr("class", "whisker").attr("x1", (row, i) => x(i))
    .attr("x2", (row, i) => x(i)).attr("y1", (row) => y(row.xerror - row.xstd)).attr("y2", (row) => y(row.xerror + row.xstd));
  svg.append("g").selectAll("circle").data(rows).join("circle").attr("class", (row) => (row.chosen ? "point chosen" : "point"))
    .attr("cx", (row, i) => x(i)).attr("cy", (row) => y(row.xerror)).attr("r", (row) => (row.chosen ? 6 : 4))
    .append("title").text((row) => `cp ${numberText(row.cp)}: ${leavesText(row.n_splits + 1)}, error ${roundedText(row.xerror)} ± ${roundedText(row.xstd)}`);
  const chosen = rows.findIndex((row) => row.chosen);
  if (chosen >= 0) {
    const side = x(chosen) > width * 0.6 ? "end" : "start";
    // Above the 1-SE line and the whiskers that its words, about 120 px, pass.
    const passed = rows.filter((row, i) => (side === "end" ? x(chosen) - x(i) : x(i) - x(chosen)) >= 0 && Math.abs(x(i) - x(chosen)) < 120);
    const top = Math.min(y(limit), ...passed.map((row) => y(row.xerror + row.xstd)));
    svg.append("text").attr("class", "said").attr("x", x(chosen) + (side === "end" ? -10 : 10)).attr("y", Math.max(edge.top, top - 7))
      .attr("text-anchor", side).text(`chosen: ${leavesText(rows[chosen].n_splits + 1)}`);
  }
}

function fillCpTable(table, rows) {
  const head = ["cp", "splits", "relative error", "cross-validated", "standard error", "chosen"];
  const body = rows.map((row) => make("tr", null, ...[numberText(row.cp), numberText(row.n_splits), numberText(row.rel_error),
    numberText(row.xerror), numberText(row.xstd)].map((text) => make("td", { class: "number" }, text)), make("td", null, row.chosen ? "yes" : "")));
  table.replaceChildren(make("thead", null, make("tr", null, ...head.map((text) => make("th", { scope: "col", class: "number" }, text)))), make("tbody", null, ...body));
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
  const y = d3.scaleLinear([Math.min(0, d3.min(values)), Math.max(0, d3.max(values))], [height - edge.bottom, edge.top]).nice();
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, "actual − predicted");
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`).call(d3.axisBottom(x).ticks(Math.min(8, width / 80)));
  svg.append("text").attr("x", width - edge.right).attr("y", height - 6).attr("text-anchor", "end").text("predicted");
  svg.append("line").attr("class", "zero").attr("x1", edge.left).attr("x2", width - edge.right).attr("y1", y(0)).attr("y2", y(0));
  svg.append("g").selectAll("circle").data(points).join("circle").attr("class", "dot").attr("cx", (p) => x(p[0])).attr("cy", (p) => y(p[1])).attr("r", 4)
    .append("title").text((p) => `predicted ${numberText(p[0])}, residual ${roundedText(p[1])}`);
  const wide = Math.max(4, Math.min(26, ((width - edge.left - edge.right) / Math.max(ranges.length, 1)) * 0.7));
  const boxes = svg.append("g").selectAll("g").data(ranges).join("g").attr("class", "range").attr("transform", (row) => `translate(${x(row.predicted)},0)`);
  boxes.append("line").attr("class", "whisker").attr("y1", (row) => y(row.quantiles[0])).attr("y2", (row) => y(row.quantiles[4]));
  boxes.append("rect").attr("class", "box").attr("x", -wide / 2).attr("width", wide).attr("y", (row) => y(row.quantiles[3]))
    .attr("height", (row) => Math.max(1, y(row.quantiles[1]) - y(row.quantiles[3])));
  boxes.append("line").attr("class", "median").attr("x1", -wide / 2).attr("x2", wide / 2).attr("y1", (row) => y(row.quantiles[2])).attr("y2", (row) => y(row.quantiles[2]));
  boxes.append("title").text((row) => `predicted about ${roundedText(row.predicted)}: ${plural(row.n, "row")}, mean of actual ${roundedText(row.actual)}, middle half from ${roundedText(row.quantiles[1])} to ${roundedText(row.quantiles[3])}`);
}
