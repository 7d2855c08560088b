// How well the probabilities of the last of two classes put rows in order: ROC, and how much of the class comes first; and
// how far they are from what happens.

function showCurves(place, values) {
  const { curve, bins } = values.figures;
  const name = `${values.dependent} = ${values.classes[1]}`, title = `share of ${name}`;
  const frames = [
    ["ROC", (frame) => drawOrder(frame, curve, { x: "false_positive_rate", y: "recall", right: "share of the others", title, label: "ROC curve" })],
    ["Lift", (frame) => drawOrder(frame, curve, { x: "share", y: "recall", right: "share of all rows", title, label: "Lift curve" })],
    ["Reliability", (frame) => drawReliability(frame, bins, title)],
  ].map(([heading, draw]) => ({ frame: make("div", { class: "block" }, make("h3", null, heading)), draw }));
  place.append(make("div", { class: "blocks" }, ...frames.map(({ frame }) => frame)));
  for (const { frame, draw } of frames) draw(frame); // charts measure the room that they have
  place.append(
    make("p", { class: "hint" }, `ROC and lift: rows come in the order of their probability of ${name}, the greatest first. The broken line is an order by chance.`),
    make("p", { class: "hint" }, `Reliability: what happens to rows of about one probability; on the broken line that is what was said. The bars tell how many rows these are. On average the two are ${percentText(bins[0].expected_calibration_error)} apart (expected calibration error).`));
}

// A chart whose axes are shares, with the line on which they are alike.
function sharesChart(frame, { right, title, label }) {
  const { svg, width, height } = chart(frame, 300, label);
  const edge = { left: 60, right: 16, top: 28, bottom: 44 };
  const x = d3.scaleLinear([0, 1], [edge.left, width - edge.right]);
  const y = d3.scaleLinear([0, 1], [height - edge.bottom, edge.top]);
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, title);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`).call(d3.axisBottom(x).ticks(5));
  svg.append("text").attr("x", width - edge.right).attr("y", height - 6).attr("text-anchor", "end").text(right);
  svg.append("line").attr("class", "limit").attr("x1", x(0)).attr("y1", y(0)).attr("x2", x(1)).attr("y2", y(1));
  return { svg, x, y };
}

// A line through what the rows say, and a point for each, which tells more.
function drawPoints(svg, before, rows, left, top, text) {
  svg.append("path").attr("class", "curve").attr("d", d3.line(left, top)([...before, ...rows]));
  svg.append("g").selectAll("circle").data(rows).join("circle").attr("class", "point").attr("cx", left).attr("cy", top).attr("r", 3)
    .append("title").text(text);
}

function drawOrder(frame, curve, axes) {
  const { svg, x, y } = sharesChart(frame, axes);
  drawPoints(svg, [{ [axes.x]: 0, [axes.y]: 0 }], curve, (row) => x(row[axes.x]), (row) => y(row[axes.y]),
    (row) => `probability from ${roundedText(row.threshold)}: ${percentText(row.share)} of all rows, ${percentText(row.recall)} of the class, ${percentText(row.false_positive_rate)} of the others, lift ${roundedText(row.lift)}`);
}

function drawReliability(frame, bins, title) {
  const { svg, x, y } = sharesChart(frame, { right: "probability", title, label: "Reliability curve" });
  const most = 4 * d3.max(bins, ({ share }) => share); // the highest bar is a quarter of the chart
  svg.append("g").selectAll("rect").data(bins).join("rect").attr("class", "rows").attr("x", (bin) => x(bin.low) + 1)
    .attr("width", (bin) => x(bin.high) - x(bin.low) - 2).attr("y", (bin) => y(bin.share / most)).attr("height", (bin) => y(0) - y(bin.share / most));
  drawPoints(svg, [], bins, (bin) => x(bin.estimated), (bin) => y(bin.actual),
    (bin) => `probability of ${roundedText(bin.low)} to ${roundedText(bin.high)}: ${plural(bin.n, "row")}, on average ${percentText(bin.estimated)}, and ${percentText(bin.actual)} of the class`);
}
