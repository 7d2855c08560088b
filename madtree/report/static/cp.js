// The pruning sequence: the cross-validated error of each tree, as a chart and as a table.

const MANY = 20; // trees; fewer are all drawn
const NEAR = 3; // standard errors above the least that the chart shows, where the first trees are far worse

// The first tree that is drawn. Where a few far worse ones would press most of the others into a flat line, they are left out.
function firstOfInterest(rows) {
  if (rows.length <= MANY) return 0;
  const least = d3.least(rows, (row) => row.xerror);
  const last = Math.min(rows.indexOf(least), ...d3.range(rows.length).filter((i) => rows[i].chosen));
  const near = rows.findIndex((row) => row.xerror <= least.xerror + NEAR * least.xstd);
  const first = Math.min(last, near, Math.floor(rows.length / 2));
  return heightOf(rows) > 1.5 * heightOf(rows.slice(first)) ? first : 0;
}

function heightOf(rows) {
  return d3.max(rows, (row) => row.xerror + row.xstd) - d3.min(rows, (row) => row.xerror - row.xstd);
}

function cpText(cp) {
  return cp > 0 && cp < 0.001 ? cp.toExponential(1) : String(Number(cp.toPrecision(2)));
}

// As rpart's plotcp: the trees of the sequence at equal distances, whisker one standard error, 1-SE line.
function showCp(place, all, isWhole = false) {
  place.replaceChildren();
  const start = firstOfInterest(all);
  const first = isWhole ? 0 : start;
  const rows = all.slice(first);
  const label = "Cross-validated relative error of each tree of the pruning sequence";
  const { svg, width, height } = chart(place, 320, label);
  const edge = { left: 64, right: 16, top: 28, bottom: 48 };
  const x = d3.scalePoint(d3.range(rows.length), [edge.left, width - edge.right]).padding(0.5);
  const least = d3.least(rows, (row) => row.xerror);
  const limit = least.xerror + least.xstd;
  const low = d3.min(rows, (row) => row.xerror - row.xstd);
  const high = d3.max(rows, (row) => row.xerror + row.xstd);
  const y = d3.scaleLinear([Math.min(low, limit), Math.max(high, limit)], [height - edge.bottom, edge.top]).nice();
  valueAxis(svg, y, edge.left, width - edge.left - edge.right, "relative error");
  const every = Math.ceil((rows.length * 52) / (width - edge.left - edge.right));
  const below = height - edge.bottom;
  const ticks = svg.append("g").selectAll("g").data(rows.map((row, i) => ({ row, i })).filter(({ i }) => i % every === 0))
    .join("g").attr("transform", ({ i }) => `translate(${x(i)},${below})`).attr("text-anchor", "middle");
  ticks.append("text").attr("y", 18).text(({ row }) => cpText(row.cp));
  ticks.append("text").attr("y", 34).text(({ row }) => numberText(row.n_splits + 1));
  svg.append("text").attr("class", "said").attr("x", 0).attr("y", below + 18).text("cp");
  svg.append("text").attr("class", "said").attr("x", 0).attr("y", below + 34).text("leaves");
  svg.append("line").attr("class", "limit").attr("x1", edge.left).attr("x2", width - edge.right).attr("y1", y(limit)).attr("y2", y(limit));
  // Above the plot, where neither the curve nor the chosen tree's words can be.
  svg.append("line").attr("class", "limit").attr("x1", width - edge.right - 24).attr("x2", width - edge.right).attr("y1", 8).attr("y2", 8);
  svg.append("text").attr("x", width - edge.right - 30).attr("y", 12).attr("text-anchor", "end").text(`1 SE: ${roundedText(limit)}`);
  drawCurve(svg, all, first, x, y, edge);
  svg.append("g").selectAll("line").data(rows).join("line").attr("class", "whisker").attr("x1", (row, i) => x(i))
    .attr("x2", (row, i) => x(i)).attr("y1", (row) => y(row.xerror - row.xstd)).attr("y2", (row) => y(row.xerror + row.xstd));
  const radius = Math.max(2, Math.min(4, x.step() / 3));
  svg.append("g").selectAll("circle").data(rows).join("circle").attr("class", (row) => (row.chosen ? "point chosen" : "point"))
    .attr("cx", (row, i) => x(i)).attr("cy", (row) => y(row.xerror)).attr("r", (row) => (row.chosen ? 6 : radius))
    .append("title").text((row) => `cp ${numberText(row.cp)}: ${leavesText(row.n_splits + 1)}, error ${roundedText(row.xerror)} ± ${roundedText(row.xstd)}`);
  sayChosen(svg, rows, x, y, { width, limit, top: edge.top });
  if (start) place.append(leftOut(all.slice(0, start), isWhole, () => showCp(place, all, !isWhole)));
}

// Where trees are left out, the line comes from the last of them, above the plot.
function drawCurve(svg, all, first, x, y, edge) {
  const from = Math.max(0, first - 1);
  const at = (i) => (i < first ? x(0) - x.step() : x(i - first));
  const [left, right] = x.range();
  svg.append("clipPath").attr("id", "cp-plot").append("rect").attr("x", left).attr("width", right - left)
    .attr("y", edge.top - 6).attr("height", y.range()[0] - edge.top + 6);
  svg.append("path").attr("class", "curve").attr("clip-path", "url(#cp-plot)")
    .attr("d", d3.line((row, i) => at(from + i), (row) => y(row.xerror))(all.slice(from)));
}

function sayChosen(svg, rows, x, y, { width, limit, top }) {
  const chosen = rows.findIndex((row) => row.chosen);
  if (chosen < 0) return;
  const side = x(chosen) > width * 0.6 ? "end" : "start";
  // Above the 1-SE line and the whiskers that its words, about 120 px, pass.
  const passed = rows.filter((row, i) => (side === "end" ? x(chosen) - x(i) : x(i) - x(chosen)) >= 0 && Math.abs(x(i) - x(chosen)) < 120);
  const highest = Math.min(y(limit), ...passed.map((row) => y(row.xerror + row.xstd)));
  svg.append("text").attr("class", "said").attr("x", x(chosen) + (side === "end" ? -10 : 10)).attr("y", Math.max(top, highest - 7))
    .attr("text-anchor", side).text(`chosen: ${leavesText(rows[chosen].n_splits + 1)}`);
}

function leftOut(rows, isWhole, turn) {
  const button = make("button", { type: "button" }, isWhole ? "From where it matters" : "From the root");
  button.addEventListener("click", turn);
  const [most, least] = [rows[0], rows.at(-1)].map((row) => roundedText(row.xerror));
  const which = rows.length === 1 ? `the tree of one leaf, whose error is ${most}` : `the ${numberText(rows.length)} smallest trees, of ${rows[0].n_splits + 1} to ${leavesText(rows.at(-1).n_splits + 1)} and errors from ${most} to ${least}`;
  return make("p", { class: "hint row" }, make("span", null, isWhole ? "" : `Left out: ${which}.`), button);
}

function fillCpTable(table, rows) {
  const head = ["cp", "splits", "relative error", "cross-validated", "standard error", "chosen"];
  const body = rows.map((row) => make("tr", null, ...[numberText(row.cp), numberText(row.n_splits), numberText(row.rel_error),
    numberText(row.xerror), numberText(row.xstd)].map((text) => make("td", { class: "number" }, text)), make("td", null, row.chosen ? "yes" : "")));
  table.replaceChildren(make("thead", null, make("tr", null, ...head.map((text) => make("th", { scope: "col", class: "number" }, text)))), make("tbody", null, ...body));
}
