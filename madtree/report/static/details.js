// What is told of a node beside the drawing, the legend, and the tree as a table.

const CLASSES_SHOWN = 200;
const INDENT = 14; // px a level, in the table; no further than DEEPEST
const DEEPEST = 20;

function pathOf(node) {
  const steps = [];
  for (let at = node; at.parent; at = at.parent) steps.unshift(at);
  return steps;
}

function showDetails(panel, values, tree, node) {
  const facts = [["rows", numberText(node.rows)], ["share of rows", percentText(node.rows / (tree.rows || 1))]];
  if (node.weight !== undefined) facts.push(["weight", numberText(node.weight)]);
  if (!values.addsScores) facts.push(["impurity", numberText(node.impurity)]);
  if (node.test) {
    facts.push(["improvement", numberText(node.improvement)]);
    if (!values.addsScores) facts.push(["complexity", numberText(node.complexity)]); // such trees are not pruned
    facts.push(["missing values go", node.missingLeft ? "yes, left" : "no, right"], ["leaves below", numberText(node.leaves)]);
  }
  const list = make("dl");
  for (const [name, value] of facts) list.append(make("dt", null, name), make("dd", null, value));
  const steps = pathOf(node);
  const path = steps.length ? make("ol", null, ...steps.map((step) => make("li", wholeStep(step), stepText(step)))) : make("p", null, "All rows.");
  const title = `Node ${node.id}${node.test ? "" : " · leaf"}`;
  const parts = [make("h3", null, title), path, make("p", { class: "outcome" }, `${tree.says}${values.addsScores ? ":" : " ="} ${outcomeText(values, node)}`)];
  const drawing = make("div", { class: "distribution" });
  if (node.test) parts.push(make("p", null, "Splits by ", make("strong", wholeSplit(node), yesText(node))), drawing);
  parts.push(list);
  if (values.isClassification) parts.push(classTable(values, node));
  panel.replaceChildren(...parts);
  if (node.test) showDistribution(drawing, values, tree, node); // which measures the room that it has
}

function classTable(values, node) {
  const total = weightOf(node);
  const rows = d3.pairs(node.classes).filter((_, i) => i % 2 === 0).sort((a, b) => b[1] - a[1]);
  const body = make("tbody");
  for (const [position, weight] of rows.slice(0, CLASSES_SHOWN)) {
    const swatch = make("span", { class: "swatch" });
    swatch.style.background = values.colours[position];
    body.append(make("tr", null, make("td", null, swatch, ` ${values.classes[position]}`),
      make("td", { class: "number" }, numberText(weight)), make("td", { class: "number" }, percentText(weight / total))));
  }
  const table = make("table", null, make("thead", null, make("tr", null, make("th", { scope: "col" }, "class"),
    make("th", { scope: "col", class: "number" }, values.weighted ? "weight" : "rows"), make("th", { scope: "col", class: "number" }, "share"))), body);
  if (rows.length <= CLASSES_SHOWN) return table;
  return make("div", null, table, make("p", { class: "hint" }, `and ${numberText(rows.length - CLASSES_SHOWN)} more classes`));
}

function showClasses(place, values) {
  const entry = (colour, text) => {
    const swatch = make("span", { class: "swatch" });
    swatch.style.background = colour;
    place.append(make("span", null, swatch, text));
  };
  values.classes.forEach((name, i) => { if (values.colours[i] !== OTHERS) entry(values.colours[i], name); });
  const others = values.colours.filter((colour) => colour === OTHERS).length;
  if (others) entry(OTHERS, `${numberText(others)} other classes`);
}

function showLegend(place, values, tree) {
  place.replaceChildren();
  if (values.isClassification) {
    showClasses(place, values);
  } else if (tree.all.length) {
    const ramp = make("span", { class: "ramp" });
    ramp.style.background = `linear-gradient(to right, ${values.ramp.join(", ")})`;
    place.append(make("span", null, `${values.addsScores ? tree.says : `${values.ofCounts ? "rate" : "mean"} of ${values.dependent}`}: ${shortText(tree.low)}`, ramp, shortText(tree.high)));
  }
}

function mixBar(values, tree, node) {
  const bar = make("div", { class: "mix" });
  for (const { colour, share } of segments(values, tree, node)) {
    const part = make("div");
    part.style.background = colour;
    part.style.width = `${share * 100}%`;
    bar.append(part);
  }
  return bar;
}

// One row for each node down to a depth, children indented below their parent.
function fillOutline(table, values, tree, depth = Infinity) {
  document.getElementById("sure").textContent = values.isClassification ? "Share" : values.addsScores ? "" : "Spread";
  const body = table.tBodies[0];
  body.replaceChildren();
  const waiting = tree.all.length ? [tree.all[0]] : [];
  const rows = document.createDocumentFragment();
  while (waiting.length) {
    const node = waiting.pop();
    if (node.depth < depth) waiting.push(...node.kids.toReversed());
    const step = make("td", wholeStep(node), node.parent ? stepText(node) : "(all)");
    step.style.paddingLeft = `${Math.min(node.depth, DEEPEST) * INDENT}px`;
    const sure = values.isClassification ? percentText(confidence(node)) : deviationText(values, node);
    const outcome = node.test ? outcomeText(values, node) : make("strong", null, `${outcomeText(values, node)} ●`);
    rows.append(make("tr", { "data-node": node.id }, make("td", null, node.id), step,
      make("td", { class: "number" }, numberText(node.rows)), make("td", null, outcome), make("td", { class: "number" }, sure), make("td", { "aria-hidden": "true" }, mixBar(values, tree, node))));
  }
  body.append(rows);
}
