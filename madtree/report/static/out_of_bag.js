// What out-of-bag rows say of an ensemble: its error by the number of trees, and importances with their standard deviations.

function errorText(values, error) {
  return values.isClassification ? percentText(error) : roundedText(error);
}

function showOutOfBag(place, values, ensemble) {
  const tiles = [["trees", numberText(ensemble.trees)]];
  if (ensemble.error !== null) tiles.push([values.isClassification ? "error" : "mean squared error", errorText(values, ensemble.error)]);
  if (ensemble.error !== null && !values.isClassification) tiles.push(["RMSE", metricText("rmse", Math.sqrt(ensemble.error))]);
  if (ensemble.score !== null) tiles.push([values.isClassification ? "accuracy" : "R²", metricText(values.isClassification ? "accuracy" : "r2", ensemble.score)]);
  const said = "A row is out of bag in the trees whose sample it is not in. Those trees predict it, so the error is measured on rows that they have not seen.";
  place.replaceChildren(...(ensemble.group ? [make("h3", null, ensemble.group)] : []), metricTiles(tiles));
  if (ensemble.curve.length > 1) showCurve(place, values, ensemble.curve);
  place.append(make("p", { class: "hint" }, ensemble.message ?? said));
}

// What is known of the first so many trees; the line is the error of all.
function showCurve(place, values, curve) {
  const { svg, width, height } = chart(place, 300, "Out-of-bag error by the number of trees");
  const edge = { left: 64, right: 16, top: 28, bottom: 44 };
  const last = curve.at(-1);
  const x = d3.scaleLinear([0, last[0]], [edge.left, width - edge.right]);
  const y = d3.scaleLinear([0, d3.max(curve, ([, error]) => error) || 1], [height - edge.bottom, edge.top]).nice();
  // Where the errors lie close together, how far they are from 0 would hide how they fall.
  const [least, most] = d3.extent(curve, ([, error]) => error);
  if (most < 2 * least) y.domain([least - (most - least) * 0.1, most]).nice();
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, values.isClassification ? "share of wrong predictions" : "mean squared error");
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`)
    .call(d3.axisBottom(x).ticks(Math.min(10, width / 80, last[0])).tickFormat(d3.format(",d")));
  svg.append("text").attr("x", width - edge.right).attr("y", height - 6).attr("text-anchor", "end").text("trees");
  svg.append("line").attr("class", "limit").attr("x1", edge.left).attr("x2", width - edge.right).attr("y1", y(last[1])).attr("y2", y(last[1]));
  svg.append("path").attr("class", "curve").attr("d", d3.line(([trees]) => x(trees), ([, error]) => y(error))(curve));
  svg.append("g").selectAll("circle").data(curve).join("circle").attr("class", "point").attr("cx", ([trees]) => x(trees))
    .attr("cy", ([, error]) => y(error)).attr("r", 3)
    .append("title").text(([trees, error]) => `${plural(trees, "tree")}: ${errorText(values, error)}`);
}

function showBothImportances(place, values, ensemble) {
  const { features, permuted, sd } = ensemble.importance;
  const blocks = [];
  if (permuted) {
    const frame = make("div", { class: "block" }, make("h3", null, "By permutation"));
    blocks.push({ frame, draw: () => drawPermuted(frame, values, { features, permuted, sd }) });
  }
  const gains = make("div");
  showImportance(gains, values.features, { importance: ensemble.importance });
  blocks.push({ frame: make("div", { class: "block" }, make("h3", null, "By impurity"), gains,
    make("p", { class: "hint" }, "Shares of all that the trees' splits lower the impurity by. Features with many values have more chances.")) });
  place.replaceChildren(make("div", { class: "blocks" }, ...blocks.map(({ frame }) => frame)));
  for (const { draw } of blocks) draw?.(); // charts measure the room that they have
}

const BAR = { step: 26, height: 14 };

// Bars of what is lost where a feature is permuted, with one standard deviation over the trees to either side.
function drawPermuted(frame, values, { features, permuted, sd }) {
  const names = features.map((feature) => values.features[feature]);
  const height = features.length * BAR.step + 40;
  const { svg, width } = chart(frame, height, "What the trees lose on out-of-bag rows where a feature's values are permuted");
  const left = Math.min(width * 0.36, 12 + Math.max(...names.map((name) => textWidth(name, 13, 400))));
  const right = width - 64;
  const deviation = (i) => sd?.[i] ?? 0;
  const ends = permuted.flatMap((value, i) => [(value ?? 0) - deviation(i), (value ?? 0) + deviation(i)]);
  const x = d3.scaleLinear([Math.min(0, ...ends), Math.max(0, ...ends) || 1], [left, right]);
  axisBelow(svg, x, height, Math.min(5, width / 90));
  const rows = svg.append("g").selectAll("g").data(d3.range(features.length)).join("g").attr("transform", (i) => `translate(0,${i * BAR.step + BAR.step / 2})`);
  rows.append("text").attr("class", "feature").attr("x", left - 10).attr("y", 4).attr("text-anchor", "end").text((i) => fitted(names[i], left - 12, 13));
  rows.append("rect").attr("class", "permuted").attr("x", (i) => x(Math.min(permuted[i] ?? 0, 0))).attr("width", (i) => Math.abs(x(permuted[i] ?? 0) - x(0)))
    .attr("y", -BAR.height / 2).attr("height", BAR.height).attr("rx", 2);
  const whiskers = rows.filter((i) => deviation(i) > 0);
  for (const [from, to, low, high] of [[-1, 1, 0, 0], [-1, -1, -4, 4], [1, 1, -4, 4]]) {
    whiskers.append("line").attr("class", "deviation").attr("y1", low).attr("y2", high)
      .attr("x1", (i) => x(permuted[i] + from * deviation(i))).attr("x2", (i) => x(permuted[i] + to * deviation(i)));
  }
  svg.append("line").attr("class", "zero").attr("x1", x(0)).attr("x2", x(0)).attr("y1", 0).attr("y2", height - 30);
  rows.append("text").attr("x", width).attr("y", 4).attr("text-anchor", "end").text((i) => (permuted[i] === null ? "–" : roundedText(permuted[i])));
  rows.append("title").text((i) => `${names[i]}: ${numberText(permuted[i])}, standard deviation over the trees ${numberText(sd?.[i])}`);
  const what = values.isClassification ? "The share of out-of-bag rows that are predicted wrongly in addition" : "What is added to the squared error of out-of-bag rows";
  frame.append(make("p", { class: "hint" }, `${what} where the feature's values are permuted: a mean over the trees, with their standard deviation to either side. A feature that says nothing comes out around 0.`));
}
