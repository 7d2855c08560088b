// How well the probabilities of the last of two classes put rows in order: ROC, and how much of the class comes first.

function showCurves(place, values) {
  const { curve } = values.figures;
  const name = `${values.dependent} = ${values.classes[1]}`;
  const frames = [
    ["ROC", { x: "false_positive_rate", y: "recall", right: "share of the others", title: `share of ${name}`, label: "ROC curve" }],
    ["Lift", { x: "share", y: "recall", right: "share of all rows", title: `share of ${name}`, label: "Lift curve" }],
  ].map(([heading, axes]) => ({ frame: make("div", { class: "block" }, make("h3", null, heading)), axes }));
  place.append(make("div", { class: "blocks" }, ...frames.map(({ frame }) => frame)));
  for (const { frame, axes } of frames) drawOrder(frame, curve, axes); // charts measure the room that they have
  place.append(make("p", { class: "hint" }, `Rows come in the order of their probability of ${name}, the greatest first. The broken line is an order by chance.`));
}

function drawOrder(frame, curve, { x: across, y: up, right, title, label }) {
  const { svg, width, height } = chart(frame, 300, label);
  const edge = { left: 60, right: 16, top: 28, bottom: 44 };
  const x = d3.scaleLinear([0, 1], [edge.left, width - edge.right]);
  const y = d3.scaleLinear([0, 1], [height - edge.bottom, edge.top]);
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, title);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`).call(d3.axisBottom(x).ticks(5));
  svg.append("text").attr("x", width - edge.right).attr("y", height - 6).attr("text-anchor", "end").text(right);
  svg.append("line").attr("class", "limit").attr("x1", x(0)).attr("y1", y(0)).attr("x2", x(1)).attr("y2", y(1));
  const points = [{ [across]: 0, [up]: 0 }, ...curve];
  svg.append("path").attr("class", "curve").attr("d", d3.line((row) => x(row[across]), (row) => y(row[up]))(points));
  svg.append("g").selectAll("circle").data(curve).join("circle").attr("class", "point").attr("cx", (row) => x(row[across]))
    .attr("cy", (row) => y(row[up])).attr("r", 3).append("title")
    .text((row) => `probability from ${roundedText(row.threshold)}: ${percentText(row.share)} of all rows, ${percentText(row.recall)} of the class, ${percentText(row.false_positive_rate)} of the others, lift ${roundedText(row.lift)}`);
}
