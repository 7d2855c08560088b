// What features contribute to predictions: of many rows as a swarm of points, by the values of one feature, and of one row.

const SWARM = { line: 34, radius: 2.6 };
const STEP = 26; // of a waterfall

// Draws into a place; `state` keeps what is chosen: the class, the feature, and the row.
function showContributions(place, values, state) {
  const told = values.contributions;
  state.output ??= 0;
  state.feature ??= 0;
  state.row ??= told.chosen ? told.ids.length - 1 : 0;
  const output = told.outputs[state.output];
  const redraw = (change) => { Object.assign(state, change); showContributions(place, values, state); };
  const tools = make("div", { class: "choices" });
  if (told.outputs.length > 1) tools.append(choice("Class", told.outputs.map((each) => each.class), state.output, (output) => redraw({ output })));
  tools.append(
    choice("Feature", told.features.map((feature) => values.features[feature]), state.feature, (feature) => redraw({ feature })),
    choice("Row", told.ids.map((id) => id ?? "NULL"), state.row, (row) => redraw({ row })),
  );
  const swarm = make("div", { class: "block" }, make("h3", null, "Of each row"));
  const one = make("div", { class: "block" }, make("h3", null, `By ${values.features[told.features[state.feature]]}`));
  const single = make("div", { class: "block" }, make("h3", null, `Of the row ${told.ids[state.row] ?? "NULL"}`));
  place.replaceChildren(tools, make("div", { class: "blocks" }, make("div", null, swarm, single), one));
  drawSwarm(swarm, values, output, state, redraw);
  drawWaterfall(single, values, output, state.row);
  drawDependence(one, values, output, state, redraw);
  const what = output.class === null ? scaleText(told.type, values) : `${scaleText(told.type, values)} of ${output.class}`;
  const others = told.others ? ` The other ${plural(told.others, "feature")} contribute${told.others === 1 ? "s" : ""} less.` : "";
  place.append(make("p", { class: "hint" }, `${plural(told.rows, "row")} of ${told.table}, drawn by the hash of the id${told.chosen ? ", and the row that was asked for" : ""}. A point is a row: how much the feature adds to ${what}, or takes away, beyond what is expected of any row (SHAP values). All contributions of a row add up to its ${sumText(told)}.${others}`));
}

function scaleText(type, values) {
  return { raw: "the score", prob: "the probability", prob_mean: "the probability" }[type] ?? (values.ofCounts ? "the predicted rate" : "the predicted value");
}

// What the contributions of a row add up to.
function sumText(told) {
  return told.type !== "raw" ? "prediction" : told.hasOffsets ? "score without its offset" : "score";
}

function choice(label, names, chosen, change) {
  const select = make("select", null, ...names.map((name, i) => make("option", { value: i }, name)));
  select.value = chosen;
  select.addEventListener("change", () => {
    change(Number(select.value));
    document.querySelector(`#contributions select[data-name="${label}"]`)?.focus(); // it was drawn anew
  });
  select.dataset.name = label;
  return make("label", null, label, select);
}

// Colours by the rank of a feature's value among the rows; grey where values have no order, or there is none.
function rankColours(told, feature, ramp) {
  const numbers = told.numbers[feature];
  if (!numbers) return () => null;
  const sorted = numbers.filter((number) => number !== null).sort(d3.ascending);
  const colour = d3.interpolateRgb(...ramp);
  const last = Math.max(1, sorted.length - 1);
  return (row) => (numbers[row] === null ? null : colour((d3.bisectLeft(sorted, numbers[row]) + d3.bisectRight(sorted, numbers[row]) - 1) / 2 / last));
}

function pointText(values, output, feature, row) {
  const told = values.contributions;
  return `${told.ids[row] ?? "NULL"}: ${values.features[told.features[feature]]} = ${told.texts[feature][row] ?? "NULL"}, ${signedText(output.terms[feature][row])}`;
}

function signedText(value) {
  return `${value > 0 ? "+" : ""}${roundedText(value)}`;
}

// A line of points for each feature, stacked where they would lie on each other.
function drawSwarm(frame, values, output, state, redraw) {
  const told = values.contributions;
  const names = told.features.map((feature) => values.features[feature]);
  const height = names.length * SWARM.line + 44;
  const { svg, width } = chart(frame, height, "What features contribute, a point for each row");
  const left = Math.min(width * 0.32, 16 + Math.max(...names.map((name) => textWidth(name, 13, 400))));
  const x = d3.scaleLinear(extent([0, ...output.terms.flat()]), [left + 6, width - 10]).nice();
  axisBelow(svg, x, height, 5);
  svg.append("line").attr("class", "zero").attr("x1", x(0)).attr("x2", x(0)).attr("y1", 0).attr("y2", height - 30);
  const lines = svg.append("g").selectAll("g").data(names).join("g").attr("transform", (_, i) => `translate(0,${(i + 0.5) * SWARM.line})`);
  lines.append("text").attr("class", (_, i) => (i === state.feature ? "feature is-chosen" : "feature")).attr("x", left - 8).attr("y", 4)
    .attr("text-anchor", "end").text((name) => fitted(name, left - 10, 13)).on("click", (_, name) => redraw({ feature: names.indexOf(name) }));
  lines.each(function (_, feature) {
    const colour = rankColours(told, feature, values.ramp);
    const points = stacked(output.terms[feature].map((term, row) => ({ row, feature, x: x(term) })));
    d3.select(this).selectAll("circle").data(points).join("circle").attr("class", (p) => (p.row === state.row ? "dot chosen" : "dot"))
      .attr("cx", (p) => p.x).attr("cy", (p) => p.y).attr("r", (p) => (p.row === state.row ? 4.5 : SWARM.radius))
      .style("fill", (p) => (p.row === state.row ? null : colour(p.row))).style("fill-opacity", 0.8)
      .on("click", (_, p) => redraw({ row: p.row, feature: p.feature }))
      .append("title").text((p) => pointText(values, output, feature, p.row));
    d3.select(this).selectAll("circle.chosen").raise();
  });
  const legend = make("div", { class: "legend" }, make("span", null, "low values"), make("span", null, make("span", { class: "ramp" })), make("span", null, "high values; no order: one colour"));
  legend.querySelector(".ramp").style.background = `linear-gradient(to right, ${values.ramp.join(", ")})`;
  frame.append(legend);
}

// Points of one line: those that share a place of its width stand above and below each other.
function stacked(points) {
  const most = SWARM.line / 2 - SWARM.radius - 1;
  for (const own of d3.group(points, (p) => Math.round(p.x / (2 * SWARM.radius))).values()) {
    const apart = Math.min(2 * SWARM.radius, (2 * most) / Math.max(1, own.length - 1));
    own.forEach((p, i) => { p.y = (i % 2 ? 1 : -1) * Math.ceil(i / 2) * apart; });
  }
  return points;
}

// The contributions of one feature by its values.
function drawDependence(frame, values, output, state, redraw) {
  const told = values.contributions;
  const numbers = told.numbers[state.feature];
  const { svg, width, height } = chart(frame, 280, `Contributions of ${values.features[told.features[state.feature]]} by its values`);
  const edge = { left: 60, right: 16, top: 24, bottom: 42 };
  const terms = output.terms[state.feature];
  const rows = d3.range(terms.length);
  const y = d3.scaleLinear(extent([0, ...terms]), [height - edge.bottom, edge.top]).nice();
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, "contribution");
  let at;
  const axis = svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`);
  if (numbers) {
    const known = numbers.filter((number) => number !== null);
    const [least, most] = known.length ? d3.extent(known) : [0, 1];
    const room = (most - least || Math.abs(most) || 1) * 0.04;
    const x = d3.scaleLinear([least - room, most + room], [edge.left, width - edge.right]);
    at = (row) => (numbers[row] === null ? null : x(numbers[row]));
    const texts = new Map(numbers.map((number, row) => [number, told.texts[state.feature][row]]));
    const isNumber = known.every((number) => texts.get(number) === null || Number(texts.get(number)) === number);
    if (isNumber) axis.call(d3.axisBottom(x).ticks(Math.min(8, width / 90)));
    else { // dates and labels are told as they are
      const sorted = [...known].sort(d3.ascending);
      const ticks = [...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => sorted[Math.round(share * (sorted.length - 1))]))];
      textTicks(axis, x, ticks, ticks.map((tick) => texts.get(tick) ?? ""));
    }
  } else {
    const counts = d3.rollup(rows, (own) => own.length, (row) => told.texts[state.feature][row]);
    const names = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, 12);
    const x = d3.scalePoint(names, [edge.left, width - edge.right]).padding(0.6);
    at = (row) => (x(told.texts[state.feature][row]) === undefined ? null : x(told.texts[state.feature][row]) + ((row * 7) % 11 - 5) * Math.min(2, x.step() / 14));
    axis.call(d3.axisBottom(x).tickFormat((name) => fitted(name ?? "NULL", x.step() - 4, 11)));
  }
  svg.append("line").attr("class", "zero").attr("x1", edge.left).attr("x2", width - edge.right).attr("y1", y(0)).attr("y2", y(0));
  if (told.dependences[state.feature]) drawPrediction(frame, values, state);
  svg.append("g").selectAll("circle").data(rows.filter((row) => at(row) !== null)).join("circle").attr("class", (row) => (row === state.row ? "dot chosen" : "dot"))
    .attr("cx", at).attr("cy", (row) => y(terms[row])).attr("r", (row) => (row === state.row ? 5 : 3.5)).on("click", (_, row) => redraw({ row }))
    .append("title").text((row) => pointText(values, output, state.feature, row));
}

// What is predicted on average where all rows have a value of the feature: a line where they have an order.
function drawPrediction(frame, values, state) {
  const told = values.contributions;
  const { texts, numbers, outputs, effects } = told.dependences[state.feature];
  const said = outputs[state.output];
  const hasOrder = numbers && d3.extent(numbers)[0] < d3.extent(numbers)[1];
  const beside = hasOrder && !numbers.includes(null) ? effectsBeside(numbers, said, effects, state.output) : [];
  const { svg, width, height } = chart(frame, 220, `What is predicted by the values of ${values.features[told.features[state.feature]]}`);
  const edge = { left: 60, right: 16, top: 24, bottom: 42 };
  const y = d3.scaleLinear(extent([...said, ...beside.map(([, value]) => value)]), [height - edge.bottom, edge.top]).nice();
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, `mean ${told.outputs[0].class === null ? "prediction" : "probability"}, if all rows had the value`);
  const axis = svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`);
  const tip = (i) => `${texts[i]}: ${roundedText(said[i])}`;
  let x;
  if (hasOrder) {
    const scale = d3.scaleLinear(d3.extent([...numbers, ...beside.map(([number]) => number)]), [edge.left, width - edge.right]);
    x = (i) => scale(numbers[i]);
    const isNumber = texts.every((text, i) => Number(text) === numbers[i]);
    if (isNumber) axis.call(d3.axisBottom(scale).ticks(Math.min(8, width / 90)));
    else textTicks(axis, scale, numbers, texts);
    svg.append("path").attr("class", "curve").attr("d", d3.line((_, i) => x(i), (value) => y(value))(said));
    if (beside.length > 1) svg.append("path").attr("class", "curve effects").attr("d", d3.line(([number]) => scale(number), ([, value]) => y(value))(beside))
      .append("title").text("accumulated effects");
    if (beside.length > 1) frame.append(make("p", { class: "hint" }, "Broken line: accumulated effects of the rows near each value, about the same mean. Where features go together, trust this one: it asks for no rows that cannot be."));
  } else {
    const scale = d3.scalePoint(texts, [edge.left, width - edge.right]).padding(0.6);
    x = (i) => scale(texts[i]);
    axis.call(d3.axisBottom(scale).tickFormat((name) => fitted(name, Math.max(12, scale.step() - 4), 11)));
  }
  svg.append("g").selectAll("circle").data(said).join("circle").attr("class", "point").attr("cx", (_, i) => x(i)).attr("cy", (value) => y(value)).attr("r", 3)
    .append("title").text((_, i) => tip(i));
}

// Accumulated effects, whose mean over the rows is 0, as a line about the mean of what is predicted. Between any two of
// their values are about as many rows, so that the mean over the values is that over the rows.
function effectsBeside(numbers, said, effects, output) {
  const known = effects.numbers.map((number, i) => [number, effects.outputs[output][i]]).filter((each) => !each.includes(null));
  const predicted = d3.scaleLinear(numbers, said).clamp(true);
  const shift = d3.mean(known, ([number]) => predicted(number)) - d3.mean(known, ([, effect]) => effect);
  return known.map(([number, effect]) => [number, effect + shift]);
}

// From what is expected to the prediction of one row, the strongest feature first.
function drawWaterfall(frame, values, output, row) {
  const told = values.contributions;
  const steps = told.features.map((feature, i) => ({ label: `${values.features[feature]} = ${told.texts[i][row] ?? "NULL"}`, term: output.terms[i][row] }))
    .sort((a, b) => Math.abs(b.term) - Math.abs(a.term));
  if (told.others) steps.push({ label: plural(told.others, "other feature"), term: output.rest[row] });
  let end = output.expected[row];
  for (const step of steps) [step.from, step.to] = [end, (end += step.term)];
  const lines = [{ label: "expected", from: output.expected[row], to: output.expected[row] }, ...steps, { label: sumText(told), from: end, to: end }];
  const height = lines.length * STEP + 40;
  const { svg, width } = chart(frame, height, `From what is expected to the ${sumText(told)}: ${lines.map(({ label, term, to }) => `${label} ${roundedText(term ?? to)}`).join(", ")}`);
  const left = Math.min(width * 0.42, 16 + Math.max(...lines.map(({ label }) => textWidth(label, 13, 400))));
  const x = d3.scaleLinear(extent(lines.flatMap(({ from, to }) => [from, to])), [left + 6, width - 70]);
  axisBelow(svg, x, height, 4);
  const drawn = svg.append("g").selectAll("g").data(lines).join("g").attr("transform", (_, i) => `translate(0,${(i + 0.5) * STEP})`);
  drawn.append("text").attr("class", "feature").attr("x", left - 8).attr("y", 4).attr("text-anchor", "end").text(({ label }) => fitted(label, left - 10, 13));
  drawn.append("rect").attr("class", ({ term }) => (term === undefined ? "sum" : term < 0 ? "less" : "more")).attr("x", ({ from, to }) => Math.min(x(from), x(to)) - 1)
    .attr("width", ({ from, to }) => Math.abs(x(to) - x(from)) + 2).attr("y", -8).attr("height", 16).attr("rx", 1);
  drawn.append("text").attr("class", ({ term }) => (term === undefined ? "said" : "")).attr("x", ({ from, to }) => Math.max(x(from), x(to)) + 7).attr("y", 4)
    .text(({ term, to }) => (term === undefined ? roundedText(to) : signedText(term)));
  drawn.append("title").text(({ label, term, to }) => (term === undefined ? `${label}: ${numberText(to)}` : `${label}: ${signedText(term)}, together ${roundedText(to)}`));
}
