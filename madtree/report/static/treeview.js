// The tree on the page: opens and closes nodes, moves and zooms, follows pointer and keyboard.

const PAPER_WIDTH = 1300; // px of a drawing that can be read on paper
const SMALLEST = 0.12; // scale
const READABLE = 0.3; // scale of a whole tree; one that must be smaller is shown as a list
const LEGIBLE = 0.6; // scale of the first view

class TreeView {
  constructor(place, values, onShow) {
    this.values = values;
    this.onShow = onShow;
    this.place = place;
    this.asList = place.clientWidth < 480;
    this.svg = d3.select(place).append("svg").attr("role", "tree").attr("aria-label", "Decision tree");
    this.world = this.svg.append("g").attr("role", "none");
    this.world.append("g").attr("class", "edges").attr("aria-hidden", "true");
    this.world.append("g").attr("class", "nodes").attr("role", "none");
    this.zoom = d3.zoom().scaleExtent([0.05, 3])
      .filter((event) => (event.type === "wheel" ? event.ctrlKey || event.metaKey : !event.button))
      .on("zoom", (event) => this.world.attr("transform", event.transform));
    this.svg.call(this.zoom).on("dblclick.zoom", null);
  }

  show(tree) {
    this.tree = tree;
    this.all = tree.all;
    if (!tree.opened) openAtFirst(this.all, this.asList, (this.place.clientWidth - 40) / LEGIBLE);
    tree.opened = true;
    this.selected = this.all[0];
    this.world.selectAll(".node, .link").remove();
    this.svg.attr("aria-label", `Decision tree${tree.group ? `, ${tree.group}` : ""}`);
    if (this.all.length) {
      this.update(true);
      this.fitHeight();
      this.start();
      this.onShow(this.selected);
    }
  }

  update(isStill = false) {
    this.seen = placed(this.all[0], this.asList);
    const { values, tree, asList, selected } = this;
    this.nodes = draw(this.world, this.seen, { values, tree, asList, selected, isStill });
    this.nodes.attr("tabindex", ({ data }) => (data === selected ? 0 : -1))
      .on("click", (event, { data }) => this.toggle(data))
      .on("focus", (event, { data }) => this.select(data))
      .on("pointerenter", (event, { data }) => this.onShow(data))
      .on("pointerleave", () => this.onShow(this.selected))
      .on("keydown", (event, at) => this.press(event, at));
  }

  toggle(node) {
    if (node.kids.length) node.open = !node.open;
    this.selected = node;
    this.update();
    this.onShow(node);
  }

  select(node) {
    this.selected = node;
    this.nodes.classed("is-selected", ({ data }) => data === node).attr("aria-selected", ({ data }) => String(data === node))
      .attr("tabindex", ({ data }) => (data === node ? 0 : -1));
    this.onShow(node);
  }

  // Keys as the tree pattern of the ARIA Authoring Practices has them.
  press(event, at) {
    const { data } = at;
    const order = this.seen.map((place) => place.data);
    const here = order.indexOf(data);
    const targets = {
      ArrowDown: order[here + 1], ArrowUp: order[here - 1], Home: order[0], End: order.at(-1),
      ArrowRight: data.open ? data.kids[0] : null, ArrowLeft: data.open && data.kids.length ? null : data.parent,
    };
    const changes = ["Enter", " "].includes(event.key) || (event.key === "ArrowRight" && !data.open)
      || (event.key === "ArrowLeft" && data.open && data.kids.length);
    if (!changes && !(event.key in targets)) return;
    event.preventDefault();
    if (changes) this.toggle(data);
    else if (targets[event.key]) this.focus(targets[event.key]);
  }

  focus(node) {
    this.select(node);
    this.nodes.filter(({ data }) => data === node).node().focus({ preventScroll: true });
    this.reveal(this.seen.find((place) => place.data === node));
  }

  // Moves the drawing so that a node is seen whole.
  reveal({ x, y }) {
    const transform = d3.zoomTransform(this.svg.node());
    const { clientWidth: width, clientHeight: height } = this.place;
    const margin = 16;
    const left = transform.applyX(x - CARD.width / 2) - margin;
    const right = transform.applyX(x + CARD.width / 2) + margin - width;
    const top = transform.applyY(y) - margin;
    const bottom = transform.applyY(y + CARD.height) + margin - height;
    const move = (low, high) => (low < 0 ? -low : high > 0 ? -high : 0) / transform.k;
    this.svg.call(this.zoom.translateBy, move(left, right), move(top, bottom));
  }

  // As high as what is seen needs, with room to open more; never higher than the style sheet allows.
  fitHeight() {
    this.place.style.height = "";
    const box = bounds(this.seen);
    const scale = Math.min(1, (this.place.clientWidth - 40) / box.width);
    const least = this.seen.length < this.all.length ? 480 : 260;
    this.place.style.height = `${Math.min(this.place.clientHeight, Math.max(least, box.height * scale + 52))}px`;
  }

  // The first view: all that is seen if it can be read, else the root with as much as there is room for.
  start() {
    const { clientWidth: width, clientHeight: height } = this.place;
    const box = bounds(this.seen);
    const scale = Math.min(1, Math.max(this.asList ? 0.85 : LEGIBLE, Math.min((width - 40) / box.width, (height - 40) / box.height)));
    const root = this.seen[0];
    const fits = box.width * scale <= width - 24;
    const middle = fits ? box.x + box.width / 2 : root.x;
    const x = this.asList ? 14 - box.x * scale : width / 2 - middle * scale;
    this.svg.call(this.zoom.transform, d3.zoomIdentity.translate(x, 22).scale(scale));
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.place;
    const box = bounds(this.seen);
    const scale = Math.max(SMALLEST, Math.min(1.2, (width - 32) / box.width, (height - 32) / box.height));
    const x = Math.max(16, (width - box.width * scale) / 2) - box.x * scale;
    const y = Math.max(16, (height - box.height * scale) / 2) - box.y * scale;
    this.svg.call(this.zoom.transform, d3.zoomIdentity.translate(x, y).scale(scale));
  }

  zoomBy(factor) {
    this.svg.call(this.zoom.scaleBy, factor);
  }

  // What is too wide to be read side by side is shown as a list.
  expandAll() {
    for (const node of this.all) node.open = true;
    this.asList ||= bounds(placed(this.all[0], false)).width * READABLE > this.place.clientWidth;
    this.update();
    this.fitHeight();
    if (this.asList) this.start();
    else this.fit();
  }

  collapse() {
    for (const node of this.all) node.open = node.depth === 0;
    this.selected = this.all[0];
    this.update();
    this.start();
    this.onShow(this.selected);
  }

  turn(asList) {
    this.asList = asList;
    this.update();
    this.fitHeight();
    this.start();
  }

  // Draws the tree open and of its whole size, for paper; says whether all of it is drawn.
  print() {
    this.kept = { open: this.all.map((node) => node.open), asList: this.asList, transform: d3.zoomTransform(this.svg.node()) };
    openToWidth(this.all, PAPER_WIDTH);
    this.asList = false;
    this.update(true);
    const box = bounds(this.seen);
    this.world.attr("transform", null);
    this.svg.attr("viewBox", `${box.x - 20} ${box.y - 4} ${box.width + 40} ${box.height + 8}`).attr("width", box.width + 40);
    return this.seen.length === this.all.length;
  }

  afterPrint() {
    if (!this.kept) return;
    this.all.forEach((node, index) => { node.open = this.kept.open[index]; });
    this.asList = this.kept.asList;
    this.svg.attr("viewBox", null).attr("width", null);
    this.update(true);
    this.svg.call(this.zoom.transform, this.kept.transform);
    this.kept = null;
  }
}
