
// ---- The run
//
// Updates arrive a few times a second; what a person wants goes to the run as requests of the
// control socket. Texts are set as texts, as everywhere on this page.

const stage = document.getElementById("stage"), said = document.getElementById("said");
const logView = document.getElementById("log"), logButton = document.getElementById("show-log");
const pauseButton = document.getElementById("pause"), stepButton = document.getElementById("step");
const traceButton = document.getElementById("trace");
/** Most lines of the log on the page. */
const LINES = 1000;
/** Characters of a line on a card. */
const ROOM = 31;

const nodeOf = new Map(data.nodes.map(({ name }, node) => [name, node]));
const shortName = (name) => name.slice(name.lastIndexOf("::") + 1).replace(/^:/, "");
const liveParts = nodes.map((element) => ({
  rate: element.querySelector(".live-rate"), now: element.querySelector(".live-now"),
  heat: element.querySelector(".heat"), title: element.querySelector("title"),
  fills: new Map([...element.querySelectorAll(".fill")].map((fill) => [fill.dataset.queue, fill])),
}));
/** By node: what the run said of the entity last, and its ticks a second. */
const known = data.nodes.map(() => null);
/** Ticks by entity, and when the page learned them. */
let before = null;
let isPaused = false, isRecording = false, isOver = false;

function digits(number) {
  const decimals = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return String(Number(number.toFixed(decimals)));
}

function scaled(number, units) {
  let [value, unit] = [number, units[0]];
  for (const next of units.slice(1)) {
    if (value < 999.5) break;
    [value, unit] = [value / 1000, next];
  }
  return `${digits(value)} ${unit}`;
}

const hertz = (rate) => scaled(rate, ["Hz", "kHz", "MHz"]);
const time = (nanoseconds) => scaled(nanoseconds, ["ns", "µs", "ms", "s"]);
const cut = (text) => (text.length > ROOM ? `${text.slice(0, ROOM - 1)}…` : text);

/** What an entity does, in a few words. */
function nowText(entity) {
  const lost = entity.queues.reduce((sum, queue) => sum + (queue.lost ?? 0), 0);
  if (lost > 0) return `${lost} messages lost`;
  if (entity.missed_deadlines) return `${entity.missed_deadlines} deadlines missed`;
  if (entity.inside) return `in ${entity.inside.function} of ${shortName(entity.inside.codelet)}`;
  // The card is the entity; the panel has the rest.
  if (entity.waits) return `waits ${entity.waits.split(", which ")[0].replace(`\`${entity.name}/`, "`")}`;
  return entity.state === "idle" ? "" : entity.state;
}

function learn({ graph, status }) {
  if (graph !== data.live) {
    location.reload();
    return;
  }
  const now = performance.now(), ticks = new Map();
  isPaused = status.state === "paused";
  stage.textContent = status.state;
  stage.className = isPaused ? "paused" : "";
  pauseButton.textContent = isPaused ? "Resume" : "Pause";
  stepButton.disabled = !isPaused;
  for (const entity of status.entities) {
    ticks.set(entity.name, entity.ticks);
    const node = nodeOf.get(entity.name);
    if (node === undefined || !liveParts[node].rate) continue;
    const last = before?.ticks.get(entity.name);
    const rate = last === undefined ? null
      : Math.max(entity.ticks - last, 0) * 1000 / Math.max(now - before.at, 1);
    known[node] = { ...entity, rate };
    showEntity(node);
  }
  before = { at: now, ticks };
  if (selected !== null && known[selected]) refreshPanel();
}

function showEntity(node) {
  const entity = known[node], parts = liveParts[node], text = nowText(entity);
  const { rate, tick_ns: took } = entity;
  parts.rate.textContent = [rate === null ? `${entity.ticks} ticks` : hertz(rate),
    took ? time(took.median) : null].filter(Boolean).join(" · ");
  parts.now.textContent = cut(text);
  parts.title.textContent = `${entity.name}\n${entity.state}\n${text}`;
  const load = took && rate ? Math.min(rate * took.median / 1e9, 1) : 0;
  parts.heat?.setAttribute("fill-opacity", (0.4 * Math.sqrt(load)).toFixed(2));
  const element = nodes[node];
  const lost = entity.queues.some((queue) => queue.lost);
  element.classList.toggle("trouble", lost || Boolean(entity.missed_deadlines));
  element.classList.toggle("inside", Boolean(entity.inside));
  element.classList.toggle("over", entity.state === "not started" && entity.ticks > 0);
  for (const queue of entity.queues) {
    const fill = parts.fills.get(shortName(queue.name));
    if (fill) showFill(fill, queue);
  }
}

function showFill(fill, { messages, capacity }) {
  let bar = fill.querySelector(".half");
  const room = fill.querySelector(".bar");
  if (!bar) {
    bar = room.cloneNode();
    bar.setAttribute("class", "half");
    fill.append(bar);
  }
  const share = Math.min(messages / Math.max(capacity, 1), 1);
  bar.setAttribute("width", tenths(share * Number(room.getAttribute("width"))));
  const label = fill.previousElementSibling;
  if (label?.matches(".queue")) label.textContent = `${messages} of ${capacity}`;
}

// ---- The panel of an entity that runs

let panelParts = null;
let looks = new Map();

onShow.push((node) => {
  looks = new Map();
  panelParts = null;
  if (!liveParts[node].rate) return;
  const now = make("table", ""), settings = make("div", "");
  panelParts = { node, now, settings, messages: make("div", "") };
  panel.querySelector(".type").after(make("h3", "", "Now"), now, panelParts.messages, settings);
  if (known[node]) refreshPanel();
  fillSettings(node, settings);
});

function refreshPanel() {
  if (!panelParts || panelParts.node !== selected) return;
  const entity = known[selected], took = entity.tick_ns;
  const rows = [row("state", entity.state), row("ticks", String(entity.ticks))];
  if (entity.rate !== null) rows.push(row("rate", hertz(entity.rate)));
  if (took) rows.push(row("time of a tick", time(took.median)), row("longest tick", time(took.max)));
  if (entity.missed_deadlines) rows.push(row("missed deadlines", String(entity.missed_deadlines)));
  if (entity.inside) rows.push(row("inside", `${entity.inside.function} of ${entity.inside.codelet}`));
  if (entity.waits) rows.push(row("waits", entity.waits));
  // Buttons stay, so that a click cannot miss one.
  const buttons = new Map([...panelParts.now.querySelectorAll("tr[data-queue]")].map(
    (line) => [line.dataset.queue, line]));
  for (const queue of entity.queues) {
    const text = `${queue.messages} of ${queue.capacity}${queue.lost ? `, ${queue.lost} lost` : ""} `;
    let line = buttons.get(queue.name);
    if (!line) {
      const button = make("button", "", "Look");
      button.title = "Look at the messages of this queue";
      button.addEventListener("click", () => toggleLook(entity.name, queue.name, button));
      line = make("tr", "", make("td", "", shortName(queue.name)), make("td", "", make("span", ""), button));
      line.dataset.queue = queue.name;
    }
    line.querySelector("span").textContent = text;
    rows.push(line);
  }
  const old = [...panelParts.now.children];
  if (old.length === rows.length && rows.every((line, index) => !line.dataset.queue || line === old[index])) {
    rows.forEach((line, index) => line.dataset.queue || old[index].replaceWith(line));
  } else {
    panelParts.now.replaceChildren(...rows);
  }
  for (const look of looks.values()) lookAgain(look);
}

function toggleLook(entity, queue, button) {
  const open = looks.get(queue);
  if (open) {
    open.view.remove();
    looks.delete(queue);
    button.textContent = "Look";
    return;
  }
  const look = { queue: `${entity}/${queue}`, view: make("div", "look", "waiting for a message …") };
  looks.set(queue, look);
  panelParts.messages.append(look.view);
  button.textContent = "Close";
  lookAgain(look);
}

async function lookAgain(look) {
  if (look.isAsking || isOver) return;
  look.isAsking = true;
  const answer = await ask({ command: "look", queue: look.queue }, true);
  look.isAsking = false;
  if (answer.ok) {
    look.view.replaceChildren(...messageParts(look.queue, answer.message));
  } else if (!look.view.querySelector("pre")) {
    look.view.textContent = answer.error;
  }
}

function messageParts(queue, { acquired_ns: acquired, payloads, more }) {
  const parts = [make("b", "", queue)];
  if (acquired !== null) parts.push(make("div", "type", `acquired at ${acquired} ns`));
  for (const { name, type, text, numbers, picture } of payloads) {
    if (name === "timestamp") continue;
    parts.push(make("div", "type", `${name || "unnamed"}: ${shortName(type)}`));
    const content = document.createElement("pre");
    content.textContent = text;
    parts.push(content);
    if (numbers) {
      const { minimum, maximum, mean, missing, read } = numbers;
      const short = (number) => (number === null ? "—" : String(Number(number.toPrecision(6))));
      parts.push(make("div", "about", `from ${short(minimum)} to ${short(maximum)}, mean ${short(mean)}`
        + `${missing ? `, ${missing} missing` : ""} (${read} read)`));
    }
    if (picture) parts.push(drawn(picture));
  }
  if (more) parts.push(make("div", "about", `and ${more} more payloads`));
  return parts;
}

function drawn({ width, height, rgb }) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d"), image = context.createImageData(width, height);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const value = Number.parseInt(rgb.slice(6 * pixel, 6 * pixel + 6), 16);
    image.data.set([value >> 16, (value >> 8) & 255, value & 255, 255], 4 * pixel);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

async function fillSettings(node, settings) {
  const answer = await ask({ command: "parameters" }, true);
  const prefix = `${data.nodes[node].name}/`;
  const own = (answer.parameters ?? []).filter(({ parameter }) => parameter.startsWith(prefix));
  if (own.length === 0 || panelParts?.node !== node) return;
  settings.replaceChildren(make("h3", "", "Settings"), table(own.map(({ parameter, value, unit }) => {
    const input = document.createElement("input"), button = make("button", "", "Set");
    input.value = value ?? "";
    input.setAttribute("aria-label", parameter);
    const set = async () => {
      const { ok } = await ask({ command: "set", parameter, value: input.value });
      if (ok) said.textContent = "";
    };
    button.addEventListener("click", set);
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") set();
    });
    const key = parameter.slice(prefix.length) + (unit ? ` (${unit})` : "");
    return row(key, make("span", "set", input, button));
  })));
}

// ---- Requests

/** The answer of the run; says what is wrong, unless `isQuiet`. */
async function ask(request, isQuiet = false) {
  let answer;
  try {
    const response = await fetch("ask", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request),
    });
    answer = response.ok ? await response.json() : { ok: false, error: await response.text() };
  } catch {
    answer = { ok: false, error: "the run does not answer" };
  }
  if (!isQuiet) said.textContent = answer.ok ? "" : answer.error;
  return answer;
}

pauseButton.addEventListener("click", () => ask({ command: isPaused ? "resume" : "pause" }));
stepButton.addEventListener("click", async () => {
  const { ok, entity } = await ask({ command: "step" });
  if (ok) said.textContent = entity ? `${entity} ticked` : "nothing is ready";
});
document.getElementById("stop").addEventListener("click", () => ask({ command: "stop" }));
traceButton.addEventListener("click", async () => {
  if (!isRecording) {
    const { ok } = await ask({ command: "trace_start" });
    if (!ok) return;
  } else {
    const link = document.createElement("a");
    link.href = "trace";
    link.download = "";
    link.click();
  }
  isRecording = !isRecording;
  traceButton.classList.toggle("recording", isRecording);
  traceButton.textContent = isRecording ? "Save trace" : "Trace";
});

function showLog(is = logView.hidden) {
  logView.hidden = !is;
  logButton.classList.remove("trouble");
  logView.scrollTop = logView.scrollHeight;
}

logButton.addEventListener("click", () => showLog());

function addLines(lines) {
  const isAtEnd = logView.scrollTop + logView.clientHeight >= logView.scrollHeight - 4;
  for (const { time: at, level, message } of lines) {
    const line = document.createElement("div"), when = document.createElement("span");
    when.className = "time";
    when.textContent = `${at.slice(11, 23)} `;
    line.className = level;
    line.append(when, message);
    logView.append(line);
    if (logView.hidden && ["error", "panic"].includes(level)) logButton.classList.add("trouble");
  }
  while (logView.childElementCount > LINES) logView.firstElementChild.remove();
  if (isAtEnd) logView.scrollTop = logView.scrollHeight;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = { p: () => pauseButton.click(), n: () => stepButton.click(), l: () => showLog() };
  keys[event.key]?.();
});

const events = new EventSource("events");
events.addEventListener("status", (event) => learn(JSON.parse(event.data)));
events.addEventListener("log", (event) => addLines(JSON.parse(event.data)));
events.addEventListener("end", () => {
  isOver = true;
  events.close();
  gone("the run is over");
});
events.addEventListener("error", () => gone("no connection to the run"));

function gone(text) {
  stage.textContent = text;
  stage.className = "gone";
  for (const button of [pauseButton, stepButton, traceButton, document.getElementById("stop")]) {
    button.disabled = isOver;
  }
}
