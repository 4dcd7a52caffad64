// What a person does with the page: look around, search, click, fold. Only texts are put into the
// page, never HTML: names come from files that nobody here trusts.

const data = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("canvas");
const svg = canvas.querySelector("svg");
const view = svg.querySelector(".view");
const panel = document.getElementById("panel");
const search = document.getElementById("search");
const found = document.getElementById("found");
const foldButton = document.getElementById("fold");
const elements = (selector) => [...view.querySelectorAll(selector)];
const nodes = elements(".node"), groups = elements(".group"), wires = elements(".wire");
const segments = new Map(wires.map((wire) => [wire.dataset.segment, wire]));
const wiresOf = new Map(wires.map((wire) => [wire, wire.dataset.wires.split(" ").map(Number)]));
const folded = [...data.folded];
let placed = place(data.drawing, data.plan, folded);
let selected = null;

// ---- Looking around

const camera = { x: 0, y: 0, scale: 1 };

function look() {
  view.setAttribute("transform", `translate(${camera.x},${camera.y}) scale(${camera.scale})`);
  svg.classList.toggle("far", camera.scale < 0.4);
  // Names stay readable as long as they fit their cards.
  svg.style.setProperty("--far", `${(11 / camera.scale).toFixed(1)}px`);
}

function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const scale = Math.min(Math.max(camera.scale * factor, 0.01), 6);
  camera.x = x - (x - camera.x) * (scale / camera.scale);
  camera.y = y - (y - camera.y) * (scale / camera.scale);
  camera.scale = scale;
  look();
}

function fit() {
  const [width, height] = placed.size;
  const scale = Math.min(canvas.clientWidth / width, canvas.clientHeight / height, 1.6);
  camera.scale = Math.max(scale, 0.01);
  camera.x = (canvas.clientWidth - width * camera.scale) / 2;
  camera.y = (canvas.clientHeight - height * camera.scale) / 2;
  look();
}

function center([x, y, width, height]) {
  camera.scale = Math.max(camera.scale, 0.8);
  camera.x = canvas.clientWidth / 2 - (x + width / 2) * camera.scale;
  camera.y = canvas.clientHeight / 2 - (y + height / 2) * camera.scale;
  look();
}

function frameOf(node) {
  const { width, height } = data.drawing.boxes[node];
  return placed.boxes[node] && [...placed.boxes[node], width, height];
}

const pointers = new Map();
let moved = false;
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const bounds = canvas.getBoundingClientRect();
  const step = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
  zoom(Math.exp(-step / 400), event.clientX - bounds.left, event.clientY - bounds.top);
}, { passive: false });
canvas.addEventListener("pointerdown", (event) => {
  if (pointers.size === 0) moved = false;
  pointers.set(event.pointerId, [event.clientX, event.clientY]);
});
window.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const now = [event.clientX, event.clientY];
  if (!moved && Math.hypot(now[0] - before[0], now[1] - before[1]) < 4) return;
  moved = true;
  canvas.classList.add("moving");
  pointers.set(event.pointerId, now);
  const others = [...pointers].filter(([id]) => id !== event.pointerId);
  if (others.length === 1) {
    // Two fingers: the distance between them is the scale.
    const [, other] = others[0];
    const distance = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
    const bounds = canvas.getBoundingClientRect();
    zoom(distance(now) / Math.max(distance(before), 1), (now[0] + other[0]) / 2 - bounds.left,
      (now[1] + other[1]) / 2 - bounds.top);
    return;
  }
  camera.x += now[0] - before[0];
  camera.y += now[1] - before[1];
  look();
});
for (const end of ["pointerup", "pointercancel"]) {
  window.addEventListener(end, (event) => {
    pointers.delete(event.pointerId);
    canvas.classList.remove("moving");
  });
}

// ---- Folding

function redraw() {
  placed = place(data.drawing, data.plan, folded);
  const show = (element, frame) => {
    element.style.display = frame ? "" : "none";
    if (frame) element.setAttribute("transform", `translate(${rounded(frame[0])},${rounded(frame[1])})`);
  };
  nodes.forEach((node, index) => show(node, placed.boxes[index]));
  groups.forEach((group, index) => {
    const frame = placed.groups[index];
    show(group, frame);
    group.classList.toggle("folded", folded[index]);
    if (!frame) return;
    const rect = group.querySelector("rect"), sign = group.querySelector("path");
    rect.setAttribute("width", rounded(frame[2]));
    rect.setAttribute("height", rounded(frame[3]));
    sign.setAttribute("d", folded[index] ? "M0 -4L4 0L0 4" : "M-2 -2L2 2L6 -2");
  });
  placed.curves.forEach((curves, level) => curves.forEach((curve, index) => {
    segments.get(`${level}.${index}`).setAttribute("d", curve);
  }));
  nameFoldButton();
}

function nameFoldButton() {
  foldButton.hidden = groups.length === 0;
  foldButton.textContent = folded.every((is) => is) ? "Unfold all" : "Fold all";
}

function fold(group, is) {
  const before = placed.groups[group];
  folded[group] = is;
  redraw();
  // What was clicked stays under the pointer.
  const after = placed.groups[group];
  if (before && after) {
    camera.x += (before[0] - after[0]) * camera.scale;
    camera.y += (before[1] - after[1]) * camera.scale;
    look();
  }
}

/** Unfolds the groups around something. */
function reveal(group) {
  let changed = false;
  for (; group !== null; group = data.groups[group].parent) {
    changed ||= folded[group];
    folded[group] = false;
  }
  if (changed) redraw();
}

foldButton.addEventListener("click", () => {
  const is = !folded.every((known) => known);
  folded.fill(is);
  redraw();
  fit();
});

// ---- Choosing

canvas.addEventListener("click", (event) => {
  if (moved) return;
  const node = event.target.closest(".node"), group = event.target.closest(".group");
  const wire = event.target.closest(".wire");
  if (node) chooseNode(Number(node.dataset.node));
  else if (wire) chooseWire(wire);
  else if (group && (event.target.closest(".sign") || folded[group.dataset.group])) {
    fold(Number(group.dataset.group), !folded[group.dataset.group]);
  } else if (group && event.target.tagName === "text") chooseGroup(Number(group.dataset.group));
  else close();
});

function highlight(element, isChosen, isNear) {
  nodes.concat(groups).forEach((known) => known.classList.toggle("selected", known === element));
  svg.classList.toggle("choosing", Boolean(isChosen));
  wires.forEach((wire) => {
    wire.classList.toggle("chosen", Boolean(isChosen) && wiresOf.get(wire).some(isChosen));
  });
  nodes.forEach((node, index) => node.classList.toggle("near", Boolean(isChosen) && isNear(index)));
}

function chooseNode(node) {
  selected = node;
  const touches = (wire) => data.wires[wire].from === node || data.wires[wire].to === node;
  const near = new Set([node]);
  data.wires.forEach((wire) => {
    if (wire.from === node) near.add(wire.to);
    if (wire.to === node) near.add(wire.from);
  });
  highlight(nodes[node], touches, (index) => near.has(index));
  showNode(node);
  bringIntoView(frameOf(node));
}

function chooseGroup(group) {
  highlight(groups[group], null);
  const { name, components } = data.groups[group];
  show(name, "subgraph", components.map(component));
}

function chooseWire(element) {
  const chosen = new Set(wiresOf.get(element));
  const near = new Set([...chosen].flatMap((wire) => [data.wires[wire].from, data.wires[wire].to]));
  highlight(null, (wire) => chosen.has(wire), (index) => near.has(index));
  show(chosen.size === 1 ? "Connection" : `${chosen.size} connections`, "", [wireList([...chosen])]);
}

function close() {
  selected = null;
  panel.hidden = true;
  highlight(null, null);
}

// ---- The panel

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null));
  return element;
}

function show(title, kind, children) {
  const button = make("button", "close", "×");
  button.setAttribute("aria-label", "Close");
  button.addEventListener("click", close);
  panel.replaceChildren(button, make("h2", "", title), make("div", "type", kind), ...children);
  panel.hidden = false;
  panel.scrollTop = 0;
}

function link(node) {
  const name = make("a", "", data.nodes[node].name);
  name.tabIndex = 0;
  const go = () => {
    reveal(data.nodes[node].group);
    chooseNode(node);
    center(frameOf(node));
  };
  name.addEventListener("click", go);
  name.addEventListener("keydown", (event) => event.key === "Enter" && go());
  return name;
}

function table(rows) {
  return rows.length === 0 ? null : make("table", "", ...rows);
}

function row(key, ...value) {
  return make("tr", "", make("td", "", key), make("td", "", ...value));
}

function component({ name, type, place, parameters = [], measured = [] }) {
  const known = data.types[type];
  const rows = parameters.map(({ key, value, default: isDefault, nodes = [] }) => {
    const [unit, about] = known.parameters[key];
    const text = value === undefined ? "—" : unit ? `${value} ${unit}` : value;
    const line = row(key, text);
    line.title = about;
    if (isDefault) line.lastChild.className = "default";
    const others = [...new Set(nodes)].filter((node) => node !== selected);
    for (const node of others) line.lastChild.append(" → ", link(node));
    return line;
  });
  return make("section", "",
    make("b", "", name || type), name ? make("div", "type", type) : null,
    known.about ? make("div", "about", known.about) : null,
    table(rows.concat(measured.map(([key, value]) => row(key, value)))),
    place ? make("div", "place", place) : null);
}

function wireList(chosen) {
  return make("ul", "", ...chosen.slice(0, 200).map((wire) => {
    const { text, place, from, to } = data.wires[wire];
    const ends = from === selected ? ["→ ", link(to)] : to === selected ? ["← ", link(from)]
      : [link(from), " → ", link(to)];
    return make("li", "", ...ends, make("div", "about", text),
      place ? make("div", "place", place) : null);
  }), ...(chosen.length > 200 ? [make("li", "", `and ${chosen.length - 200} more`)] : []));
}

/** Moves the drawing as far as it takes to see a node beside the panel. */
function bringIntoView([x, y, width, height]) {
  // The beginning counts more than the end.
  const shift = (start, length, room) =>
    (start < 20 ? 20 - start : Math.max(Math.min(0, room - 20 - start - length), 20 - start));
  const all = canvas.getBoundingClientRect(), covered = panel.getBoundingClientRect();
  // On a narrow screen the panel lies over the lower part of the drawing.
  const free = covered.left <= all.left ? covered.top - all.top : all.height;
  camera.x += shift(camera.x + x * camera.scale, width * camera.scale, all.width);
  camera.y += shift(camera.y + y * camera.scale, height * camera.scale, free);
  look();
}

function showNode(node) {
  const { name, kind, terms, measured, components } = data.nodes[node];
  const touching = data.wires.flatMap((wire, index) =>
    wire.from === node || wire.to === node ? [index] : []);
  const users = data.nodes.flatMap((other, index) => index !== node && other.components.some(
    (known) => (known.parameters ?? []).some(({ nodes }) => nodes?.includes(node))) ? [index] : []);
  const titled = (title, content) => content && [make("h3", "", title), content];
  show(name, kind, [
    titled("Measured", table(measured.map(([key, value]) => row(key, value)))),
    titled("Runs when", terms.length && make("ul", "", ...terms.map((term) => make("li", "", term)))),
    titled("Connections", touching.length && wireList(touching)),
    titled("Used by", users.length && make("ul", "",
      ...users.slice(0, 50).map((user) => make("li", "", link(user))),
      ...(users.length > 50 ? [make("li", "", `and ${users.length - 50} more`)] : []))),
    titled("Components", components.length && make("div", "", ...components.map(component))),
  ].filter(Boolean).flat());
}

// ---- Search

let hits = [], next = 0;
const words = data.nodes.map(({ name, components }) => [name, ...components.flatMap(
  ({ name, type, parameters = [] }) => [name, type, ...parameters.map(({ value }) => value ?? "")],
)].join("\n").toLowerCase());

function find() {
  const wanted = search.value.trim().toLowerCase();
  hits = wanted === "" ? [] : words.flatMap((text, node) => (text.includes(wanted) ? [node] : []));
  // Names before everything else that may contain the text.
  const inName = (node) => !data.nodes[node].name.toLowerCase().includes(wanted);
  hits.sort((one, other) => inName(one) - inName(other) || one - other);
  next = 0;
  found.textContent = wanted === "" ? "" : hits.length === 0 ? "nothing" : `${hits.length} found`;
  svg.classList.toggle("searching", hits.length > 0);
  const isHit = new Set(hits), holding = new Set();
  for (const node of hits) {
    for (let at = data.nodes[node].group; at !== null; at = data.groups[at].parent) holding.add(at);
  }
  nodes.forEach((node, index) => node.classList.toggle("hit", isHit.has(index)));
  groups.forEach((group, index) => group.classList.toggle("holding", holding.has(index)));
}

function showNext() {
  if (hits.length === 0) return;
  const node = hits[next % hits.length];
  next++;
  found.textContent = `${((next - 1) % hits.length) + 1} of ${hits.length}`;
  reveal(data.nodes[node].group);
  chooseNode(node);
  svg.classList.remove("searching");
  center(frameOf(node));
}

search.addEventListener("input", find);
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") showNext();
  if (event.key === "Escape") {
    search.value = "";
    find();
    search.blur();
  }
  event.stopPropagation();
});

// ---- Keys and buttons

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = {
    "/": () => search.focus(), "+": () => zoom(1.25), "-": () => zoom(0.8), 0: fit, Escape: close,
    ArrowLeft: () => (camera.x += 60), ArrowRight: () => (camera.x -= 60),
    ArrowUp: () => (camera.y += 60), ArrowDown: () => (camera.y -= 60),
  };
  if (!(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
  look();
});
document.getElementById("larger").addEventListener("click", () => zoom(1.25));
document.getElementById("smaller").addEventListener("click", () => zoom(0.8));
document.getElementById("fit").addEventListener("click", fit);
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
});

nodes.forEach((node, index) => {
  const name = node.querySelector(".name"), { width } = data.drawing.boxes[index];
  const fits = Math.min((width - 12) / (0.62 * Math.max(name.textContent.length, 1)), 36);
  name.style.setProperty("--fit", `${fits.toFixed(1)}px`);
  node.tabIndex = 0;
  node.addEventListener("keydown", (event) => event.key === "Enter" && chooseNode(index));
});
svg.removeAttribute("viewBox");
svg.removeAttribute("width");
svg.removeAttribute("height");
nameFoldButton();
fit();
