"use strict";
const charts = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("charts");
const LANE = 26, TOP = 36, MARGIN = 44;
const NAMES = 24 + 6.6 * Math.max(8, ...charts.flatMap((chart) => chart.lanes.map((lane) => lane.length)));
let zoom = 1;

function make(tag, attributes, parent, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function time(ns) {
  for (const [unit, length] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (Math.abs(ns) >= length) return `${+(ns / length).toFixed(3)} ${unit}`;
  }
  return `${ns} ns`;
}

/** The step between two ticks of the axis: 1, 2 or 5 times a power of ten. */
function step(length, wanted) {
  const rough = Math.max(1, length / wanted), power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}

function color(epoch, frame) {
  const hue = (200 + epoch * 137.5) % 360;
  return `hsl(${hue} 60% ${frame % 2 ? 74 : 66}%)`;
}

function draw(chart, holder) {
  holder.textContent = "";
  const width = Math.max(300, main.clientWidth - 34 - NAMES - MARGIN) * zoom;
  const x = (ns) => NAMES + (ns / chart.length) * width;
  const y = (lane) => TOP + lane * LANE;
  const height = y(chart.lanes.length) + MARGIN;
  const svg = make("svg", { width: NAMES + width + MARGIN, height, role: "img" }, holder);
  svg.classList.toggle("critical", document.getElementById("critical").checked);
  svg.classList.toggle("arrows", document.getElementById("arrows").checked);
  const marker = make("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4,
    markerWidth: 6, markerHeight: 6, orient: "auto" }, make("defs", {}, svg));
  make("path", { d: "M0 0 8 4 0 8z", fill: "var(--back)" }, marker);
  const distance = step(chart.length, width / 110);
  for (let at = 0; at <= chart.length; at += distance) {
    make("line", { class: "rule", x1: x(at), x2: x(at), y1: 16, y2: height - MARGIN }, svg);
    make("text", { x: x(at) + 2, y: 12, class: "lane" }, svg, time(at));
  }
  chart.lanes.forEach((name, lane) => {
    make("line", { class: "rule", x1: 0, x2: x(chart.length), y1: y(lane), y2: y(lane) }, svg);
    make("text", { class: "lane", x: 8, y: y(lane) + 17 }, svg, name);
  });
  chart.epochs.forEach(([name, starts]) => starts.forEach((start, frame) => {
    if (starts.length === 1 && start === 0) return;
    make("line", { class: "frame", x1: x(start), x2: x(start), y1: 20, y2: height - MARGIN }, svg);
    make("text", { class: "frame-name", x: x(start) + 3, y: 30 }, svg, `${name} ${frame}`);
  }));
  chart.bars.forEach((bar, index) => bar.lanes.forEach((lane, order) => {
    const left = x(bar.start), wide = Math.max(1, x(bar.end) - left);
    const group = make("g", { class: "bar", "data-name": bar.name, "data-index": index }, svg);
    group.classList.toggle("held", order > 0);
    group.classList.toggle("fused", bar.fused);
    group.classList.toggle("is-critical", bar.critical);
    make("rect", { x: left, y: y(lane) + 3, width: wide, height: LANE - 6, rx: 2,
      fill: color(bar.epoch, bar.frame) }, group);
    if (bar.measured && order === 0) {
      const [from, to] = bar.measured;
      make("rect", { class: "measured", x: x(from), y: y(lane) + LANE - 9,
        width: Math.max(1, x(to) - x(from)), height: 6 }, group);
    }
    make("title", {}, group, `${bar.name}@${bar.frame}: ${time(bar.start)} to ${time(bar.end)}`);
    const label = bar.name.slice(bar.name.indexOf(".") + 1);
    if (wide > label.length * 6.5 + 6) make("text", { x: left + 4, y: y(lane) + 17 }, group, label);
    group.addEventListener("click", () => show(chart, index));
  }));
  for (const [from, to] of chart.arrows) {
    const [first, second] = [chart.bars[from], chart.bars[to]];
    const [x1, y1] = [x(first.end), y(first.lanes[0]) + LANE / 2];
    const [x2, y2] = [x(second.start), y(second.lanes[0]) + LANE / 2];
    const bend = Math.max(10, (x2 - x1) / 2);
    make("path", { class: "arrow", d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }, svg);
  }
}

function show(chart, index) {
  document.getElementById("panel")?.remove();
  const bar = chart.bars[index], panel = document.createElement("aside");
  panel.id = "panel";
  const title = document.createElement("h3");
  title.textContent = `${bar.name}@${bar.frame}`;
  const list = document.createElement("dl");
  const rows = [
    ["epoch", `${chart.name}.${chart.epochs[bar.epoch][0]}`],
    ["start", time(bar.start)], ["end", time(bar.end)], ["length", time(bar.end - bar.start)],
    ["holds", bar.lanes.map((lane) => chart.lanes[lane]).join(", ")],
    ["waits for", bar.after.join(", ") || "the one before it"],
  ];
  if (bar.measured) {
    const [from, to, count] = bar.measured;
    rows.push(["measured", `${time(from)} to ${time(to)}, median of ${count}`]);
  }
  if (bar.critical) rows.push(["critical", "delays the end"]);
  if (bar.fused) rows.push(["joined", "to the one before it"]);
  for (const [name, value] of rows) {
    const [term, text] = [document.createElement("dt"), document.createElement("dd")];
    [term.textContent, text.textContent] = [name, value];
    list.append(term, text);
  }
  panel.append(title, list);
  panel.addEventListener("click", () => panel.remove());
  document.body.append(panel);
}

const holders = charts.map((chart) => {
  const title = document.createElement("h2"), about = document.createElement("small");
  const cycle = chart.cycles > 1 ? `, cycle ${chart.cycle + 1} of ${chart.cycles}` : "";
  title.textContent = `${chart.name}${cycle} `;
  const gap = chart.bound > 0 ? (chart.makespan / chart.bound - 1) * 100 : 0;
  about.textContent = `${time(chart.makespan)}, ` +
    (chart.makespan === chart.bound ? "optimal" : `at most ${gap.toFixed(2)} % above the best`);
  title.append(about);
  const holder = document.createElement("div");
  holder.className = "scroll";
  main.append(title, holder);
  return holder;
});

function redraw() {
  charts.forEach((chart, index) => draw(chart, holders[index]));
  search();
}

function search() {
  const wanted = document.getElementById("search").value.trim().toLowerCase();
  let found = 0;
  for (const bar of document.querySelectorAll(".bar")) {
    const hit = wanted !== "" && bar.dataset.name.toLowerCase().includes(wanted);
    bar.classList.toggle("chosen", hit);
    bar.classList.toggle("missed", wanted !== "" && !hit);
    if (hit && !bar.classList.contains("held")) found += 1;
  }
  document.getElementById("found").textContent = wanted === "" ? "" : `${found} found`;
}

function zoomTo(value) {
  zoom = Math.min(500, Math.max(1, value));
  redraw();
}

document.getElementById("search").addEventListener("input", search);
document.getElementById("critical").addEventListener("change", redraw);
document.getElementById("arrows").addEventListener("change", redraw);
document.getElementById("smaller").addEventListener("click", () => zoomTo(zoom / 1.5));
document.getElementById("larger").addEventListener("click", () => zoomTo(zoom * 1.5));
document.getElementById("fit").addEventListener("click", () => zoomTo(1));
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input[type=search]")) return;
  const action = { "+": () => zoomTo(zoom * 1.5), "-": () => zoomTo(zoom / 1.5), 0: () => zoomTo(1),
    "/": () => document.getElementById("search").focus() }[event.key];
  if (action) { event.preventDefault(); action(); }
});
addEventListener("resize", redraw);
redraw();
