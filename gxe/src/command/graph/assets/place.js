// Columns and orders become coordinates, and segments become curves: the twin of layout/place.rs,
// for the states a page gets into by folding groups. Whoever changes one changes the other.
"use strict";

const BOX_GAP = 22, PASS_GAP = 16, WIRE_GAP = 10, PART_GAP = 36, MARGIN = 24;
const PADDING = [40, 24, 20, 24], TITLE_SPACE = 44, FOLDED_STEP = 14, HOOK = 22;
const WIDE = [3000, 7], ASPECT = 1.7, PASSES = 8, RADIUS = 7;

// An item is "bend" or an object with one key: box, group, entry or exit.
const kindOf = (item) => (item === "bend" ? item : Object.keys(item)[0]);
const isSolid = (item) => item !== "bend" && ("box" in item || "group" in item);

function place(drawing, plan, folded) {
  const areas = plan.levels.map(() => null);
  const groups = drawing.groups.map(() => ({ width: 0, height: 0, entries: [], exits: [] }));
  const sizes = new Sizes(drawing, groups);
  for (let index = plan.levels.length - 1; index >= 0; index--) {
    const level = plan.levels[index];
    const isFolded = index > 0 && folded[index - 1];
    areas[index] = isFolded ? null : new Area(level, sizes);
    if (index > 0) sizes.setGroup(index - 1, level, areas[index], isFolded);
  }
  const placed = {
    boxes: drawing.boxes.map(() => null),
    groups: drawing.groups.map(() => null),
    curves: [],
    size: [areas[0].width + 2 * MARGIN, areas[0].height + 2 * MARGIN],
  };
  plan.levels.forEach((level, index) => {
    const frame = index === 0 ? [0, 0, ...placed.size]
      : folded[index - 1] ? null : placed.groups[index - 1];
    if (!frame) {
      placed.curves.push(level.segments.map(() => ""));
      return;
    }
    const origin = index === 0 ? [MARGIN, MARGIN] : [frame[0] + PADDING[3], frame[1] + PADDING[0]];
    const area = areas[index];
    level.items.forEach((item, number) => {
      const x = origin[0] + area.x[number], y = origin[1] + area.y[number];
      if (kindOf(item) === "box") placed.boxes[item.box] = [x, y];
      if (kindOf(item) === "group") {
        placed.groups[item.group] = [x, y, groups[item.group].width, groups[item.group].height];
      }
    });
    const router = new Router(level, area, sizes, frame, origin);
    placed.curves.push(level.segments.map((segment) => router.curve(segment)));
  });
  return placed;
}

class Sizes {
  constructor(drawing, groups) {
    this.drawing = drawing;
    this.groups = groups;
  }

  of(item) {
    switch (kindOf(item)) {
      case "box": return [this.drawing.boxes[item.box].width, this.drawing.boxes[item.box].height];
      case "group": return [this.groups[item.group].width, this.groups[item.group].height];
      default: return [0, 0];
    }
  }

  input(item, port) {
    switch (kindOf(item)) {
      case "box": return this.drawing.boxes[item.box].inputs[port];
      case "group": return this.groups[item.group].entries[port];
      default: return 0;
    }
  }

  output(item, port) {
    switch (kindOf(item)) {
      case "box": return this.drawing.boxes[item.box].outputs[port];
      case "group": return this.groups[item.group].exits[port];
      default: return 0;
    }
  }

  setGroup(index, level, area, isFolded) {
    const entries = [], exits = [], group = this.groups[index];
    for (const part of level.parts) {
      for (const item of part.columns.flat()) {
        const kind = kindOf(level.items[item]);
        if (kind === "entry") entries.push([level.items[item].entry, item]);
        if (kind === "exit") exits.push([level.items[item].exit, item]);
      }
    }
    const title = this.drawing.groups[index].title_width + TITLE_SPACE;
    if (isFolded) {
      const most = Math.max(entries.length, exits.length);
      group.width = Math.max(title, 120);
      group.height = Math.max(28 + FOLDED_STEP * most, 48);
    } else {
      group.width = Math.max(title, area.width + PADDING[1] + PADDING[3]);
      group.height = area.height + PADDING[0] + PADDING[2];
    }
    const spread = (ends) => {
      const places = ends.map(() => 0);
      ends.forEach(([port, item], order) => {
        const middle = (ends.length - 1) / 2;
        places[port] = isFolded
          ? group.height / 2 + (order - middle) * FOLDED_STEP : area.y[item] + PADDING[0];
      });
      return places;
    };
    group.entries = spread(entries);
    group.exits = spread(exits);
  }
}

class Area {
  constructor(level, sizes) {
    const zeros = () => level.items.map(() => 0);
    Object.assign(this, { width: 0, height: 0, x: zeros(), y: zeros(), parts: [] });
    this.column = level.items.map(() => [0, 0]);
    this.row = level.items.map(() => [0, 0]);
    const columnOf = zeros();
    for (const { columns } of level.parts) {
      columns.forEach((column, index) => column.forEach((item) => (columnOf[item] = index)));
    }
    const pulls = pullsOf(level, sizes, columnOf);
    const extents = level.parts.map((_, part) => {
      this.straighten(level, sizes, part, pulls);
      return this.columns(level, sizes, part);
    });
    this.pack(level, extents);
  }

  straighten(level, sizes, part, pulls) {
    const columns = level.parts[part].columns, last = columns.length - 1;
    const tops = columns.map((column) => stacked(level, sizes, column));
    columns.forEach((column, at) => {
      const middle = tops[at][tops[at].length - 1] / 2;
      column.forEach((item, index) => (this.y[item] = tops[at][index] - middle));
    });
    for (let pass = 0; pass < PASSES; pass++) {
      if (pass % 2 === 0) {
        for (let at = 1; at <= last; at++) this.relax(columns[at], tops[at], [pulls[0]]);
      } else {
        for (let at = last - 1; at >= 0; at--) this.relax(columns[at], tops[at], [pulls[1]]);
      }
    }
    for (let pass = 0; pass < 2; pass++) {
      for (let at = 0; at <= last; at++) this.relax(columns[at], tops[at], pulls);
    }
  }

  relax(column, tops, sides) {
    const pools = [];
    column.forEach((item, index) => {
      let sum = 0, weight = 0;
      for (const pulls of sides) {
        for (const [other, there, here, strength] of pulls[item]) {
          sum += strength * (this.y[other] + there - here);
          weight += strength;
        }
      }
      if (weight === 0) {
        weight = 0.1;
        sum = weight * this.y[item];
      }
      pools.push([sum - weight * tops[index], weight, 1]);
      while (pools.length > 1) {
        const below = pools[pools.length - 1], above = pools[pools.length - 2];
        if (!(above[0] / above[1] > below[0] / below[1])) break;
        pools.splice(-2, 2, [above[0] + below[0], above[1] + below[1], above[2] + below[2]]);
      }
    });
    let next = 0;
    for (const [sum, weight, count] of pools) {
      for (let step = 0; step < count; step++, next++) {
        this.y[column[next]] = sum / weight + tops[next];
      }
    }
  }

  columns(level, sizes, part) {
    const columns = level.parts[part].columns, gap = sizes.drawing.column_gap;
    const widths = columns.map((column) =>
      column.reduce((widest, item) => Math.max(widest, sizes.of(level.items[item])[0]), 0));
    const gapAfter = (at) => (at + 1 === widths.length ? 0
      : widths[at] === 0 || widths[at + 1] === 0 ? gap / 2 : gap);
    const total = widths.reduce((sum, width, at) => sum + (width + gapAfter(at)), 0);
    const extent = (some) => {
      let top = Infinity, bottom = -Infinity;
      for (const item of some.flat()) {
        top = Math.min(top, this.y[item]);
        bottom = Math.max(bottom, this.y[item] + sizes.of(level.items[item])[1]);
      }
      return [top, bottom];
    };
    const [top, bottom] = extent(columns), height = bottom - top;
    const limit = total > WIDE[0] && total > WIDE[1] * height
      ? Math.max(Math.sqrt(total * (height + 60) * ASPECT), WIDE[0] / 2) : total;
    let first = 0, row = 0, below = 0, width = 0;
    const gutters = [];
    while (first < columns.length) {
      let x = 0, next = first, after = 0;
      while (next < columns.length && (next === first || x + widths[next] <= limit + 0.5)) {
        for (const item of columns[next]) {
          const own = sizes.of(level.items[item])[0];
          this.x[item] = x + (widths[next] - own) / 2;
          this.column[item] = [x, widths[next]];
          this.row[item] = [part, row];
        }
        after = gapAfter(next);
        x += widths[next] + after;
        next++;
      }
      width = Math.max(width, x - after);
      const shown = columns.slice(first, next), [top, bottom] = extent(shown);
      for (const item of shown.flat()) this.y[item] += below - top;
      below += bottom - top;
      if (next < columns.length) {
        gutters.push(below);
        below += 34 + 5 * Math.min(columns[next].length, 8);
      }
      first = next;
      row++;
    }
    return [width, below, gutters];
  }

  pack(level, extents) {
    let widest = 0, surface = 0;
    for (const [width, height] of extents) {
      widest = Math.max(widest, width);
      surface += (width + PART_GAP) * (height + PART_GAP);
    }
    const limit = Math.max(widest, Math.sqrt(surface * ASPECT));
    let x = 0, y = 0, tallest = 0;
    level.parts.forEach((part, index) => {
      const [width, height, gutters] = extents[index];
      if (x > 0 && (part.new_row || x + width > limit + 0.5)) {
        x = 0;
        y += tallest + PART_GAP;
        tallest = 0;
      }
      for (const item of part.columns.flat()) {
        this.x[item] += x;
        this.y[item] += y;
        this.column[item][0] += x;
      }
      this.parts.push({ left: x, right: x + width, gutters: gutters.map((gutter) => y + gutter) });
      this.width = Math.max(this.width, x + width);
      tallest = Math.max(tallest, height);
      this.height = Math.max(this.height, y + height);
      x += width + PART_GAP;
    });
  }
}

function pullsOf(level, sizes, columnOf) {
  const pulls = [level.items.map(() => []), level.items.map(() => [])];
  for (const segment of level.segments) {
    const last = segment.path.length - 1;
    for (let step = 0; step < last; step++) {
      const from = segment.path[step], to = segment.path[step + 1];
      const atFrom = level.items[from], atTo = level.items[to];
      const isNeighbour = Math.abs(columnOf[from] - columnOf[to]) === 1;
      const bends = (atFrom === "bend") + (atTo === "bend");
      const strength = !isNeighbour ? 0.2 : [1, 2, 6][bends];
      const out = step === 0 ? sizes.output(atFrom, segment.output) : 0;
      const into = step + 1 === last ? sizes.input(atTo, segment.input) : 0;
      if (columnOf[from] === columnOf[to]) {
        const [bend, other, there] = step === 0 ? [to, from, out] : [from, to, into];
        if (level.items[bend] === "bend") {
          for (const side of pulls) side[bend].push([other, there, 0, 1]);
        }
      } else if (columnOf[from] < columnOf[to]) {
        pulls[1][from].push([to, into, out, strength]);
        pulls[0][to].push([from, out, into, strength]);
      } else {
        pulls[0][from].push([to, into, out, strength]);
        pulls[1][to].push([from, out, into, strength]);
      }
    }
  }
  return pulls;
}

function stacked(level, sizes, column) {
  const tops = [];
  let bottom = 0, wasSolid = false;
  for (const item of column) {
    const solid = isSolid(level.items[item]);
    const gap = wasSolid && solid ? BOX_GAP : !wasSolid && !solid ? WIRE_GAP : PASS_GAP;
    const top = tops.length === 0 ? 0 : bottom + gap;
    tops.push(top);
    bottom = top + sizes.of(level.items[item])[1];
    wasSolid = solid;
  }
  return tops;
}

class Router {
  constructor(level, area, sizes, frame, origin) {
    Object.assign(this, { level, area, sizes, frame, origin, used: new Map() });
  }

  curve(segment) {
    const first = segment.path[0], last = segment.path[segment.path.length - 1];
    const start = this.start(first, segment.output), end = this.end(last, segment.input);
    const pen = new Pen(start), bends = segment.path.slice(1, -1);
    if (segment.is_back) {
      if (bends.length === 0) {
        pen.curve([start[0] + 80, start[1]], [end[0] - 80, end[1]], end);
        return pen.path;
      }
      bends.forEach((bend, number) => {
        const [left, right] = this.passage(bend);
        if (number === 0) {
          pen.line([right[0], start[1]]);
          const around = right[0] + HOOK;
          pen.curve([around, start[1]], [around, right[1]], right);
        } else {
          this.link(pen, bends[number - 1], bend, right);
        }
        pen.line(left);
      });
      const turn = pen.at, around = turn[0] - HOOK;
      pen.curve([around, turn[1]], [around, end[1]], [turn[0], end[1]]);
      pen.line(end);
      return pen.path;
    }
    let before = first;
    for (const bend of bends) {
      const [left, right] = this.passage(bend);
      this.link(pen, before, bend, left);
      pen.line(right);
      before = bend;
    }
    this.link(pen, before, last, end);
    return pen.path;
  }

  start(item, port) {
    const kind = this.level.items[item];
    const y = this.origin[1] + this.area.y[item] + this.sizes.output(kind, port);
    if (kindOf(kind) === "entry") return [this.frame[0], y];
    return [this.origin[0] + this.area.x[item] + this.sizes.of(kind)[0], y];
  }

  end(item, port) {
    const kind = this.level.items[item];
    const y = this.origin[1] + this.area.y[item] + this.sizes.input(kind, port);
    if (kindOf(kind) === "exit") return [this.frame[0] + this.frame[2], y];
    return [this.origin[0] + this.area.x[item], y];
  }

  passage(bend) {
    const [at, width] = this.area.column[bend], y = this.origin[1] + this.area.y[bend];
    const left = this.origin[0] + at;
    return [[left, y], [left + width, y]];
  }

  link(pen, from, to, end) {
    const at = this.area.row[from], next = this.area.row[to], start = pen.at;
    if (Math.abs(at[1] - next[1]) !== 1) {
      const middle = (start[0] + end[0]) / 2;
      pen.curve([middle, start[1]], [middle, end[1]], end);
      return;
    }
    const upper = [at[0], Math.min(at[1], next[1])], number = this.number(upper);
    const part = this.area.parts[upper[0]], beside = 8 + 3 * (number % 4);
    const right = this.origin[0] + part.right + beside;
    const left = this.origin[0] + part.left - beside;
    const gap = this.origin[1] + part.gutters[upper[1]] + 14 + 5 * (number % 8);
    const [first, second] = at[1] < next[1] ? [right, left] : [left, right];
    pen.rounded([[first, start[1]], [first, gap], [second, gap], [second, end[1]], end]);
  }

  number(gap) {
    const key = gap.join(), number = this.used.get(key) ?? 0;
    this.used.set(key, number + 1);
    return number;
  }
}

class Pen {
  constructor(at) {
    this.path = "";
    this.write("M", [at]);
  }

  write(command, points) {
    this.path += command + points.map(([x, y]) => `${rounded(x)} ${rounded(y)}`).join(" ");
    this.at = points[points.length - 1];
  }

  line(to) {
    if (to[0] !== this.at[0] || to[1] !== this.at[1]) this.write("L", [to]);
  }

  curve(one, other, to) {
    this.write("C", [one, other, to]);
  }

  rounded(points) {
    for (let index = 0; index + 1 < points.length; index++) {
      this.write("L", [toward(points[index], this.at)]);
      this.write("Q", [points[index], toward(points[index], points[index + 1])]);
    }
    this.write("L", [points[points.length - 1]]);
  }
}

function toward(from, to) {
  const x = to[0] - from[0], y = to[1] - from[1];
  const length = Math.max(Math.abs(x) + Math.abs(y), 1);
  const share = Math.min(RADIUS / length, 0.5);
  return [from[0] + x * share, from[1] + y * share];
}

const rounded = (number) => Math.floor(number * 10 + 0.5) / 10 + 0;
