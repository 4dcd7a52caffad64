// What a person does with the page: look around, search, click, fold. Only texts are put into the
// page, never HTML: names come from files that nobody here trusts.
"use strict";

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
const wiresOf = new Map(wires.map((wire) => [wire, wire.dataset.wires.split(" ").map(Number)]));
const folded = [...data.folded];
let selected = null;

// ---- Looking around

const camera = { x: 0, y: 0, scale: 1 };
/** The scale for which there are labels. */
let labelled = null;

function look() {
  view.setAttribute("transform", `translate(${camera.x},${camera.y}) scale(${camera.scale})`);
  if (labelled !== camera.scale) label();
}

function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const scale = Math.min(Math.max(camera.scale * factor, 0.01), 6);
  camera.x = x - (x - camera.x) * (scale / camera.scale);
  camera.y = y - (y - camera.y) * (scale / camera.scale);
  camera.scale = scale;
  look();
}

function fit() {
  const [width, height] = shown.size;
  // Labels may be wider than what they name.
  const scale = Math.min((canvas.clientWidth - 80) / width, canvas.clientHeight / height, 1.6);
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

// ---- Labels

/** Below this scale, labels replace the texts on cards. */
const FAR = 0.5;
/** On the screen: width of a character, and height of a label. */
const CHARACTER = 7, LABEL = 15;
/** Characters of the longest label, of a cut one, and of one cut in favour of its neighbours. */
const LONGEST = 28, SHORTEST = 6, ENOUGH = 10;

const labels = view.appendChild(document.createElementNS(svg.namespaceURI, "g"));
labels.setAttribute("class", "labels");
const degrees = data.nodes.map(() => 0);
data.wires.forEach(({ from, to }) => [from, to].forEach((node) => degrees[node]++));

/** A name without that of the group. */
function within(group, name) {
  const around = group === null ? "" : `${data.groups[group].name}.`;
  return name.startsWith(around) ? name.slice(around.length) : name;
}

/** Names and where they belong, the most important first. */
function names() {
  const found = (element) => element.matches(".selected, .hit");
  const dims = svg.matches(".choosing, .searching");
  const known = nodes.map((element, node) => ({
    frame: shown.nodes[node], name: within(data.nodes[node].group, data.nodes[node].name),
    rank: found(element) ? 3 : element.matches(".near") ? 2 : 0, degree: degrees[node],
    kind: dims && !element.matches(".selected, .hit, .near") ? "dim" : "",
  })).concat(groups.map((_, group) => ({
    frame: shown.groups[group], name: within(data.groups[group].parent, data.groups[group].name),
    rank: 1, degree: 0, kind: folded[group] ? "group" : "group open",
  })));
  return known.filter(({ frame }) => frame).sort((one, other) =>
    other.rank - one.rank || other.degree - one.degree);
}

/** From far away, puts as many names on the drawing as there is room for, as on a map. */
function label() {
  const { scale } = camera, rows = new Map(), texts = [];
  labelled = scale;
  svg.classList.toggle("far", scale < FAR);
  labels.style.setProperty("--unit", `${(1 / scale).toFixed(3)}px`);
  for (const { frame, name, kind } of scale < FAR ? names() : []) {
    const characters = [...name];
    // Between columns there is room for a little more than the frame has.
    const room = Math.floor((frame[2] + 2 * AROUND[0]) * scale / CHARACTER);
    const lengths = room >= ENOUGH ? [Math.min(room, LONGEST)] : [LONGEST, room];
    for (const length of lengths.map((most) => Math.min(most, characters.length))) {
      if (length < Math.min(SHORTEST, characters.length)) continue;
      const half = length * CHARACTER / 2;
      // On the screen, wherever the camera is.
      const [x, y] = kind === "group open" ? [frame[0] * scale + half + 4, frame[1] * scale + 10]
        : [(frame[0] + frame[2] / 2) * scale, (frame[1] + frame[3] / 2) * scale];
      const row = Math.floor(y / LABEL);
      const beside = [row - 1, row, row + 1].flatMap((near) => rows.get(near) ?? []);
      if (beside.some((other) =>
        Math.abs(other.y - y) < LABEL && Math.abs(other.x - x) < other.half + half)) continue;
      rows.set(row, [...(rows.get(row) ?? []), { x, y, half }]);
      const element = document.createElementNS(svg.namespaceURI, "text");
      element.setAttribute("class", kind);
      element.setAttribute("x", tenths(x / scale));
      element.setAttribute("y", tenths(y / scale));
      // Names often differ at their end.
      const end = Math.floor(length / 3), begin = length - 1 - end;
      element.textContent = length === characters.length ? name
        : `${characters.slice(0, begin).join("")}…${characters.slice(-end).join("")}`;
      texts.push(element);
      break;
    }
  }
  labels.replaceChildren(...texts);
}

// ---- Folding
//
// gxe places everything with all subgraphs open. To fold one hides its content and takes the strips
// out of the drawing that nothing visible needs. What is visible keeps its order and its distances.

/** Space around a node, for wires. */
const AROUND = [30, 11];
/** Space between the frame of a subgraph and its content: left and top, right and bottom. */
const BEFORE = [24, 40], AFTER = [24, 20];

function frameIn(element) {
  const { e, f } = element.transform.baseVal.getItem(0).matrix;
  const { width, height } = element.querySelector("rect");
  return [e, f, width.baseVal.value, height.baseVal.value];
}

/** What gxe placed: left, top, width and height of all frames, and the curves. */
const placed = {
  nodes: nodes.map(frameIn), groups: groups.map(frameIn),
  titles: groups.map((group) => group.querySelector("text").getComputedTextLength() + 40),
  curves: wires.map((wire) => wire.getAttribute("d")),
  size: [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height],
};
/** Where it is now, without what is hidden. */
let shown = placed;

const tenths = (number) => Math.round(number * 10) / 10;
const isOpen = (group) =>
  group === null || (!folded[group] && isOpen(data.groups[group].parent));

/** A curve is a list of points: x and y take turns. */
function mapped(curve, maps) {
  let index = 0;
  return curve.replace(/-?[\d.]+/g, (number) => tenths(maps[index++ % 2](Number(number))));
}

/** Coordinates of one axis after strips are taken out: what is in `spare` and not in `needed`. */
function without(spare, needed) {
  const strips = [], edges = [];
  for (const [from, to] of spare) edges.push([from, 1, 0], [to, -1, 0]);
  for (const [from, to] of needed) edges.push([from, 0, 1], [to, 0, -1]);
  edges.sort((one, other) => one[0] - other[0]);
  let isSpare = 0, isNeeded = 0, before = 0;
  for (const [at, spare, needed] of edges) {
    if (isSpare > 0 && isNeeded === 0 && at > before) strips.push([before, at]);
    before = at;
    isSpare += spare;
    isNeeded += needed;
  }
  return (value) => strips.reduce((result, [from, to]) =>
    result - Math.min(Math.max(value - from, 0), to - from), value);
}

/** The same drawing with the groups as they are folded now. */
function squeezed() {
  const open = data.groups.map((_, group) => isOpen(group));
  const around = (group) => group === null || open[group];
  const groupsShown = data.groups.map(({ parent }) => around(parent));
  const nodesShown = data.nodes.map(({ group }) => around(group));
  const levels = wires.map(({ dataset }) => (dataset.group ? Number(dataset.group) : null));
  const spare = [[], []], needed = [[], []];
  placed.nodes.forEach((frame, node) => nodesShown[node] && [0, 1].forEach((axis) => {
    const from = frame[axis], to = from + frame[axis + 2];
    needed[axis].push([from - AROUND[axis], to + AROUND[axis]]);
  }));
  placed.groups.forEach((frame, group) => groupsShown[group] && [0, 1].forEach((axis) => {
    const from = frame[axis], to = from + frame[axis + 2];
    const title = axis === 0 ? placed.titles[group] : 0;
    needed[axis].push([from - AROUND[axis], from + Math.max(BEFORE[axis], title)]);
    needed[axis].push([to - AFTER[axis], to + AROUND[axis]]);
    if (folded[group]) spare[axis].push([from, to]);
  }));
  placed.curves.forEach((curve, wire) => around(levels[wire]) && curve.match(/-?[\d.]+/g).forEach(
    (text, index) => needed[index % 2].push([Number(text) - 5, Number(text) + 5])));
  const maps = [0, 1].map((axis) => without(spare[axis], needed[axis]));
  const at = ([x, y]) => [maps[0](x), maps[1](y)];
  return {
    nodes: placed.nodes.map((frame, node) =>
      nodesShown[node] ? [...at(frame), frame[2], frame[3]] : null),
    groups: placed.groups.map(([x, y, width, height], group) => {
      const [left, top] = at([x, y]), [right, bottom] = at([x + width, y + height]);
      return groupsShown[group] ? [left, top, right - left, bottom - top] : null;
    }),
    curves: placed.curves.map((curve, wire) => (around(levels[wire]) ? mapped(curve, maps) : null)),
    size: at(placed.size),
  };
}

function redraw() {
  shown = squeezed();
  const show = (element, frame) => {
    element.style.display = frame ? "" : "none";
    if (frame) element.setAttribute("transform", `translate(${tenths(frame[0])},${tenths(frame[1])})`);
  };
  nodes.forEach((node, index) => show(node, shown.nodes[index]));
  groups.forEach((group, index) => {
    const frame = shown.groups[index];
    show(group, frame);
    group.classList.toggle("folded", folded[index]);
    if (!frame) return;
    const rect = group.querySelector("rect"), sign = group.querySelector("path");
    rect.setAttribute("width", tenths(frame[2]));
    rect.setAttribute("height", tenths(frame[3]));
    sign.setAttribute("d", folded[index] ? "M0 -4L4 0L0 4" : "M-2 -2L2 2L6 -2");
  });
  wires.forEach((wire, index) => {
    wire.style.display = shown.curves[index] === null ? "none" : "";
    if (shown.curves[index] !== null) wire.setAttribute("d", shown.curves[index]);
  });
  nameFoldButton();
  label();
}

function nameFoldButton() {
  foldButton.hidden = groups.length === 0;
  foldButton.textContent = folded.every((is) => is) ? "Unfold all" : "Fold all";
}

function fold(group, is) {
  const before = shown.groups[group];
  folded[group] = is;
  redraw();
  // What was clicked stays under the pointer.
  const after = shown.groups[group];
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
  } else if (group && event.target.closest("text")) chooseGroup(Number(group.dataset.group));
  else close();
});

function highlight(element, isChosen, isNear) {
  nodes.concat(groups).forEach((known) => known.classList.toggle("selected", known === element));
  svg.classList.toggle("choosing", Boolean(isChosen));
  wires.forEach((wire) => {
    wire.classList.toggle("chosen", Boolean(isChosen) && wiresOf.get(wire).some(isChosen));
  });
  nodes.forEach((node, index) => node.classList.toggle("near", Boolean(isChosen) && isNear(index)));
  label();
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
  bringIntoView(shown.nodes[node]);
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
  const parts = children.filter((child) => child !== null);
  element.append(...parts.flatMap((child) => (typeof child === "string" ? breakable(child) : child)));
  return element;
}

/** A text that may break within a name where a part of the name ends, but not within a part. */
function breakable(text) {
  const parts = text.split(/(?<=::|[\/,:_](?=[^\s:])|[.](?=[A-Za-z])|[a-z0-9](?=[A-Z]))/);
  return parts.flatMap((part, index) => (index > 0 ? [document.createElement("wbr"), part] : [part]));
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
    center(shown.nodes[node]);
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

/** What adds to the panel of a node. */
const onShow = [];

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
  onShow.forEach((add) => add(node));
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
  label();
}

function showNext() {
  if (hits.length === 0) return;
  const node = hits[next % hits.length];
  next++;
  found.textContent = `${((next - 1) % hits.length) + 1} of ${hits.length}`;
  reveal(data.nodes[node].group);
  chooseNode(node);
  svg.classList.remove("searching");
  center(shown.nodes[node]);
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
  node.tabIndex = 0;
  node.addEventListener("keydown", (event) => event.key === "Enter" && chooseNode(index));
});
svg.removeAttribute("viewBox");
svg.removeAttribute("width");
svg.removeAttribute("height");
redraw();
fit();
