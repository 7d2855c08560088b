// Of a boosted model as a whole: its losses by round, of the rows that it learns from and of those held out.

function showBoosted(place, boosted) {
  const tiles = [["rounds", numberText(boosted.rounds)], ["trees", numberText(boosted.trees)]];
  if (boosted.training !== null) tiles.push([`${boosted.loss} in training`, roundedText(boosted.training)]);
  if (boosted.validation !== null) tiles.push([`${boosted.loss} of rows held out`, roundedText(boosted.validation)]);
  place.replaceChildren(...(boosted.group ? [make("h3", null, boosted.group)] : []), metricTiles(tiles));
  const drawn = boosted.losses.filter(([, training]) => training !== null);
  if (drawn.length > 1) showLosses(place, boosted, drawn);
  const said = boosted.validation === null
    ? "The mean loss of the rows that the model has learned from falls with each round; on other rows it may rise again. Rows held out would show where."
    : "The model keeps the rounds up to the least loss of the rows held out. As the least of many, it is a little optimistic.";
  place.append(make("p", { class: "hint" }, boosted.message ?? said));
}

function showLosses(place, boosted, losses) {
  const { svg, width, height } = chart(place, 300, `Mean ${boosted.loss} by round`);
  const edge = { left: 64, right: 84, top: 28, bottom: 44 };
  const curves = [["training", 1, ""], ["held out", 2, " held-out"]]
    .map(([name, column, style]) => ({ name, style, points: losses.filter((row) => row[column] !== null).map((row) => [row[0], row[column]]) }))
    .filter(({ points }) => points.length > 1);
  const x = d3.scaleLinear([0, losses.at(-1)[0]], [edge.left, width - edge.right]);
  const y = d3.scaleLinear(extent(curves.flatMap(({ points }) => points.map(([, loss]) => loss))), [height - edge.bottom, edge.top]).nice();
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, boosted.loss);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`)
    .call(d3.axisBottom(x).ticks(Math.min(10, width / 80, losses.at(-1)[0])).tickFormat(d3.format(",d")));
  svg.append("text").attr("x", width - edge.right).attr("y", height - 6).attr("text-anchor", "end").text("rounds");
  for (const { style, points } of curves) {
    svg.append("path").attr("class", `curve${style}`).attr("d", d3.line(([round]) => x(round), ([, loss]) => y(loss))(points));
  }
  const ends = curves.map(({ name, points }) => ({ name, at: y(points.at(-1)[1]) })).sort((one, other) => one.at - other.at);
  if (ends.length > 1) ends[1].at = Math.max(ends[1].at, ends[0].at + 16); // the words do not overlap
  for (const { name, at } of ends) svg.append("text").attr("class", "said").attr("x", width - edge.right + 6).attr("y", at + 4).text(name);
  const { name, style, points } = curves.at(-1);
  const best = points.find(([round]) => round === boosted.rounds);
  if (!best || style === "") return; // without rows held out no round is better than the last one
  svg.append("line").attr("class", "limit").attr("x1", x(best[0])).attr("x2", x(best[0])).attr("y1", edge.top).attr("y2", height - edge.bottom);
  svg.append("circle").attr("class", "point").attr("cx", x(best[0])).attr("cy", y(best[1])).attr("r", 4)
    .append("title").text(`Best round ${numberText(best[0])}: ${roundedText(best[1])}, ${name}`);
  const isRight = x(best[0]) > width / 2;
  svg.append("text").attr("class", "best").attr("x", x(best[0]) + (isRight ? -8 : 8)).attr("y", edge.top + 10)
    .attr("text-anchor", isRight ? "end" : "start").text(`best: round ${numberText(best[0])}`);
}
