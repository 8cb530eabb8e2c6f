"use strict";
// Drawings of one warp's request (banks by lanes, banks by rows of memory, cache lines with their sectors) and of the ways its lanes take.
// What a colour says stands in the cells too: the words that a bank serves, = for one word of several lanes, the lane, the case.

const LABEL = 34; // room for row labels
const CELL = 13;
const GROUP = 8; // lanes that stand together in a pattern
const COMES_NOT = "."; // in a pattern: a lane that does not evaluate the condition

// The colour of a bank that serves so many words in one turn; a word that several lanes share costs nothing more.
const loadClass = (load, lanes) => (load >= 8 ? "c3" : load >= 3 ? "c2" : load === 2 ? "c1" : lanes > 1 ? "cs" : "c0");

function label(x, y, text, anchor, more) {
  return svg("text", { x, y, "text-anchor": anchor || "end", class: more || "" }, text);
}

// A cell with what it says written into it.
function cell(x, y, width, height, kind, title, text) {
  const box = svg("rect", { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 1.5, class: kind }, svg("title", {}, title));
  return text ? [box, label(x + width / 2, y + height / 2 + 2.7, text, "middle", `in on-${kind}`)] : [box];
}

function gridOf(columns, rows) {
  const lines = [];
  for (let c = 0; c <= columns; c++) lines.push(`M${LABEL + c * CELL} ${CELL}V${CELL + rows * CELL}`);
  for (let r = 0; r <= rows; r++) lines.push(`M${LABEL} ${CELL + r * CELL}H${LABEL + columns * CELL}`);
  return svg("path", { class: "grid", d: lines.join("") });
}

function bankHeads(banks) {
  const heads = [label(LABEL - 4, 9, "bank")];
  for (let bank = 0; bank < banks; bank += 4) heads.push(label(LABEL + bank * CELL + CELL / 2, 9, `${bank}`, "middle"));
  heads.push(label(LABEL + (banks - 1) * CELL + CELL / 2, 9, `${banks - 1}`, "middle"));
  return heads;
}

// Lanes down, banks across; in a cell, and below, how many words its bank serves in one turn.
function banksByLanes(map, device) {
  const order = map.turns.flatMap((turn) => turn.lanes);
  const row = new Map(order.map((lane, index) => [lane, index]));
  const parts = [...bankHeads(device.banks), gridOf(device.banks, order.length)];
  order.forEach((lane, index) => {
    if (order.length <= 8 || index % 4 === 0 || index === order.length - 1)
      parts.push(label(LABEL - 4, CELL + index * CELL + 9.5, `${index === 0 ? "lane " : ""}${lane}`));
  });
  const most = new Map();
  let upto = 0;
  for (const turn of map.turns) {
    for (const [bank, load, words] of turn.banks) {
      most.set(bank, Math.max(most.get(bank) || 0, load));
      for (const [word, lanes] of words)
        for (const lane of lanes) {
          const title = `lane ${lane}: word ${word} of bank ${bank}; this bank serves ${load} in this turn`;
          const text = load > 1 ? `${load}` : lanes.length > 1 ? "=" : "";
          parts.push(...cell(LABEL + bank * CELL, CELL + row.get(lane) * CELL, CELL, CELL, loadClass(load, lanes.length), title, text));
        }
    }
    upto += turn.lanes.length;
    const y = CELL + upto * CELL;
    if (upto < order.length) parts.push(svg("line", { class: "turn", x1: 2, x2: LABEL + device.banks * CELL, y1: y, y2: y }));
  }
  const foot = CELL + order.length * CELL + 11;
  parts.push(label(LABEL - 4, foot, "words"));
  for (const [bank, load] of most) parts.push(label(LABEL + bank * CELL + CELL / 2, foot, `${load}`, "middle", load > 1 ? "most" : ""));
  return [parts, LABEL + device.banks * CELL + 1, foot + 4];
}

// Shared memory as rows of one word per bank, the lanes written into the words they want.
function banksByRows(map, device) {
  const cells = map.turns.flatMap((turn) =>
    turn.banks.flatMap(([bank, load, words]) => words.map(([word, lanes]) => ({ bank, load, word, lanes }))));
  const wanted = [...new Set(cells.map(({ word, bank }) => (word - bank) / device.banks))].sort((a, b) => a - b);
  const parts = [...bankHeads(device.banks), gridOf(device.banks, wanted.length)];
  wanted.forEach((memoryRow, index) => {
    const y = CELL + index * CELL;
    parts.push(label(LABEL - 4, y + 9.5, `${memoryRow * device.banks}`));
    if (index && memoryRow !== wanted[index - 1] + 1)
      parts.push(svg("line", { class: "turn", x1: 2, x2: LABEL, y1: y, y2: y }));
  });
  for (const { bank, load, word, lanes } of cells) {
    const x = LABEL + bank * CELL;
    const y = CELL + wanted.indexOf((word - bank) / device.banks) * CELL;
    const text = lanes.length > 1 ? `${lanes.length}x` : `${lanes[0]}`;
    parts.push(...cell(x, y, CELL, CELL, loadClass(load, lanes.length), `word ${word}, bank ${bank}: lanes ${ranges(lanes)}`, text));
  }
  return [parts, LABEL + device.banks * CELL + 1, CELL + wanted.length * CELL + 4];
}

// A row per cache line, cut into sectors; touched sectors are tinted, the lanes lie on the bytes they want.
function linesOfSectors(map, device) {
  const wide = 416;
  const scale = wide / device.line;
  const parts = [];
  const perLine = device.line / device.sector;
  const left = Math.max(LABEL, 26 + 5 * `${map.lines[map.lines.length - 1][0]}`.length);
  map.lines.forEach(([line, sectors], index) => {
    const y = index * CELL + 10;
    parts.push(label(left - 4, y + 9.5, `${index === 0 ? "line " : ""}${line}`));
    for (let part = 0; part < perLine; part++) {
      const used = sectors.includes(line * perLine + part);
      const box = { x: left + part * device.sector * scale, y, width: device.sector * scale, height: CELL - 1.5 };
      const title = `sector ${line * perLine + part}: ${used ? "moved" : "not moved"}`;
      parts.push(svg("rect", { ...box, class: used ? "sector used" : "sector" }, svg("title", {}, title)));
    }
  });
  const row = new Map(map.lines.map(([line], index) => [line, index]));
  for (const [first, bytes, lanes] of map.pieces)
    for (let start = first; start < first + bytes; ) {
      const line = Math.floor(start / device.line);
      const end = Math.min(first + bytes, (line + 1) * device.line);
      const width = (end - start) * scale;
      const text = width <= 9 ? "" : lanes.length > 1 ? `${lanes.length}x` : `${lanes[0]}`;
      const title = `${lanes.length > 1 ? "lanes" : "lane"} ${ranges(lanes)}: bytes ${first} to ${first + bytes - 1}`;
      const x = left + (start - line * device.line) * scale;
      parts.push(...cell(x, row.get(line) * CELL + 10, width, CELL - 1.5, lanes.length > 1 ? "cs" : "c0", title, text));
      start = end;
    }
  return [parts, left + wide + 1, map.lines.length * CELL + 14];
}

// A row per word of constant memory, which is a pass of its cache; the lanes that it serves together.
function passesOfWords(map, device) {
  const parts = [label(LABEL - 4, 9, "lane")];
  for (let lane = 0; lane < device.lanes; lane += 4) parts.push(label(LABEL + lane * CELL + CELL / 2, 9, `${lane}`, "middle"));
  parts.push(gridOf(device.lanes, map.words.length));
  map.words.forEach(([word, lanes], index) => {
    const y = CELL + index * CELL;
    if (map.words.length <= 8 || index % 4 === 0 || index === map.words.length - 1)
      parts.push(label(LABEL - 4, y + 9.5, `${index === 0 ? "word " : ""}${word}`));
    const kind = map.words.length > 1 ? loadClass(map.words.length, lanes.length) : "cs";
    const title = (lane) => `lane ${lane}: word ${word}, pass ${index + 1} of ${map.words.length}`;
    for (const lane of lanes)
      parts.push(...cell(LABEL + lane * CELL, y, CELL, CELL, kind, title(lane), map.words.length > 1 ? `${index + 1}` : "="));
  });
  return [parts, LABEL + device.lanes * CELL + 1, CELL + map.words.length * CELL + 4];
}

// The class of a cell in a pattern: where the condition holds, where not, of a switch the case.
const wayClass = (letter) => (letter === "0" ? "w0" : `w${((parseInt(letter, 36) - 1) % 6) + 1}`);

// A row per pattern: the warps of a block that have it, a cell per lane that evaluates the condition, how often.
function waysOfLanes(map) {
  const lanes = map.rows[0][2].length;
  const wide = lanes > 32 ? 6 : 10;
  const left = 8 + 5 * Math.max(map.head.length, ...map.rows.map(([warps]) => Math.min(warps.length, 12)));
  const at = (lane) => left + lane * wide + 3 * Math.floor(lane / GROUP);
  const right = at(lanes) + 4;
  const often = 6 + 5 * Math.max("evaluations".length, ...map.rows.map(([, count]) => count.length));
  const parts = [label(left - 4, 9, map.head), label(right + often, 9, "evaluations")];
  for (let lane = 0; lane < lanes; lane += GROUP) parts.push(label(at(lane) + wide / 2, 9, `${lane}`, "middle"));
  map.rows.forEach(([warps, count, letters, parted], index) => {
    const y = CELL + index * (CELL + 2);
    const short = warps.length > 12 ? `${warps.slice(0, 11)}\u2026` : warps;
    const name = label(left - 4, y + 9.5, short);
    name.append(svg("title", {}, `${map.head} ${warps}`));
    parts.push(name, label(right + often, y + 9.5, count, "end", parted ? "most" : ""));
    if (parted) parts.push(label(right + 3, y + 9.5, "\u25c6", "start", "parted"));
    [...letters].forEach((letter, lane) => {
      if (letter === COMES_NOT) return parts.push(svg("circle", { class: "away", cx: at(lane) + wide / 2, cy: y + CELL / 2, r: 0.7 }));
      const text = map.cases ? letter : letter === "1" ? "" : "\u00d7";
      parts.push(...cell(at(lane), y, wide, CELL, wayClass(letter), `lane ${lane}: ${map.legend.find(([one]) => one === letter)[1]}`, text));
    });
  });
  return [parts, right + often + 2, CELL + map.rows.length * (CELL + 2) + 2];
}

// Two threads side by side, time from top to bottom: barriers across both, the accesses that race, the barrier that is missing.
function timelineOf(map) {
  const [wide, gap] = [186, 22];
  const left = map.rows.some(([, , , , , phase]) => phase !== null) ? 44 : 2;
  const lane = (side) => left + side * (wide + gap);
  const right = lane(1) + wide;
  const parts = [];
  map.heads.forEach(([thread, block], side) => {
    parts.push(label(lane(side) + wide / 2, 9, thread, "middle", "most"), label(lane(side) + wide / 2, 19, block, "middle"));
  });
  const fits = (text, room) => (text.length * 4.9 > room ? `${text.slice(0, Math.floor(room / 4.9) - 1)}\u2026` : text);
  let y = 26;
  for (const [kind, text, side, line, does, phase] of map.rows) {
    if (phase !== null) parts.push(label(left - 6, y + 14, `phase ${phase}`));
    if (kind === "access") {
      parts.push(svg("rect", { x: lane(side), y, width: wide, height: 28, rx: 3, class: "c3" }, svg("title", {}, `line ${line} ${does} ${text}`)));
      parts.push(label(lane(side) + 6, y + 11, `line ${line} ${does}`, "start", "in race on-c3"), label(lane(side) + 6, y + 22, fits(text, wide - 10), "start", "in race on-c3"));
      y += 34;
    } else if (kind === "iteration") {
      parts.push(label(lane(side) + wide / 2, y + 8, `\u2193 ${text}`, "middle"));
      y += 14;
    } else {
      const words = kind === "barrier" ? `line ${line}: ${text}` : text;
      const room = fits(words, right - left - 40);
      const half = (room.length * 4.9) / 2 + 6;
      const middle = (left + right) / 2;
      const rule = { class: kind === "barrier" ? "wait" : "gap-of", y1: y + 7, y2: y + 7 };
      parts.push(svg("line", { ...rule, x1: left, x2: middle - half }), svg("line", { ...rule, x1: middle + half, x2: right }));
      parts.push(label(middle, y + 10, room, "middle", kind === "barrier" ? "" : "lacks"));
      y += 20;
    }
  }
  const lines = [0, 1].map((side) => svg("line", { class: "lane", x1: lane(side) + wide / 2, x2: lane(side) + wide / 2, y1: 22, y2: y }));
  return [[...lines, ...parts], right + 2, y + 4];
}

// The range of an array, below it what an access reaches; before and behind the range not to scale.
function reachOf(map) {
  const [low, high, size] = map.range;
  const [last, first, end] = map.numbers;
  const [inside, outside, left] = [320, 44, 50];
  const from = left + (low < 0 ? outside : 0);
  const at = (index) => from + (inside * Math.min(Math.max(index, 0), size)) / Math.max(size, 1);
  const parts = [label(left - 6, 26, "range"), label(left - 6, 48, "reached")];
  parts.push(svg("rect", { x: from, y: 16, width: inside, height: CELL, rx: 1.5, class: "sector used" }, svg("title", {}, map.alt)));
  if (size) parts.push(label(from, 11, "0", "start"), label(from + inside, 11, last, "end"));
  const box = (x, width, kind, title) => parts.push(svg("rect", { x, y: 38, width: Math.max(width, 3), height: CELL, class: kind }, svg("title", {}, title)));
  if (high >= 0 && low < size) box(at(low), at(high + 1) - at(low), "c0", `inside: ${Math.max(low, 0)} to ${Math.min(high, size - 1)}`);
  if (low < 0) box(from - outside, outside, "c3", `before the first: ${first}`);
  if (high >= size) box(from + inside, outside, "c3", `behind the last: ${end}`);
  const begin = low < 0 ? from - outside : low >= size ? from + inside : at(low);
  const stop = high >= size ? from + inside + outside : Math.max(at(high + 1), from);
  parts.push(label(begin, 61, first, "start", low < 0 ? "most" : ""), first === end ? "" : label(stop, 61, end, "end", high >= size ? "most" : ""));
  return [parts.filter(Boolean), from + inside + outside + 4, 66];
}

// What the colours of a drawing mean, those that it has: class, mark, words.
const LEGENDS = {
  banks: [["c0", "", "a word of its own"], ["cs", "=", "one word for several lanes"], ["c1", "2", "2 words of one bank"], ["c2", "3", "3 to 7 words of one bank"], ["c3", "8", "8 or more words of one bank"]],
  lines: [["c0", "", "wanted by a lane"], ["cs", "", "wanted by several lanes"], ["sector.used", "", "moved"], ["sector:not(.used)", "", "not moved"]],
  timeline: [["c3", "", "an access that races"]],
  reach: [["c0", "", "inside"], ["c3", "", "outside"]],
  words: [["cs", "=", "one word for all: one pass"], ["c1", "2", "2 words: 2 passes"], ["c2", "3", "3 to 7"], ["c3", "8", "8 and more"]],
};

function legend(map, drawn) {
  const entries = map.kind === "ways"
    ? map.legend.map(([letter, text]) => letter === COMES_NOT ? ["away", "\u00b7", text] : [wayClass(letter), map.cases ? letter : letter === "1" ? "" : "\u00d7", text])
    : LEGENDS[map.kind].filter(([kind]) => drawn.querySelector(`rect.${kind}`));
  const made = entries.map(([kind, mark, text]) => h("span", {}, h("i", { class: kind.replace(":not(.used)", "").replace(".", " ") }, mark), text));
  if (map.kind === "ways" && drawn.querySelector(".parted")) made.push(h("span", {}, h("b", { class: "parted" }, "\u25c6\u00a0"), "lanes disagree"));
  return h("div", { class: "legend" }, ...made);
}

function drawing(draw, map, device) {
  const [parts, width, height] = draw(map, device);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": map.alt }, ...parts);
}

const WORDS = {
  banks: (map) => map.turns.flatMap((turn, index) => turn.banks.map(([bank, , words]) =>
    [`${map.turns.length > 1 ? `turn ${index + 1}, ` : ""}bank ${bank}`, words.map(([word, lanes]) => `word ${word}: lanes ${ranges(lanes)}`).join("; ")])),
  lines: (map) => map.lines.map(([line, sectors]) => [`line ${line}`, `sectors ${ranges(sectors)}`]),
  words: (map) => map.words.map(([word, lanes], index) => [`pass ${index + 1}`, `word ${word}: lanes ${ranges(lanes)}`]),
  timeline: (map) => map.rows.map(([kind, text, side, line, does]) => [kind === "access" ? map.heads[side].join(", ") : kind === "iteration" ? map.heads[side][0] : "both",
    kind === "access" ? `line ${line} ${does} ${text}` : kind === "barrier" ? `line ${line}: ${text}` : text]),
  reach: (map) => [["range", `0 to ${map.numbers[0]}`], ["reached", `${map.numbers[1]} to ${map.numbers[2]}`]],
  ways: (map) => map.rows.map(([warps, count, letters]) => [`${map.head} ${warps}, ${count} times`, map.legend.map(([letter, text]) => {
    const lanes = [...letters].flatMap((one, lane) => (one === letter ? [lane] : []));
    return lanes.length ? `${text}: lanes ${ranges(lanes)}` : "";
  }).filter(Boolean).join("; ")]),
};

// The same as rows of text.
function inWords(map) {
  const body = WORDS[map.kind](map).map(([head, text]) => h("tr", {}, h("td", {}, head), h("td", {}, text)));
  return h("details", {}, h("summary", {}, "In words"), h("div", { class: "inwords" }, h("table", {}, ...body)));
}

const VIEWS = {
  banks: [["lanes by banks", banksByLanes], ["rows of memory", banksByRows]],
  lines: [["", linesOfSectors]],
  words: [["", passesOfWords]],
  ways: [["", waysOfLanes]],
  timeline: [["", timelineOf]],
  reach: [["", reachOf]],
};

// A figure with its views, its legend and its remarks. `chosen`: the view that is shown, which a click changes.
function figure(map, device, chosen = { view: 0 }) {
  const views = VIEWS[map.kind];
  const place = h("div", { class: "drawing" });
  const key = h("div", {});
  const buttons = views.map(([name, draw], index) => h("button", {
    type: "button", "aria-pressed": "false",
    onclick: () => {
      chosen.view = index;
      const drawn = drawing(draw, map, device);
      place.replaceChildren(drawn);
      key.replaceChildren(legend(map, drawn));
      buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === index)));
    },
  }, name));
  buttons[chosen.view].click();
  const made = h("figure", {}, h("figcaption", {}, map.request));
  if (views.length > 1) made.append(h("div", { class: "views" }, ...buttons));
  made.append(place, key, ...map.remarks.map((text) => h("p", { class: "note" }, text)), inWords(map));
  return made;
}
