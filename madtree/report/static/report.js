// Puts the parts of the page to work.

const values = JSON.parse(document.getElementById("values").textContent);
// On a dark page the greatest mean is the lightest.
if (matchMedia("(prefers-color-scheme: dark)").matches) values.ramp = ["#2B5F94", "#D3E8FF"];
const at = (id) => document.getElementById(id);
for (const part of document.querySelectorAll(".needs-script")) part.hidden = false;

let current = values.trees.find((tree) => values.paths[tree.id]) ?? values.trees[0];
let ensemble; // that the tree is one of, if it is
const view = new TreeView(at("tree"), values, (node) => showDetails(at("details"), values, current, node));

function prepare(tree) {
  tree.all ??= linked(tree, values.features);
  const path = new Set(values.paths[tree.id]);
  for (const node of tree.all) node.onPath = path.has(node.id);
  [tree.low, tree.high] = d3.extent(tree.nodes.prediction);
  tree.colour = d3.scaleLinear([tree.low, tree.high], values.ramp).interpolate(d3.interpolateRgb);
}

function drawCharts() {
  const cp = (values.cv[current.id] ?? []).filter((row) => row.xerror !== null);
  at("cp-section").hidden = cp.length === 0;
  if (cp.length) {
    showCp(at("cp"), cp);
    fillCpTable(at("cp-table"), cp);
  }
  at("ensemble-section").hidden = !ensemble;
  if (ensemble) {
    at("ensemble-title").textContent = ensemble.losses ? "Loss by round" : "Out-of-bag error";
    if (ensemble.losses) {
      showBoosted(at("ensemble"), ensemble);
      showImportance(at("importance"), values.features, ensemble);
    } else {
      showOutOfBag(at("ensemble"), values, ensemble);
      showBothImportances(at("importance"), values, ensemble);
    }
  } else {
    showImportance(at("importance"), values.features, current);
  }
  drawContributions();
  at("errors-section").hidden = false; // charts measure the room that they have
  showErrors(at("errors"), values, current);
  at("errors-section").hidden = at("errors").childElementCount === 0;
}

const contributed = {}; // what is chosen of the contributions
function drawContributions() {
  const told = values.contributions;
  at("contributions-section").hidden = !told || (told.note !== undefined && told.note === values.figures.note); // said once
  if (at("contributions-section").hidden) return;
  if (told.note) at("contributions").replaceChildren(make("p", { class: "note" }, told.note));
  else showContributions(at("contributions"), values, contributed);
}

function choose(tree) {
  current = tree;
  prepare(tree);
  at("details").replaceChildren();
  view.show(tree);
  if (values.paths[tree.id]) view.follow();
  if (!tree.all.length) at("details").append(make("p", null, tree.message ?? "No tree could be trained for this group."));
  showLegend(at("legend"), values, tree);
  ensemble = values.ensembles.find((each) => each.gid === tree.gid);
  drawCharts();
  at("outline").open = false;
  for (const button of document.querySelectorAll(".toolbar button")) button.disabled = !tree.all.length;
  at("picker").value = values.trees.indexOf(tree);
}

at("picker-label").hidden = values.trees.length < 2;
at("groups").hidden = values.trees.length < 2;
at("groups").addEventListener("toggle", () => {
  if (at("groups").open) fillGroups(document.querySelector("#groups table"), values, (tree) => {
    choose(tree);
    at("tree-title").scrollIntoView();
  });
});
at("picker").addEventListener("change", (event) => choose(values.trees[event.target.value]));
at("expand").addEventListener("click", () => view.expandAll());
at("collapse").addEventListener("click", () => view.collapse());
at("fit").addEventListener("click", () => view.fit());
at("zoom-in").addEventListener("click", () => view.zoomBy(1.3));
at("zoom-out").addEventListener("click", () => view.zoomBy(1 / 1.3));
at("turn").addEventListener("click", () => {
  view.turn(!view.asList);
  at("turn").setAttribute("aria-pressed", String(view.asList));
});
at("turn").setAttribute("aria-pressed", String(view.asList));
let isPrinting = false;
at("outline").addEventListener("toggle", () => { if (at("outline").open && !isPrinting) fillOutline(document.querySelector(".outline"), values, current); });

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const code = button.closest(".code").querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch { // no right to: select it, the older way
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

// On paper nothing can be opened: the tree is drawn as far as it can be read, and the rest is in the table.
const PRINTED = 1000; // nodes of a printed table
function print(isPrint) {
  if (isPrint === isPrinting || !current.all.length) return;
  isPrinting = isPrint;
  if (isPrint) {
    const isWhole = view.print();
    at("print-note").hidden = isWhole;
    if (isWhole) return;
    const depth = depthOf(current.all, PRINTED);
    const listed = current.all.filter((node) => node.depth <= depth).length;
    at("print-note").textContent = `The drawing has the upper ${numberText(view.seen.length)} of ${numberText(current.all.length)} nodes, the table ${listed === current.all.length ? "all" : `those down to depth ${depth}`}.`;
    fillOutline(document.querySelector(".outline"), values, current, depth);
    at("outline").open = true;
  } else {
    view.afterPrint();
    at("print-note").hidden = true;
    at("outline").open = false;
  }
}
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));
matchMedia("print").addEventListener("change", (event) => print(event.matches));

let waiting = 0;
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return; // a phone's address bar comes and goes
  width = innerWidth;
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => {
    view.resized();
    drawCharts();
  });
});

choose(current);
