"use strict";
// The formulas of an access with a slider for each symbol in them: their values there, and the request of one warp drawn anew.

const SPAN = 64n; // how far a slider goes at least where nothing bounds it
const FIRST = 32; // where it begins if the launch gives no value
const LAUNCHED = /^(b|gd)[xyz]$/; // blocks of the grid and their number
const BOUND = /^([\w.']+) (<=|>=) (-?\d+)$/;

// The range that a slider has for a symbol: what the conditions on it alone leave of the sizes from 0 on, the first ones and the launch's.
function rangeOf(name, law, start) {
  const bounds = law.domain.map((text) => BOUND.exec(text)).filter((found) => found && found[1] === name);
  const [lows, highs] = [">=", "<="].map((mark) => bounds.filter((found) => found[2] === mark).map((found) => BigInt(found[3])));
  const least = FUNCTIONS.max(/^gd[xyz]$/.test(name) ? 1n : 0n, ...lows);
  const most = FUNCTIONS.min(FUNCTIONS.max(least + SPAN, start), ...highs);
  return most < least ? [most - SPAN, most] : [least, most];
}

const clipped = (value, [least, most]) => FUNCTIONS.max(least, FUNCTIONS.min(most, value));

// One row: name, slider, and a field that takes any number.
function slider(name, meaning, range, value, moved) {
  const [least, most] = range;
  const sides = { min: `${least}`, max: `${most}`, step: "1", value: `${value}` };
  const bar = h("input", { type: "range", ...sides, "data-symbol": name, "aria-label": `${name}, ${meaning}` });
  const field = h("input", { type: "number", step: "1", value: `${value}`, "aria-label": `${name}, any number` });
  const take = (from, to) => () => {
    if (!/^-?\d+$/.test(from.value)) return;
    to.value = from.value;
    moved(name, BigInt(from.value));
  };
  bar.addEventListener("input", take(bar, field));
  field.addEventListener("input", take(field, bar));
  return h("label", { class: "slider", title: meaning }, h("code", {}, name), bar, field);
}

// ---------------------------------------------------------------- one request

// The byte that each lane of a warp begins at; null for lanes beyond the block, and where the index has no value.
function bytesOf(drawn, index, warp, lanes, point) {
  const [x, y, z] = drawn.block;
  return Array.from({ length: lanes }, (_, lane) => {
    const thread = warp * lanes + lane;
    if (thread >= x * y * z) return null;
    const at = { tx: BigInt(thread % x), ty: BigInt(Math.floor(thread / x) % y), tz: BigInt(Math.floor(thread / (x * y))) };
    const found = integerAt(index, { ...point, ...at });
    return found === null ? null : Number(found) * drawn.unit;
  });
}

// Which lanes go together, as `kernlint.hardware.banks` has it.
function groupsOf(schedule, offsets, lanes) {
  const order = schedule.order.length ? schedule.order : offsets.map((_, lane) => lane);
  const alike = (a, b) => a === null || b === null || a === b;
  const paired = schedule.paired && schedule.partners.some((x) => order.every((lane, at) => alike(offsets[lane], offsets[order[at ^ x]])));
  const size = paired ? schedule.paired : schedule.lanes;
  return Array.from({ length: Math.ceil(lanes / size) }, (_, group) => order.slice(group * size, (group + 1) * size));
}

function grouped(pairs) {
  const found = new Map();
  for (const [key, value] of pairs) found.set(key, [...(found.get(key) || []), value]);
  return [...found].sort(([a], [b]) => a - b);
}

const from0 = (a, b) => ((a % b) + b) % b;

function sharedMap(drawn, offsets, device) {
  const { schedule } = drawn;
  const wordsOf = (lane) => {
    const [first, last] = [offsets[lane], offsets[lane] + drawn.bytes - 1].map((byte) => Math.floor(byte / device.bank));
    return Array.from({ length: last - first + 1 }, (_, more) => [first + more, lane]);
  };
  const turns = groupsOf(schedule, offsets, device.lanes).map((lanes) => {
    const words = grouped(lanes.filter((lane) => offsets[lane] !== null).flatMap(wordsOf));
    const banks = grouped(words.map((entry) => [from0(entry[0], device.banks), entry])).map(([bank, entries]) =>
      [bank, schedule.mode === "lanes" ? entries.reduce((sum, [, some]) => sum + some.length, 0) : entries.length, entries]);
    const worst = schedule.mode === "groups" ? 1 : Math.max(0, ...banks.map(([, load]) => load));
    return { lanes, banks, wavefronts: worst * schedule.passes };
  }).filter((turn) => turn.wavefronts);
  const used = new Set(turns.flatMap((turn) => turn.banks.map(([bank]) => bank))).size;
  const worst = Math.max(0, ...turns.flatMap((turn) => turn.banks.map(([, load]) => load)));
  const alt = `${used} of ${device.banks} banks are used; the worst serves ${worst} word${worst === 1 ? "" : "s"} in one pass`;
  return { kind: "banks", turns, alt, count: turns.reduce((sum, turn) => sum + turn.wavefronts, 0) };
}

function globalMap(drawn, offsets, device) {
  const active = offsets.map((offset, lane) => [offset, lane]).filter(([offset]) => offset !== null);
  const pieces = grouped(active).map(([offset, lanes]) => [offset, drawn.bytes, lanes]);
  const sectorsOf = (offset) => {
    const [first, last] = [offset, offset + drawn.bytes - 1].map((byte) => Math.floor(byte / device.sector));
    return Array.from({ length: last - first + 1 }, (_, more) => first + more);
  };
  const sectors = [...new Set(pieces.flatMap(([offset]) => sectorsOf(offset)))];
  const lines = grouped(sectors.map((sector) => [Math.floor((sector * device.sector) / device.line), sector]));
  const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  return { kind: "lines", lines, pieces, alt: `touches ${many(sectors.length, "sector")} in ${many(lines.length, "cache line")}`, count: sectors.length };
}

const MAPS = { shared: sharedMap, global: globalMap };

// ---------------------------------------------------------------- the section

const EVALUATED = ["index", "per request", "requests", "in all", "evaluations", "divergent"];
const separated = (number) => `${number}`.replace(/\B(?=(\d{3})+$)/g, ",");

// Formulas with their values at a point that sliders choose, and the request that the point's addresses make.
function lawOf(law, device) {
  const { drawn } = law;
  const shown = law.rows.filter(([name]) => EVALUATED.includes(name));
  const trees = new Map(shown.map(([name, text]) => [name, parseLaw(text)]));
  const domain = law.domain.map((text) => [text, parseLaw(text)]);
  const own = Object.fromEntries(Object.entries(law.fixed).map(([name, value]) => [name, BigInt(value)]));
  const names = [...new Set([...trees.values()].flatMap((tree) => namesIn(tree)))].filter((name) => !Object.hasOwn(own, name) && !/^t[xyz]$/.test(name));
  names.sort((a, b) => LAUNCHED.test(a) - LAUNCHED.test(b)); // arguments first
  const starts = Object.fromEntries(names.map((name) => [name, BigInt(law.start[name] ?? FIRST)]));
  const ranges = Object.fromEntries(names.map((name) => [name, rangeOf(name, law, starts[name])]));
  const point = { ...own, ...Object.fromEntries(names.map((name) => [name, clipped(starts[name], ranges[name])])) };
  const places = new Map(shown.map(([name]) => [name, h("output", { class: "value" })]));
  const outside = h("p", { class: "outside", role: "status" });
  const moves = drawn && names.some((name) => namesIn(trees.get("index")).includes(name));
  const map = h("div", {});
  const chosen = { view: 0 };
  let warp = 0;

  const redraw = () => {
    for (const [name, place] of places) {
      const found = name === "index" || !namesIn(trees.get(name)).length ? null : integerAt(trees.get(name), point);
      place.textContent = found === null ? "" : `= ${separated(found)}`;
    }
    const broken = domain.filter(([, tree]) => holdsAt(tree, point) === false).map(([text]) => text);
    outside.textContent = broken.length ? `The formulas do not hold here: ${broken[0]} is false.` : "";
    if (!moves) return;
    const offsets = bytesOf(drawn, trees.get("index"), warp, device.lanes, point);
    if (offsets.every((offset) => offset === null)) return map.replaceChildren();
    const made = MAPS[drawn.space](drawn, offsets, device);
    const unit = drawn.units[made.count === 1 ? 0 : 1];
    const request = `warp ${warp} with all its lanes active: ${made.count} ${unit}`;
    map.replaceChildren(figure({ ...made, request, remarks: [] }, device, chosen));
  };
  const moved = (name, value) => { point[name] = value; redraw(); };
  const sliders = names.map((name) => slider(name, law.symbols[name] || "", ranges[name], point[name], moved));
  if (moves && drawn.warps > 1)
    sliders.push(slider("warp", "warp of the block", [0n, BigInt(drawn.warps - 1)], 0n, (_, value) => { warp = Number(clipped(value, [0n, BigInt(drawn.warps - 1)])); redraw(); }));
  const rows = law.rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, places.has(name) ? formula(text) : text, " ", places.get(name))]);
  redraw();
  return [h("h3", {}, "For every size"), h("dl", { class: "law" }, ...rows), h("div", { class: "sliders" }, ...sliders), outside, map];
}
