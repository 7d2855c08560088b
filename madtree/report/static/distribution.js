// How the values of a split's feature are distributed among the rows that come to it, with the threshold in between.

const BANDS = { height: 150, outcomes: 196, left: 38, right: 8, top: 20, bottom: 22, strip: 22, apart: 8 }; // px
const LINES = { height: 19, names: 0.36, counts: 46, between: 14, axis: 22 }; // px; share of the width for names
const NO_VALUE = "∅";

function showDistribution(place, values, tree, node) {
  const { trees, note, table } = values.distributions ?? {};
  const found = trees?.[tree.id]?.[node.id];
  if (!found) {
    if (note) place.append(make("p", { class: "hint" }, note));
    return;
  }
  const bars = found.texts.map((text, i) => barOf(values, found, text, i));
  if (found.ends) showBands(place, values, tree, node, found, bars);
  else showLines(place, values, node, found, bars);
  if (found.classes && !values.isClassification) { // the tree's own colours are those of numbers
    const legend = make("div", { class: "legend" });
    showClasses(legend, values);
    place.append(legend);
  }
  const hasDeviations = found.deviations?.some((deviation) => deviation !== null);
  const what = found.classes ? "by class" : `${hasDeviations ? "mean ± standard deviation" : "rate"} of ${values.dependent}`;
  const without = d3.sum(found.missing ?? []) ? `; ${NO_VALUE}: without a value` : "";
  place.append(make("p", { class: "hint" }, `${plural(d3.sum(bars, (bar) => bar.n), "row")} of ${table}, ${what}${without}.`));
}

// One range or category: its rows, the parts that classes have in them, or mean and deviation of its outcomes.
function barOf(values, found, text, i) {
  const isLeft = i < found.left;
  if (!found.classes) {
    const [n, mean, deviation] = [found.rows[i], found.means[i], found.deviations[i]];
    const said = mean === null ? "" : `, ${roundedText(mean)}${deviation === null ? "" : ` ± ${roundedText(deviation)}`}`;
    return { text, isLeft, n, mean, low: mean - (deviation ?? 0), high: mean + (deviation ?? 0), parts: [], title: `${text}: ${plural(n, "row")}${said}` };
  }
  const counts = d3.pairs(found.classes[i]).filter((_, k) => k % 2 === 0);
  const n = d3.sum(counts, ([, rows]) => rows);
  let from = 0;
  const parts = counts.map(([position, rows]) => {
    from += rows;
    return { from: from - rows, rows, colour: values.colours[position] ?? OTHERS };
  });
  const said = counts.map(([position, rows]) => `\n${values.classes[position] ?? "other classes"}: ${numberText(rows)} (${percentText(rows / n)})`);
  return { text, isLeft, n, parts, title: `${text}: ${plural(n, "row")}${said.join("")}` };
}

// The least and the greatest of what is drawn of outcomes.
function outcomesOf(bars) {
  const drawn = bars.filter((bar) => bar.n);
  const [low, high] = [d3.min(drawn, (bar) => bar.low), d3.max(drawn, (bar) => bar.high)];
  return high > low ? [low, high] : [low - 1, high + 1];
}

// Ranges side by side: stacked rows of classes, or the outcomes' bands above a strip of how many rows there are.
function showBands(place, values, tree, node, found, bars) {
  const isOfClasses = Boolean(found.classes);
  const { svg, width, height } = chart(place, isOfClasses ? BANDS.height : BANDS.outcomes, `Distribution of ${node.feature}`);
  const [before, behind] = found.missing;
  const wide = (width - BANDS.left - BANDS.right - (before + behind) * BANDS.apart) / bars.length;
  const x = (i) => BANDS.left + i * wide + ((i >= before ? before : 0) + (i >= bars.length - behind ? 1 : 0)) * BANDS.apart;
  const floor = height - BANDS.bottom - (isOfClasses ? 0 : BANDS.strip + 4);
  const most = d3.max(bars, (bar) => bar.n) || 1;
  const y = isOfClasses ? d3.scaleLinear([0, most], [floor, BANDS.top]) : d3.scaleLinear(outcomesOf(bars), [floor, BANDS.top]).nice();
  svg.append("g").attr("class", "axis").attr("transform", `translate(${BANDS.left},0)`)
    .call(d3.axisLeft(y).ticks(4).tickFormat(isOfClasses ? d3.format("~s") : shortText).tickSize(-(width - BANDS.left - BANDS.right))).call((g) => g.select(".domain").remove());
  const drawn = svg.append("g").selectAll("g").data(bars).join("g").attr("class", "bin").attr("transform", (_, i) => `translate(${x(i)},0)`);
  const gap = Math.min(1, wide / 8);
  drawn.selectAll(".share").data((bar) => bar.parts).join("rect").attr("class", "share").attr("x", gap / 2).attr("width", wide - gap)
    .attr("y", (part) => y(part.from + part.rows)).attr("height", (part) => y(part.from) - y(part.from + part.rows)).attr("fill", (part) => part.colour);
  if (!isOfClasses) {
    const some = drawn.filter((bar) => bar.n);
    some.append("rect").attr("class", "count").attr("x", gap / 2).attr("width", wide - gap)
      .attr("y", (bar) => height - BANDS.bottom - (bar.n / most) * BANDS.strip).attr("height", (bar) => (bar.n / most) * BANDS.strip);
    some.append("rect").attr("class", "box").attr("x", gap).attr("width", wide - 2 * gap)
      .attr("y", (bar) => y(bar.high)).attr("height", (bar) => y(bar.low) - y(bar.high));
    some.append("line").attr("class", "median").attr("x1", gap).attr("x2", wide - gap).attr("y1", (bar) => y(bar.mean)).attr("y2", (bar) => y(bar.mean));
  }
  // All of the height answers the pointer: a bar may be a pixel high.
  drawn.append("rect").attr("class", "touch").attr("width", wide).attr("y", BANDS.top).attr("height", height - BANDS.top - BANDS.bottom)
    .append("title").text((bar) => bar.title);
  const at = found.left === before ? x(before) : x(found.left - 1) + wide;
  svg.append("line").attr("class", "limit").attr("x1", at).attr("x2", at).attr("y1", BANDS.top - 14).attr("y2", height - BANDS.bottom + 4);
  svg.append("text").attr("class", "said").attr("x", at - 6).attr("y", BANDS.top - 6).attr("text-anchor", "end").text("yes");
  svg.append("text").attr("class", "said").attr("x", at + 6).attr("y", BANDS.top - 6).text("no");
  const [first, last] = [x(before), x(bars.length - behind - 1) + wide];
  const without = [...(before ? [x(0)] : []), ...(behind ? [x(bars.length - 1)] : [])];
  sayAlong(svg, height - 6, width, [
    { at, text: node.test.replace(/^\S+ /, ""), style: "said" }, ...without.map((from) => ({ at: from + wide / 2, text: NO_VALUE })),
    { at: first, text: found.ends[0], lean: 1 }, { at: last, text: found.ends[1], lean: -1 },
  ]);
}

// Words below the axis, in the middle of their places or beside them; what has no room beside those before it is left out.
function sayAlong(svg, y, width, words) {
  const taken = [];
  for (const { at, text, style, lean = 0 } of words) {
    const half = textWidth(text, 11, style ? 600 : 400) / 2;
    const middle = Math.max(half, Math.min(width - half, at + lean * half));
    if (taken.some(([low, high]) => middle + half + 4 > low && middle - half - 4 < high)) continue;
    taken.push([middle - half, middle + half]);
    svg.append("text").attr("class", style ?? null).attr("x", middle).attr("y", y).attr("text-anchor", "middle").text(text);
  }
}

// Categories one below the other, those of the true branch first.
function showLines(place, values, node, found, bars) {
  const isOfClasses = Boolean(found.classes);
  const tall = bars.length * LINES.height + LINES.between + (isOfClasses ? 4 : LINES.axis);
  const { svg, width, height } = chart(place, tall, `Distribution of ${node.feature}`);
  const left = width * LINES.names;
  const right = width - LINES.counts;
  const x = isOfClasses ? d3.scaleLinear([0, d3.max(bars, (bar) => bar.n) || 1], [left, right]) : d3.scaleLinear(outcomesOf(bars), [left, right]).nice();
  const y = (i) => i * LINES.height + (i >= found.left ? LINES.between : 0);
  if (!isOfClasses) {
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - LINES.axis})`)
      .call(d3.axisBottom(x).ticks(3).tickSize(-(height - LINES.axis))).call((g) => g.select(".domain").remove());
  }
  const drawn = svg.append("g").selectAll("g").data(bars).join("g").attr("class", "bin").attr("transform", (_, i) => `translate(0,${y(i)})`);
  const [top, thick, base] = [3, LINES.height - 6, LINES.height - 6];
  drawn.append("text").attr("class", "feature").attr("x", left - 8).attr("y", base).attr("text-anchor", "end").text((bar) => fitted(bar.text, left - 8, 12));
  drawn.append("text").attr("x", width).attr("y", base).attr("text-anchor", "end").text((bar) => numberText(bar.n));
  drawn.selectAll(".share").data((bar) => bar.parts).join("rect").attr("class", "share").attr("x", (part) => x(part.from))
    .attr("width", (part) => x(part.from + part.rows) - x(part.from)).attr("y", top).attr("height", thick).attr("fill", (part) => part.colour);
  if (!isOfClasses) {
    drawn.append("rect").attr("class", "box").attr("x", (bar) => x(bar.low)).attr("width", (bar) => x(bar.high) - x(bar.low)).attr("y", top).attr("height", thick);
    drawn.append("line").attr("class", "median").attr("x1", (bar) => x(bar.mean)).attr("x2", (bar) => x(bar.mean)).attr("y1", top).attr("y2", top + thick);
  }
  drawn.append("rect").attr("class", "touch").attr("width", width).attr("height", LINES.height).append("title").text((bar) => bar.title);
  const at = found.left * LINES.height + LINES.between / 2;
  const branches = "↑ yes, no ↓";
  svg.append("line").attr("class", "limit").attr("x1", 0).attr("x2", width - textWidth(branches, 11, 600) - 8).attr("y1", at).attr("y2", at);
  svg.append("text").attr("class", "said").attr("x", width).attr("y", at + 4).attr("text-anchor", "end").text(branches);
}
