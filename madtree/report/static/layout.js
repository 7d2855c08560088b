// One tree of the report as linked nodes, which of them are open, and where they are drawn.

const CARD = { width: 188, height: 70 };
const LEVEL = 118; // px from level to level, drawn downwards
const STEP = { x: 40, y: CARD.height + 12 }; // from level to level and from node to node, drawn as a list
const OPEN_AT_FIRST = 31; // a tree of more nodes begins closed below a depth: FIRST_LIST drawn as a list,
const FIRST_LIST = 3;
const FIRST_DOWN = 4; // else this one, or less deep where it would be too wide

// The root of a tree; nodes know their parent, their children (`kids`), `index` and how many leaves are below.
function linked(tree, features) {
  const { nodes } = tree;
  const all = nodes.id.map((id, index) => ({
    index, id, feature: features[nodes.feature[index]], test: nodes.test[index], kids: [], parent: null, open: false, leaves: 0, depth: 0,
    rows: nodes.rows[index], prediction: nodes.prediction[index], classes: nodes.classes?.[index],
    impurity: nodes.impurity[index], complexity: nodes.complexity[index], improvement: nodes.improvement[index],
    weight: nodes.weight?.[index], missingLeft: nodes.missingLeft[index],
  }));
  for (const node of all) {
    const above = nodes.parent[node.index];
    if (above < 0) continue;
    node.parent = all[above];
    node.depth = node.parent.depth + 1;
    node.answer = node.parent.kids.length === 0 ? "yes" : "no"; // the true branch has the smaller number
    node.parent.kids.push(node);
  }
  for (const node of all.toReversed()) {
    node.leaves = node.kids.length === 0 ? 1 : d3.sum(node.kids, (kid) => kid.leaves);
  }
  return all;
}

function openAtFirst(all, asList, width) {
  if (all.length <= OPEN_AT_FIRST || asList) {
    for (const node of all) node.open = all.length <= OPEN_AT_FIRST || node.depth < FIRST_LIST;
  } else {
    openToWidth(all, width, FIRST_DOWN);
  }
}

const OPPOSITES = { in: "not in", "<=": ">", "<": ">=" };

// What the rows of a node's true branch have in common, and those of its false branch.
function yesText(node) {
  return `${node.feature} ${node.test}`;
}

function noText(node) {
  const [operator] = node.test.split(" ", 1);
  return `${node.feature} ${OPPOSITES[operator]}${node.test.slice(operator.length)}`;
}

// What leads to a node from its parent.
function stepText(node) {
  return node.answer === "yes" ? yesText(node.parent) : noText(node.parent);
}

// Opens level after level down to a depth, as long as the drawing is no wider than `most` px.
function openToWidth(all, most, deepest = Infinity) {
  const last = Math.min(deepest, d3.max(all, (node) => node.depth));
  for (let depth = 0; depth < last; depth += 1) {
    const level = all.filter((node) => node.depth === depth);
    for (const node of all) node.open = node.depth <= depth;
    if (bounds(placed(all[0], false)).width > most) {
      for (const node of level) node.open = false;
      return;
    }
  }
}

// The depth down to which a tree has at most `most` nodes.
function depthOf(all, most) {
  const counts = d3.cumsum(d3.rollup(all, (level) => level.length, (node) => node.depth).values());
  return Math.max(0, d3.bisectRight(counts, most) - 1);
}

// What is seen, parents before children and left before right, each with its centre `x` and upper edge `y`.
function placed(root, asList) {
  const hierarchy = d3.hierarchy(root, (node) => (node.open && node.kids.length ? node.kids : null));
  if (asList) {
    let row = 0;
    hierarchy.eachBefore((place) => {
      place.x = place.depth * STEP.x + CARD.width / 2;
      place.y = row * STEP.y;
      row += 1;
    });
  } else {
    d3.tree().nodeSize([CARD.width + 14, LEVEL]).separation(() => 1)(hierarchy);
  }
  const seen = [];
  hierarchy.eachBefore((place) => seen.push(place));
  return seen;
}

function bounds(seen) {
  const [left, right] = d3.extent(seen, (place) => place.x);
  const [top, bottom] = d3.extent(seen, (place) => place.y);
  return { x: left - CARD.width / 2, y: top, width: right - left + CARD.width, height: bottom - top + CARD.height + 12 };
}
