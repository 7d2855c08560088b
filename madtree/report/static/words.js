// Numbers and texts as the page writes them.

const whole = new Intl.NumberFormat("en-US");
const digits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });
const shares = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

function numberText(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(3);
  return Number.isInteger(value) ? whole.format(value) : digits.format(value);
}

function roundedText(value) {
  return numberText(Number(value.toPrecision(3)));
}

function percentText(share) {
  return share === null || share === undefined ? "–" : shares.format(share);
}

function plural(count, noun) {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function leavesText(count) {
  return `${numberText(count)} ${count === 1 ? "leaf" : "leaves"}`;
}

// With four digits: what is read at a glance.
function shortText(value) {
  return numberText(Number(value.toPrecision(4)));
}

const brush = document.createElement("canvas").getContext("2d");
const family = getComputedStyle(document.documentElement).fontFamily; // asked once: to ask lays the page out
let font = "";

function textWidth(text, size, weight) {
  const wanted = `${weight} ${size}px ${family}`;
  if (wanted !== font) brush.font = wanted; // reading it back gives another spelling
  font = wanted;
  return brush.measureText(text).width;
}

// The text, cut with an ellipsis where it is wider than `width` px. By characters, not by UTF-16 units.
function fitted(text, width, size, weight = 400) {
  if (textWidth(text, size, weight) <= width) return text;
  const letters = Array.from(text.slice(0, 200));
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (brush.measureText(`${letters.slice(0, middle).join("")}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("").trimEnd()}…`;
}

// An HTML element with text or elements in it; never markup.
function make(tag, attributes, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
  element.append(...content.map((each) => (each instanceof Node ? each : String(each))));
  return element;
}
