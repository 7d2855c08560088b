// What stands in a card: the texts of a node, its bar, and the sign that opens and closes it.

const HEADING = [14, 600]; // size in px, weight
const DETAIL = [12, 400];
const SIGN = [11, 600];
const OTHERS = "#9AA0A6"; // all classes beyond the palette together

function colourOf(values, tree, node) {
  if (values.isClassification) return values.colours[node.prediction] ?? OTHERS;
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
  const gathered = order.filter(([colour]) => colour === OTHERS);
  let from = 0;
  return [...order.filter(([colour]) => colour !== OTHERS), ...gathered].map(([colour, share]) => {
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

// As `outcomeText`, with no more digits than are read at a glance.
function shortOutcome(values, node) {
  return values.isClassification || node.prediction === null ? outcomeText(values, node) : shortText(node.prediction);
}

function deviationText(values, node) {
  if (values.addsScores) return "";
  if (values.ofCounts) return `deviance ${roundedText(node.impurity ?? 0)}`;
  return `± ${roundedText(Math.sqrt(Math.max(node.impurity ?? 0, 0)))}`;
}

function headingText(values, node) {
  return node.test ? yesText(node) : shortOutcome(values, node);
}

// Where there is no room for a split, its test is kept and the feature's name shortened, down to a third.
function fittedHeading(values, node, width) {
  if (!node.test) return fitted(headingText(values, node), width, ...HEADING);
  const room = width - textWidth(` ${node.test}`, ...HEADING);
  return fitted(`${fitted(node.feature, Math.max(room, width / 3), ...HEADING)} ${node.test}`, width, ...HEADING);
}

function detailText(values, node) {
  const rows = plural(node.rows, "row");
  const outcome = node.test ? shortOutcome(values, node) : "";
  const said = [outcome, values.isClassification ? percentText(confidence(node)) : deviationText(values, node)].filter(Boolean);
  return [rows, ...(said.length ? [said.join(" ")] : [])].join(" · ");
}

// What a screen reader says of a node.
function spokenText(values, tree, node) {
  const words = [node.parent ? `${node.answer}, ${stepText(node)}` : "Root"];
  words.push(node.test ? `splits by ${yesText(node)}` : "leaf", `${values.addsScores ? tree.says : "predicts"} ${outcomeText(values, node)}`, detailText(values, node));
  if (node.kids.length && !node.open) words.push(`${leavesText(node.leaves)} below`);
  return words.join("; ");
}

// Fills the card of a place, whose frame is there, with its words and its bar.
function fillCard(group, place, { values, tree, layout }) {
  const { data: node, wide } = place;
  const { asList } = layout;
  const left = -wide / 2 + (asList ? ROW.pad : CARD.pad) / 2;
  const width = wide - (asList ? ROW.pad : CARD.pad);
  const bar = asList ? { y: 32, width: layout.list.bar, height: 8 } : { y: 29, width, height: 9 };
  const inner = group.select(".inner");
  inner.selectAll("*").remove();
  const say = (name, x, y, text) => inner.append("text").attr("class", name).attr("x", x).attr("y", y)
    .attr("text-anchor", asList ? "start" : "middle").text(text);
  if (!node.test) {
    inner.append("rect").attr("x", -wide / 2 + 1).attr("y", 12).attr("width", 4).attr("height", layout.height - 24)
      .attr("fill", colourOf(values, tree, node));
  }
  const answer = asList && node.parent ? ROW.answer : 0;
  if (answer) say("detail", left, 21, node.answer);
  say("heading", asList ? left + answer : 0, 21, fittedHeading(values, node, width - answer));
  inner.append("rect").attr("class", "track").attr("x", left).attr("y", bar.y).attr("width", bar.width)
    .attr("height", bar.height).attr("rx", 2);
  for (const part of segments(values, tree, node)) {
    inner.append("rect").attr("class", "part").attr("x", left + part.from * bar.width).attr("width", part.share * bar.width)
      .attr("y", bar.y).attr("height", bar.height).attr("fill", part.colour);
  }
  const indent = asList ? layout.list.bar + 10 : 0;
  say("detail", asList ? left + indent : 0, asList ? 40 : 53, fitted(detailText(values, node), width - indent + 6, ...DETAIL));
}

// The sign on a node that opens and closes: a minus, or how many leaves are below.
function drawSign(sign, place, layout) {
  const { data: node, wide } = place;
  const text = node.open ? "−" : layout.asList && layout.list === SLIM_LIST ? `+ ${numberText(node.leaves)}` : `+ ${leavesText(node.leaves)}`;
  const width = Math.max(20, textWidth(text, ...SIGN) + 14);
  sign.attr("transform", layout.asList ? `translate(${wide / 2 + width / 2 - 6},${layout.height / 2})` : `translate(0,${layout.height})`);
  sign.selectAll("*").remove();
  sign.append("rect").attr("x", -width / 2).attr("y", -10).attr("width", width).attr("height", 20).attr("rx", 10);
  sign.append("text").attr("y", 4).text(text);
}
