// Drawing: cards and edges of the nodes that are seen.

const INSIDE = CARD.width - 24;
const THICKEST = 16;
const THINNEST = 1.2;
const TRUNK = 12; // px from a card's left border to the edge that leaves it, drawn as a list
const ANIMATED = 150; // more nodes than these move at once

function colourOf(values, tree, node) {
  if (values.isClassification) return values.colours[node.prediction] ?? "#9AA0A6";
  return tree.colour(node.prediction);
}

// Segments of a node's bar: colour and share, classes of the shared colour together at the end.
function segments(values, tree, node) {
  if (!values.isClassification) {
    const share = tree.high > tree.low ? (node.prediction - tree.low) / (tree.high - tree.low) : 1;
    return [{ colour: tree.colour(node.prediction), from: 0, share: Math.max(share, 0.02) }];
  }
  const total = weightOf(node);
  const parts = new Map();
  for (let i = 0; i < node.classes.length; i += 2) {
    const colour = values.colours[node.classes[i]];
    parts.set(colour, (parts.get(colour) ?? 0) + node.classes[i + 1] / total);
  }
  const order = [...parts].sort((a, b) => values.colours.indexOf(a[0]) - values.colours.indexOf(b[0]));
  const gathered = order.filter(([colour]) => colour === "#9AA0A6");
  let from = 0;
  return [...order.filter(([colour]) => colour !== "#9AA0A6"), ...gathered].map(([colour, share]) => {
    from += share;
    return { colour, from: from - share, share };
  });
}

function weightOf(node) {
  let total = 0;
  for (let i = 1; i < (node.classes?.length ?? 0); i += 2) total += node.classes[i];
  return total;
}

function confidence(node) {
  for (let i = 0; i < node.classes.length; i += 2) {
    if (node.classes[i] === node.prediction) return node.classes[i + 1] / weightOf(node);
  }
  return 0;
}

function outcomeText(values, node) {
  if (values.isClassification) return values.classes[node.prediction] ?? "–";
  return numberText(node.prediction);
}

// A split in a card: where there is no room, its test is kept and the feature's name shortened, down to a third.
function headingText(values, node) {
  if (!node.test) return fitted(outcomeText(values, node), INSIDE, 13, 600);
  const room = INSIDE - textWidth(` ${node.test}`, 13, 600);
  return fitted(`${fitted(node.feature, Math.max(room, INSIDE / 3), 13, 600)} ${node.test}`, INSIDE, 13, 600);
}

function detailText(values, node) {
  const rows = plural(node.rows, "row");
  const outcome = node.test ? `${outcomeText(values, node)} ` : "";
  if (values.isClassification) return `${rows} · ${outcome}${percentText(confidence(node))}`;
  return `${rows} · ${outcome}± ${roundedText(Math.sqrt(Math.max(node.impurity ?? 0, 0)))}`;
}

// What a screen reader says of a node.
function spokenText(values, node) {
  const words = [node.parent ? `${node.answer}, ${stepText(node)}` : "Root"];
  words.push(node.test ? `splits by ${yesText(node)}` : "leaf", `predicts ${outcomeText(values, node)}`, detailText(values, node));
  if (node.kids.length && !node.open) words.push(`${leavesText(node.leaves)} below`);
  return words.join("; ");
}

function edgePath(place, asList) {
  const { x, y, parent } = place;
  if (asList) {
    const from = parent.x - CARD.width / 2 + TRUNK;
    return `M${from},${parent.y + CARD.height}V${y + CARD.height / 2}H${x - CARD.width / 2}`;
  }
  return d3.linkVertical()({ source: [parent.x, parent.y + CARD.height], target: [x, y] });
}

function answerAt(place, asList) {
  const { x, y, parent } = place;
  if (asList) return [x - CARD.width / 2 - 15, y + CARD.height / 2 + 4];
  const from = parent.y + CARD.height;
  return [(parent.x + 3 * x) / 4, from + (y - from) * 0.64];
}

function drawCard(group, values, tree) {
  group.append("rect").attr("class", "card").attr("x", -CARD.width / 2).attr("width", CARD.width)
    .attr("height", CARD.height).attr("rx", 9);
  group.filter(({ data }) => !data.test).append("rect").attr("x", -CARD.width / 2 + 1).attr("y", 12)
    .attr("width", 4).attr("height", CARD.height - 24).attr("fill", ({ data }) => colourOf(values, tree, data));
  group.append("text").attr("class", "heading").attr("y", 21)
    .text(({ data }) => headingText(values, data));
  group.append("rect").attr("class", "track").attr("x", -INSIDE / 2).attr("y", 30).attr("width", INSIDE)
    .attr("height", 9).attr("rx", 2);
  group.selectAll(".part").data(({ data }) => segments(values, tree, data)).join("rect").attr("class", "part")
    .attr("x", (part) => -INSIDE / 2 + part.from * INSIDE).attr("width", (part) => part.share * INSIDE)
    .attr("y", 30).attr("height", 9).attr("fill", (part) => part.colour);
  group.append("text").attr("class", "detail").attr("y", 54)
    .text(({ data }) => fitted(detailText(values, data), INSIDE + 8, 11));
  group.filter(({ data }) => data.kids.length).append("g").attr("class", "badge").attr("aria-hidden", "true");
}

// The sign on a node that opens and closes: a minus, or how many leaves are hidden.
function drawBadge(badge, asList) {
  badge.attr("transform", asList ? `translate(${CARD.width / 2},${CARD.height / 2})` : `translate(0,${CARD.height})`);
  badge.selectAll("*").remove();
  const text = badge.datum().data.open ? "−" : `+${numberText(badge.datum().data.leaves)}`;
  const width = Math.max(18, 10 + text.length * 7);
  badge.append("rect").attr("x", -width / 2).attr("y", -9).attr("width", width).attr("height", 18).attr("rx", 9);
  badge.append("text").attr("y", 4).text(text);
}

// Brings the drawing in line with `seen`; `isStill` puts everything in its place at once.
function draw(world, seen, { values, tree, asList, selected, isStill }) {
  const still = isStill || seen.length > ANIMATED || matchMedia("(prefers-reduced-motion: reduce)").matches;
  const moved = (selection) => (still ? selection : selection.transition().duration(280));
  const key = (place) => place.data.index;
  const below = seen.filter((place) => place.parent);
  const root = seen[0].data.rows || 1;
  const edges = world.select(".edges").selectAll(".link").data(below, key).join(
    (enter) => {
      const link = enter.append("g").attr("class", "link");
      link.append("path").attr("class", "edge");
      const answer = link.append("g");
      answer.append("rect").attr("class", "answer-paper").attr("x", -13).attr("y", -10).attr("width", 26)
        .attr("height", 14).attr("rx", 6);
      answer.append("text").attr("class", "answer").text((place) => place.data.answer);
      return link;
    },
  );
  edges.select("path").attr("stroke-width", (place) => Math.max(THINNEST, THICKEST * (place.data.rows / root)));
  moved(edges.select("path")).attr("d", (place) => edgePath(place, asList));
  moved(edges.select("g")).attr("transform", (place) => `translate(${answerAt(place, asList)})`);
  const nodes = world.select(".nodes").selectAll(".node").data(seen, key).join((enter) => {
    const group = enter.append("g").attr("class", "node").attr("role", "treeitem").attr("tabindex", -1)
      .attr("transform", ({ x, y, parent }) => `translate(${still || !parent ? [x, y] : [parent.x, parent.y]})`);
    drawCard(group, values, tree);
    return group;
  });
  nodes.order(); // the order of the document is the order of reading
  moved(nodes).attr("transform", ({ x, y }) => `translate(${x},${y})`);
  nodes.attr("data-node", ({ data }) => data.id)
    .classed("is-leaf", ({ data }) => !data.test)
    .classed("is-closed", ({ data }) => data.kids.length > 0 && !data.open)
    .classed("is-selected", ({ data }) => data === selected)
    .attr("aria-level", ({ data }) => data.depth + 1)
    .attr("aria-setsize", ({ data }) => (data.parent ? 2 : 1))
    .attr("aria-posinset", ({ data }) => (data.answer === "no" ? 2 : 1))
    .attr("aria-expanded", ({ data }) => (data.kids.length ? String(data.open) : null))
    .attr("aria-selected", ({ data }) => String(data === selected))
    .attr("aria-label", ({ data }) => spokenText(values, data));
  nodes.select(".badge").each(function badge() { drawBadge(d3.select(this), asList); });
  return nodes;
}
