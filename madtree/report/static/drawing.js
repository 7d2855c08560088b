// Drawing: cards and edges of the nodes that are seen. What stands in a card is drawn when it can be read.

const THICKEST = { drawing: 16, list: 6 };
const THINNEST = 1.2;
const AFAR_SHARE = 3; // wide edges are so much thinner from afar
const TRUNK = 9; // px from a card's left border to the edge that leaves it, drawn as a list
const ANIMATED = 150; // more nodes than these move at once, and are filled only where they are in sight
const MOVING = 280; // ms

function edgePath(place, layout) {
  const { x, y, wide, parent } = place;
  const bottom = parent.y + layout.height;
  if (layout.asList) return `M${parent.x - parent.wide / 2 + TRUNK},${bottom}V${y + layout.height / 2}H${x - wide / 2}`;
  return d3.linkVertical()({ source: [parent.x, bottom], target: [x, y] });
}

function answerAt(place, layout) {
  const { x, y, parent } = place;
  const from = parent.y + layout.height;
  return [(parent.x + 3 * x) / 4, from + (y - from) * 0.64];
}

function isStill(seen) {
  return seen.length > ANIMATED || matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// From afar a leaf is a patch of its outcome's colour, paler the less sure it is.
function sureness(values, node) {
  return values.isClassification ? 0.25 + 0.75 * confidence(node) : 1;
}

function drawFrame(group, { values, tree, layout }) {
  group.append("rect").attr("class", "card").attr("rx", 9).attr("height", layout.height)
    .attr("fill", ({ data }) => (data.test ? null : colourOf(values, tree, data)))
    .attr("fill-opacity", ({ data }) => (data.test ? null : sureness(values, data)));
}

// What a card has besides: another one behind it, which is seen where nodes below are not.
function drawInner(group, place, layout) {
  const hasKids = place.data.kids.length > 0;
  if (hasKids) group.insert("rect", ".card").attr("class", "behind").attr("y", 5).attr("rx", 9).attr("height", layout.height);
  group.append("g").attr("class", "inner");
  if (hasKids) group.append("g").attr("class", "sign").attr("aria-hidden", "true");
}

function widen(element, wide) {
  for (const frame of element.children) {
    if (frame.tagName !== "rect") continue;
    frame.setAttribute("x", -wide / 2);
    frame.setAttribute("width", wide);
  }
}

// Brings the drawing in line with `seen`; `atOnce` puts everything in its place without moving it there.
function draw(world, seen, { values, tree, layout, selected, atOnce }) {
  const still = atOnce || isStill(seen);
  const moved = (selection) => (still ? selection.interrupt() : selection.transition().duration(MOVING));
  const key = (place) => place.data.index;
  const widest = layout.asList ? THICKEST.list : THICKEST.drawing;
  const root = seen[0].data.rows || 1;
  const edges = world.select(".edges").selectAll(".link").data(seen.filter((place) => place.parent), key).join((enter) => {
    const link = enter.append("g").attr("class", "link");
    const wide = (place) => Math.max(THINNEST, widest * (place.data.rows / root));
    link.append("path").attr("class", "edge").attr("stroke-width", wide)
      .filter((place) => wide(place) > AFAR_SHARE * THINNEST).style("--afar", (place) => `${wide(place) / AFAR_SHARE}px`);
    return link;
  });
  edges.each(function keep(place) { place.link = this; }).classed("on-path", ({ data }) => data.onPath);
  moved(edges.select("path")).attr("d", (place) => edgePath(place, layout));
  moved(edges.select(".answered")).attr("transform", (place) => `translate(${answerAt(place, layout)})`);
  const nodes = world.select(".nodes").selectAll(".node").data(seen, key).join((enter) => {
    const group = enter.append("g").attr("class", "node").attr("role", "treeitem")
      .attr("transform", ({ x, y, parent }) => `translate(${still || !parent ? [x, y] : [parent.x, parent.y]})`)
      .attr("data-node", ({ data }) => data.id)
      .attr("aria-level", ({ data }) => data.depth + 1)
      .attr("aria-setsize", ({ data }) => (data.parent ? 2 : 1))
      .attr("aria-posinset", ({ data }) => (data.answer === "no" ? 2 : 1));
    drawFrame(group, { values, tree, layout });
    return group;
  });
  nodes.order(); // the order of the document is the order of reading
  moved(nodes).attr("transform", ({ x, y }) => `translate(${x},${y})`);
  nodes.attr("class", ({ data }) => ["node", data.test ? "" : "is-leaf", data.kids.length && !data.open ? "is-closed" : "",
    data === selected ? "is-selected" : "", data.onPath ? "on-path" : ""].filter(Boolean).join(" "))
    .attr("aria-expanded", ({ data }) => (data.kids.length ? String(data.open) : null))
    .attr("aria-selected", ({ data }) => String(data === selected))
    .attr("aria-label", ({ data }) => spokenText(values, tree, data))
    .attr("tabindex", ({ data }) => (data === selected ? 0 : -1));
  nodes.each(function keep(place) {
    place.element = this;
    widen(this, place.wide);
  });
  return nodes;
}

// Fills what is to be read: the cards of these places, their signs and the answers on the edges to them.
function fill(places, { values, tree, layout }) {
  for (const place of places) {
    const state = `${place.wide} ${place.data.open}`;
    if (place.element.filled === state) continue;
    place.element.filled = state;
    const group = d3.select(place.element);
    if (group.select(".inner").empty()) {
      drawInner(group, place, layout);
      widen(place.element, place.wide);
    }
    fillCard(group, place, { values, tree, layout });
    if (place.data.kids.length) drawSign(group.select(".sign"), place, layout);
    if (layout.asList || !place.link || place.link.lastChild.tagName === "g") continue;
    const answer = d3.select(place.link).append("g").attr("class", "answered").attr("transform", `translate(${answerAt(place, layout)})`);
    answer.append("rect").attr("class", "answer-paper").attr("x", -14).attr("y", -11).attr("width", 28).attr("height", 15).attr("rx", 6);
    answer.append("text").attr("class", "answer").text(place.data.answer);
  }
}
