// The confusion matrix.

const NUMBERS_IN_CELLS = 14; // more classes than these are a map of colours
const CONFUSIONS = 15;

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
  const how = `Actual classes down, predicted across; ${unit}, darker for a larger share of the actual class.`;
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
