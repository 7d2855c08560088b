// The tree on the page: opens and closes nodes, moves and zooms, follows pointer and keyboard.

const PAPER = { width: 1300, height: 1500 }; // px of a drawing that can be read on paper
const LEGIBLE = 0.75; // scale of the smallest cards that are read without effort; as a list, their own size
const AFAR = 0.3; // scale below which a card is a patch of colour
const LARGEST = 1.3; // scale that a drawing is brought to
const MARGIN = 20; // px around it
const NOTE = 52; // px at the top, where the page says that the tree is seen from afar
const LOWEST = 440; // px of the place, where a tree is small

class TreeView {
  constructor(place, values, onShow) {
    this.values = values;
    this.onShow = onShow;
    this.place = place;
    this.asList = place.clientWidth < SLIM;
    this.measure();
    new ResizeObserver(() => this.measure()).observe(place);
    this.svg = d3.select(place).append("svg").attr("role", "tree").attr("aria-label", "Decision tree");
    this.world = this.svg.append("g").attr("role", "none");
    this.world.append("g").attr("class", "edges").attr("aria-hidden", "true");
    this.world.append("g").attr("class", "nodes").attr("role", "none");
    this.zoom = d3.zoom().interpolate(d3.interpolate)
      .filter((event) => (event.type === "wheel" ? event.ctrlKey || event.metaKey : !event.button))
      .on("zoom", (event) => this.moved(event.transform));
    this.svg.call(this.zoom).on("dblclick.zoom", null).on("click", (event) => this.point(event));
  }

  get transform() {
    return d3.zoomTransform(this.svg.node());
  }

  // To ask the browser for it lays the page out, and so takes long where much has been drawn.
  measure() {
    this.size = { width: this.place.clientWidth, height: this.place.clientHeight };
  }

  get layout() {
    const { width, height } = this.size;
    return new Layout(this.values, this.asList, { width: width - 2 * MARGIN, height: height - 2 * MARGIN });
  }

  show(tree) {
    this.tree = tree;
    this.all = tree.all;
    this.selected = this.all[0];
    this.clear();
    this.svg.attr("aria-label", `Decision tree${tree.group ? `, ${tree.group}` : ""}`);
    if (!this.all.length) return;
    this.takeHeight();
    if (!tree.opened) this.openAsFits();
    tree.opened = true;
    this.update(true);
    this.start();
    this.onShow(this.selected);
  }

  // Opens the path of a row, and selects where it ends.
  follow() {
    const path = this.all.filter((node) => node.onPath);
    for (const node of path) node.open = node.kids.length > 0;
    this.update(true);
    this.start();
    this.select(path.at(-1));
  }

  clear() {
    this.world.selectAll(".node, .link").remove();
  }

  update(atOnce = false) {
    const { values, tree, selected, layout } = this;
    this.seen = layout.placed(this.all[0]);
    this.drawn = layout;
    this.nodes = draw(this.world, this.seen, { values, tree, layout, selected, atOnce });
    this.nodes.on("click", (event, { data }) => this.press(event, data))
      .on("focus", (event, { data }) => this.select(data))
      .on("pointerenter", (event, { data }) => this.onShow(data))
      .on("pointerleave", () => this.onShow(this.selected))
      .on("keydown", (event, { data }) => this.type(event, data));
    const box = layout.bounds(this.seen);
    this.zoom.scaleExtent([Math.min(0.3, this.size.width / box.width / 2), 3]).extent([[0, 0], [this.size.width, this.size.height]]);
    this.fillInSight();
  }

  moved(transform) {
    this.world.attr("transform", transform);
    const isAfar = transform.k < AFAR;
    this.svg.classed("is-afar", isAfar);
    document.getElementById("afar").hidden = !isAfar;
    this.fillInSight();
  }

  // Draws what stands in the cards that can be read now; of small trees in all.
  fillInSight() {
    if (!this.seen) return;
    const { width, height } = this.size;
    const { transform, drawn: layout } = this;
    let places = this.seen;
    if (places.length > ANIMATED) {
      if (transform.k < AFAR) return;
      const [[left, top], [right, bottom]] = [transform.invert([0, 0]), transform.invert([width, height])];
      places = places.filter(({ x, y, wide }) => x + wide > left && x - wide < right && y + layout.height > top && y - layout.height < bottom);
    }
    fill(places, { values: this.values, tree: this.tree, layout });
  }

  // A click opens or closes a node; from afar, the drawing comes nearer.
  press(event, node) {
    if (this.transform.k < AFAR) return;
    event.stopPropagation();
    this.toggle(node);
  }

  point(event) {
    if (this.transform.k >= AFAR || !this.all.length) return;
    const [x, y] = this.transform.invert(d3.pointer(event, this.svg.node()));
    const nearest = d3.least(this.seen, (place) => Math.hypot(Math.max(0, Math.abs(place.x - x) - place.wide / 2), place.y + this.drawn.height / 2 - y));
    this.select(nearest.data);
    this.reveal(nearest);
  }

  // The node stays where it is in the window; its children are moved into sight.
  toggle(node) {
    const { transform } = this;
    const before = this.seen.find((place) => place.data === node);
    if (node.kids.length) node.open = !node.open;
    this.selected = node;
    this.update();
    const after = this.seen.find((place) => place.data === node);
    this.reveal(after, after.children ?? [], transform.translate(before.x - after.x, before.y - after.y));
    this.onShow(node);
  }

  select(node) {
    this.selected = node;
    this.nodes.classed("is-selected", ({ data }) => data === node).attr("aria-selected", ({ data }) => String(data === node))
      .attr("tabindex", ({ data }) => (data === node ? 0 : -1));
    this.onShow(node);
  }

  // Keys as the tree pattern of the ARIA Authoring Practices has them.
  type(event, node) {
    const order = this.seen.map((place) => place.data);
    const here = order.indexOf(node);
    const targets = {
      ArrowDown: order[here + 1], ArrowUp: order[here - 1], Home: order[0], End: order.at(-1),
      ArrowRight: node.open ? node.kids[0] : null, ArrowLeft: node.open && node.kids.length ? null : node.parent,
    };
    const changes = ["Enter", " "].includes(event.key) || (event.key === "ArrowRight" && !node.open)
      || (event.key === "ArrowLeft" && node.open && node.kids.length);
    if (!changes && !(event.key in targets)) return;
    event.preventDefault();
    if (changes) this.toggle(node);
    else if (targets[event.key]) this.focus(targets[event.key]);
  }

  focus(node) {
    this.select(node);
    const place = this.seen.find(({ data }) => data === node);
    place.element.focus({ preventScroll: true });
    this.reveal(place);
  }

  move(transform, isSmooth = false) {
    this.svg.interrupt();
    (isSmooth && !isStill(this.seen) ? this.svg.transition().duration(MOVING) : this.svg).call(this.zoom.transform, transform);
  }

  // Moves the drawing so that a node is seen whole, large enough to be read, and with it the others if there is room;
  // to where `transform` has it, or else as little as that needs.
  reveal(place, others = [], transform = this.transform) {
    const { width, height } = this.size;
    if (transform.k < AFAR) {
      const at = height * (place.data.kids.length ? 0.35 : 0.65); // what is below or above it is of interest
      transform = d3.zoomIdentity.translate(width / 2 - place.x, at - place.y - this.drawn.height / 2);
    }
    const need = (low, high, room) => (low < MARGIN ? MARGIN - low : high > room - MARGIN ? room - MARGIN - high : 0);
    for (const box of [this.drawn.bounds([place, ...others]), this.drawn.bounds([place])]) {
      const [left, top] = transform.apply([box.x, box.y]);
      const [right, bottom] = transform.apply([box.x + box.width, box.y + box.height]);
      transform = transform.translate(need(left, right, width) / transform.k, need(top, bottom, height) / transform.k);
    }
    this.move(transform, true);
  }

  // As high as the style sheet says, or as the whole tree needs if that is less.
  takeHeight() {
    this.place.style.height = "";
    this.measure();
    const { layout } = this;
    const opened = this.all.map((node) => node.open);
    if (this.all.length <= ANIMATED) {
      for (const node of this.all) node.open = true;
      const box = layout.bounds(layout.placed(this.all[0]));
      const scale = Math.min(LARGEST, (this.size.width - 2 * MARGIN) / box.width);
      this.all.forEach((node, i) => { node.open = opened[i]; });
      const needs = box.height * Math.max(scale, LEGIBLE) + 3 * MARGIN;
      this.place.style.height = `${Math.min(this.size.height, Math.max(LOWEST, needs))}px`;
      this.measure();
    }
  }

  // Whether what is open can be read when all of it is in sight.
  fits() {
    const { layout } = this;
    const box = layout.bounds(layout.placed(this.all[0]));
    return this.scaleOf(box) >= (this.asList ? 1 : LEGIBLE);
  }

  scaleOf(box, top = MARGIN) {
    const { width, height } = this.size;
    return Math.min(LARGEST, (width - 2 * MARGIN) / box.width, (height - top - MARGIN) / box.height);
  }

  openAsFits(may = () => true) {
    openAsFits(this.all, may, () => this.fits());
    while (this.selected.parent && !this.selected.parent.open) this.selected = this.selected.parent;
  }

  // All that is seen, in the middle of the window, its top at the window's.
  start() {
    const { width, height } = this.size;
    const box = this.drawn.bounds(this.seen);
    const top = !this.asList && this.scaleOf(box) < AFAR ? NOTE : MARGIN;
    const scale = this.asList ? Math.max(LEGIBLE, Math.min(1, (width - 2 * MARGIN) / box.width)) : this.scaleOf(box, top);
    const x = this.asList ? MARGIN - box.x * scale : (width - box.width * scale) / 2 - box.x * scale;
    const y = Math.max(top, this.asList ? 0 : Math.min(60, (height - box.height * scale) / 2)) - box.y * scale;
    this.move(d3.zoomIdentity.translate(x, y).scale(scale));
  }

  // What could not be read is closed, the lowest levels first.
  fit() {
    if (!this.fits()) {
      const opened = new Set(this.all.filter((node) => node.open));
      this.openAsFits((node) => opened.has(node));
      this.update();
      this.onShow(this.selected);
    }
    this.start();
  }

  // The window has another width: what is open is arranged anew, all of it in sight.
  resized() {
    if (!this.all.length || this.kept) return;
    this.takeHeight();
    this.update(true);
    this.start();
  }

  zoomBy(factor) {
    this.svg.call(this.zoom.scaleBy, factor);
  }

  expandAll() {
    for (const node of this.all) node.open = true;
    this.update();
    this.start();
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
    this.clear();
    this.update(true);
    this.start();
  }

  // Draws the tree open and of its whole size, for paper; says whether all of it is drawn.
  print() {
    this.kept = { open: this.all.map((node) => node.open), asList: this.asList, transform: this.transform };
    this.asList = false;
    this.clear();
    const { layout } = this;
    openAsFits(this.all, () => true, () => {
      const box = layout.bounds(layout.placed(this.all[0]));
      return box.width <= PAPER.width && box.height <= PAPER.height;
    });
    this.update(true);
    fill(this.seen, { values: this.values, tree: this.tree, layout: this.drawn });
    const box = layout.bounds(this.seen);
    this.svg.classed("is-afar", false);
    this.world.attr("transform", null);
    this.svg.attr("viewBox", `${box.x - 20} ${box.y - 4} ${box.width + 40} ${box.height + 8}`).attr("width", box.width + 40);
    return this.seen.length === this.all.length;
  }

  afterPrint() {
    if (!this.kept) return;
    this.all.forEach((node, index) => { node.open = this.kept.open[index]; });
    this.asList = this.kept.asList;
    this.svg.attr("viewBox", null).attr("width", null);
    this.clear();
    this.update(true);
    this.move(this.kept.transform);
    this.kept = null;
  }
}
