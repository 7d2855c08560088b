// Which nodes are open: as many levels as fit.

const TRIES = 24; // nodes of the first level that does not fit as a whole, tried one by one

// Opens level after level as long as the drawing `fits`, then of the next level those with the most rows.
// Only nodes that `may` be open are opened. Returns whether all of them are.
function openAsFits(all, may, fits) {
  const levels = d3.group(all.filter((node) => node.kids.length && may(node)), (node) => node.depth);
  for (const node of all) node.open = false;
  for (const level of [...levels].sort((a, b) => a[0] - b[0]).map(([, nodes]) => nodes)) {
    const reached = level.filter((node) => !node.parent || node.parent.open);
    for (const node of reached) node.open = true;
    if (fits()) continue;
    for (const node of reached) node.open = false;
    for (const node of d3.sort(reached, (each) => -each.rows).slice(0, TRIES)) {
      node.open = true;
      if (!fits()) node.open = false;
    }
    return false;
  }
  return true;
}

// The depth down to which a tree has at most `most` nodes.
function depthOf(all, most) {
  const counts = d3.cumsum(d3.rollup(all, (level) => level.length, (node) => node.depth).values());
  return Math.max(0, d3.bisectRight(counts, most) - 1);
}
