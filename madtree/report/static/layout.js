// One tree of the report as linked nodes, how wide their cards are, and where they are drawn.

// Cards drawn downwards: as wide as their words, between these bounds; `widest` only where nothing else wants the room.
const CARD = { height: 70, narrowest: 112, widest: 520, usual: 210, pad: 26, gap: 16 };
const GAPS = { least: 46, most: 100, afar: 260 }; // px between levels: as there is room; more in what is only seen from afar
// Cards drawn as a list, one below the other.
const ROW = { height: 50, gap: 8, narrowest: 200, pad: 24, answer: 30 };
const WIDE_LIST = { bar: 64, indent: 30, sign: 90 }; // px of a bar, from level to level, and for the sign beside a card
const SLIM_LIST = { bar: 40, indent: 18, sign: 34 };
const SLIM = 480; // px of a place that is narrow, such as a phone's

// The nodes of a tree; they know their parent, their children (`kids`), `index` and how many leaves are below.
function linked(tree, features) {
  const { nodes } = tree;
  const all = nodes.id.map((id, index) => ({
    index, id, feature: features[nodes.feature[index]], test: nodes.test[index], kids: [], parent: null, open: false, leaves: 0, depth: 0,
    rows: nodes.rows[index], prediction: nodes.prediction[index], classes: nodes.classes?.[index],
    impurity: nodes.impurity[index], complexity: nodes.complexity[index], improvement: nodes.improvement[index],
    weight: nodes.weight?.[index], missingLeft: nodes.missingLeft[index], whole: nodes.whole?.[index],
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

const OPPOSITES = { in: "not in", "<=": ">", "<": ">=" };

// What the rows of a node's true branch have in common, and those of its false branch.
function yesText(node, test = node.test) {
  return `${node.feature} ${test}`;
}

function noText(node, test = node.test) {
  const [operator] = test.split(" ", 1);
  return `${node.feature} ${OPPOSITES[operator]}${test.slice(operator.length)}`;
}

// What leads to a node from its parent.
function stepText(node, test) {
  return node.answer === "yes" ? yesText(node.parent, test) : noText(node.parent, test);
}

// Attributes of what tells of a split, or of the step to a node: a tooltip with all categories, where some were left out.
function wholeSplit(node) {
  return node.whole ? { title: yesText(node, node.whole) } : null;
}

function wholeStep(node) {
  return node.parent?.whole ? { title: stepText(node, node.parent.whole) } : null;
}

// How nodes are drawn: `values` of the page, `asList`, and the `room` for the drawing, width and height in px.
class Layout {
  constructor(values, asList, room) {
    this.values = values;
    this.asList = asList;
    this.room = room;
    this.list = room.width < SLIM ? SLIM_LIST : WIDE_LIST;
    this.height = asList ? ROW.height : CARD.height;
  }

  // px that a card would need for all of its words.
  wanted(node) {
    node.words ??= {
      heading: textWidth(headingText(this.values, node), ...HEADING), detail: textWidth(detailText(this.values, node), ...DETAIL),
    };
    const { heading, detail } = node.words;
    if (!this.asList) return Math.max(heading, detail) + CARD.pad;
    return Math.max(heading + (node.parent ? ROW.answer : 0), this.list.bar + 10 + detail) + ROW.pad;
  }

  // What is seen, parents before children and left before right, each with its centre `x`, upper edge `y` and width `wide`.
  placed(root) {
    const hierarchy = d3.hierarchy(root, (node) => (node.open && node.kids.length ? node.kids : null));
    const seen = [];
    hierarchy.eachBefore((place) => seen.push(place));
    if (this.asList) this.stack(seen);
    else this.spread(hierarchy, seen);
    return seen;
  }

  stack(seen) {
    seen.forEach((place, row) => {
      const left = place.depth * this.list.indent;
      place.wide = Math.max(ROW.narrowest, Math.min(this.wanted(place.data), this.room.width - left - this.list.sign));
      place.x = left + place.wide / 2;
      place.y = row * (ROW.height + ROW.gap);
    });
  }

  spread(hierarchy, seen) {
    for (const place of seen) place.wide = Math.max(CARD.narrowest, Math.min(this.wanted(place.data), CARD.usual));
    d3.tree().nodeSize([1, 1]).separation((a, b) => (a.wide + b.wide) / 2 + CARD.gap)(hierarchy);
    const { x: left, width } = bounds(seen, CARD.height);
    const levels = d3.groups(seen, (place) => place.depth).map(([, level]) => level);
    const beside = Math.max(0, this.room.width - width) / 2;
    for (const level of levels) this.widen(level, left - beside, left + width + beside);
    const height = (width * this.room.height) / this.room.width; // that fills the room as the width does
    const most = width * LEGIBLE > this.room.width ? GAPS.afar : GAPS.most;
    const gap = Math.max(GAPS.least, Math.min(most, (height - CARD.height) / Math.max(1, levels.length - 1) - CARD.height));
    for (const place of seen) place.y = place.depth * (CARD.height + gap);
  }

  // Long words take the room that neighbours on their level leave, the same to either side.
  widen(level, left, right) {
    level.forEach((place, i) => {
      const before = i ? level[i - 1].x + level[i - 1].wide / 2 + CARD.gap : left;
      const after = i + 1 < level.length ? level[i + 1].x - level[i + 1].wide / 2 - CARD.gap : right;
      const most = Math.min(2 * (place.x - before), 2 * (after - place.x), CARD.widest);
      place.wide = Math.max(place.wide, Math.min(this.wanted(place.data), most));
    });
  }

  bounds(seen) {
    return bounds(seen, this.height);
  }
}

// The rectangle around all cards, with the signs that stand out below them.
function bounds(seen, height) {
  const left = d3.min(seen, (place) => place.x - place.wide / 2);
  const right = d3.max(seen, (place) => place.x + place.wide / 2);
  const [top, bottom] = d3.extent(seen, (place) => place.y);
  return { x: left, y: top, width: right - left, height: bottom - top + height + 14 };
}
