// How well the model does on a table: metrics, and the confusion matrix or the residuals.

const METRIC_NAMES = {
  n: "rows", n_skipped: "rows left out", accuracy: "accuracy", balanced_accuracy: "balanced accuracy", log_loss: "log loss",
  auc: "AUC", rmse: "RMSE", mae: "MAE", r2: "R²",
};
const NUMBERS_IN_CELLS = 14; // more classes than these are a map of colours
const CONFUSIONS = 15;

function metricTiles(metrics) {
  const list = make("dl", { class: "tiles" });
  for (const [name, title] of Object.entries(METRIC_NAMES)) {
    if (!(name in metrics) || (name === "n_skipped" && !metrics[name])) continue;
    list.append(make("div", { class: "tile" }, make("dt", null, title), make("dd", null, metricText(name, metrics[name]))));
  }
  return list;
}

// A row for each tree on the page, with a button that shows it.
function fillGroups(table, values, choose) {
  const metrics = ["accuracy", "auc", "rmse", "r2"].filter((name) => name in (values.figures.metrics ?? {}));
  const heads = ["rows", "leaves", "depth", ...metrics.map((name) => METRIC_NAMES[name])];
  const rows = values.trees.map((tree) => {
    const button = make("button", { type: "button" }, tree.group || `tree ${tree.id}`);
    button.addEventListener("click", () => choose(tree));
    const of = values.figures.trees?.[tree.id] ?? {};
    const numbers = [tree.rows, tree.leaves, tree.depth].map(numberText).concat(metrics.map((name) => metricText(name, of[name])));
    return make("tr", null, make("td", null, button), ...numbers.map((text) => make("td", { class: "number" }, text)));
  });
  table.replaceChildren(make("thead", null, make("tr", null, make("th", { scope: "col" }, "group"),
    ...heads.map((text) => make("th", { scope: "col", class: "number" }, text)))), make("tbody", null, ...rows));
}

function metricText(name, value) {
  if (value === undefined) return "–";
  if (["accuracy", "balanced_accuracy"].includes(name)) return percentText(value);
  return Number.isInteger(value) ? numberText(value) : String(Number(value.toPrecision(4)));
}

function showErrors(place, values, tree) {
  const { figures } = values;
  place.replaceChildren();
  if (figures.note) place.append(make("p", { class: "note" }, figures.note));
  if (values.grouped && figures.metrics) place.append(make("h3", null, "All trees together"));
  if (figures.metrics) place.append(metricTiles(figures.metrics));
  if (values.grouped && figures.trees?.[tree.id]) {
    place.append(make("h3", null, tree.group), metricTiles(figures.trees[tree.id]));
  }
  if (figures.missing) place.append(make("p", { class: "note" }, figures.missing));
  const cells = values.grouped ? figures.confusions?.[tree.id] ?? figures.confusion : figures.confusion;
  if (cells) place.append(...confusionParts(figures.labels, cells, values));
  if (figures.points || figures.ranges) {
    const frame = make("div");
    place.append(frame);
    showResiduals(frame, figures);
    const how = figures.points ? "A point is a row." : "A box is the middle half of the rows whose prediction is in that range, its line the median; whiskers reach from 5 % to 95 %.";
    place.append(make("p", { class: "hint" }, values.grouped ? `${how} All trees together.` : how));
  }
}

// The matrix, rows being what is and columns what is predicted, coloured by share of the row; and the worst confusions.
function confusionParts(labels, cells, values) {
  const weights = labels.map(() => labels.map(() => 0));
  for (const [actual, predicted, weight] of cells) weights[actual][predicted] = weight;
  const totals = weights.map((row) => d3.sum(row));
  const colour = d3.interpolateRgb("#EEF4FA", "#083C7A");
  const isMap = labels.length > NUMBERS_IN_CELLS;
  const unit = values.weighted ? "weight" : "rows";
  const table = make("table", { class: isMap ? "matrix heat" : "matrix", "aria-label": "Confusion matrix" });
  if (!isMap) table.append(make("thead", null, make("tr", null, make("td"), ...labels.map((label) => make("th", { scope: "col" }, label)))));
  const body = make("tbody");
  weights.forEach((row, actual) => {
    const line = make("tr", null, make("th", { scope: "row" }, labels[actual]));
    row.forEach((weight, predicted) => {
      const share = totals[actual] ? weight / totals[actual] : 0;
      const says = `${labels[actual]} predicted as ${labels[predicted]}: ${numberText(weight)} (${percentText(share)})`;
      const cell = make("td", isMap ? { title: says, "aria-label": says } : { title: says }, isMap ? "" : numberText(weight));
      cell.style.background = colour(share);
      cell.style.color = share > 0.45 ? "#fff" : "#1b1f24";
      line.append(cell);
    });
    body.append(line);
  });
  table.append(body);
  const how = `Confusion matrix: actual classes down, predicted across; ${unit}, darker for a larger share of the actual class.`;
  const parts = [make("p", { class: "hint" }, how), make("div", { class: "scroll", tabindex: "0" }, table)];
  const wrong = cells.filter(([actual, predicted]) => actual !== predicted).sort((a, b) => b[2] - a[2]);
  if (isMap && wrong.length) parts.push(worstConfusions(labels, wrong, totals, unit));
  return parts;
}

function worstConfusions(labels, wrong, totals, unit) {
  const head = make("tr", null, ...["actual", "predicted", unit, "share of the actual"].map((text) => make("th", { scope: "col" }, text)));
  const rows = wrong.slice(0, CONFUSIONS).map(([actual, predicted, weight]) => make("tr", null, make("td", null, labels[actual]),
    make("td", null, labels[predicted]), make("td", { class: "number" }, numberText(weight)), make("td", { class: "number" }, percentText(weight / totals[actual]))));
  return make("div", { class: "scroll" }, make("h3", null, "Most frequent confusions"), make("table", null, make("thead", null, head), make("tbody", null, ...rows)));
}
