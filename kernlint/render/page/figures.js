"use strict";
// Drawings of one warp's request: banks by lanes, banks by rows of memory, cache lines with their sectors.

const LABEL = 34; // room for row labels
const CELL = 13;

// The colour of a bank that serves so many words in one turn; a word that several lanes share costs nothing more.
const loadClass = (load, lanes) => (load >= 8 ? "c3" : load >= 3 ? "c2" : load === 2 ? "c1" : lanes > 1 ? "cs" : "c0");

function label(x, y, text, anchor, more) {
  return svg("text", { x, y, "text-anchor": anchor || "end", class: more || "" }, text);
}

function cell(x, y, width, height, kind, title) {
  return svg("rect", { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 1.5, class: kind }, svg("title", {}, title));
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

// Lanes down, banks across; below, how many words each bank serves.
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
          parts.push(cell(LABEL + bank * CELL, CELL + row.get(lane) * CELL, CELL, CELL, loadClass(load, lanes.length), title));
        }
    }
    upto += turn.lanes.length;
    const y = CELL + upto * CELL;
    if (upto < order.length) parts.push(svg("line", { class: "turn", x1: 2, x2: LABEL + device.banks * CELL, y1: y, y2: y }));
  }
  const foot = CELL + order.length * CELL + 11;
  parts.push(label(LABEL - 4, foot, "words"));
  for (const [bank, load] of most) parts.push(label(LABEL + bank * CELL + CELL / 2, foot, `${load}`, "middle"));
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
      parts.push(svg("line", { class: "turn", x1: 2, x2: LABEL + device.banks * CELL, y1: y, y2: y }));
  });
  for (const { bank, load, word, lanes } of cells) {
    const x = LABEL + bank * CELL;
    const y = CELL + wanted.indexOf((word - bank) / device.banks) * CELL;
    const kind = loadClass(load, lanes.length);
    parts.push(cell(x, y, CELL, CELL, kind, `word ${word}, bank ${bank}: lanes ${ranges(lanes)}`));
    parts.push(label(x + CELL / 2, y + 9, lanes.length > 1 ? `${lanes.length}x` : `${lanes[0]}`, "middle", kind === "c1" ? "in dark" : "in"));
  }
  return [parts, LABEL + device.banks * CELL + 1, CELL + wanted.length * CELL + 4];
}

// A row per cache line, cut into sectors; touched sectors are tinted, the lanes lie on the bytes they want.
function linesOfSectors(map, device) {
  const wide = 416;
  const scale = wide / device.line;
  const parts = [];
  const perLine = device.line / device.sector;
  map.lines.forEach(([line, sectors], index) => {
    const y = index * CELL + 10;
    parts.push(label(LABEL - 4, y + 9.5, `${index === 0 ? "line " : ""}${line}`));
    for (let part = 0; part < perLine; part++) {
      const used = sectors.includes(line * perLine + part);
      const box = { x: LABEL + part * device.sector * scale, y, width: device.sector * scale, height: CELL - 1.5 };
      const title = `sector ${line * perLine + part}: ${used ? "moved" : "not touched"}`;
      parts.push(svg("rect", { ...box, class: used ? "sector used" : "sector" }, svg("title", {}, title)));
    }
  });
  const row = new Map(map.lines.map(([line], index) => [line, index]));
  const at = new Map();
  map.offsets.forEach((offset, lane) => {
    if (offset !== null) at.set(offset, [...(at.get(offset) || []), lane]);
  });
  for (const [offset, lanes] of at)
    for (let start = offset; start < offset + map.bytes; ) {
      const line = Math.floor(start / device.line);
      const end = Math.min(offset + map.bytes, (line + 1) * device.line);
      const x = LABEL + (start - line * device.line) * scale;
      const y = row.get(line) * CELL + 10.5;
      const kind = lanes.length > 1 ? "cs" : "c0";
      parts.push(cell(x, y - 0.5, (end - start) * scale, CELL - 1.5, kind, `lanes ${ranges(lanes)}: bytes ${offset} to ${offset + map.bytes - 1}`));
      if ((end - start) * scale > 9)
        parts.push(label(x + ((end - start) * scale) / 2, y + 8.5, lanes.length > 1 ? `${lanes.length}x` : `${lanes[0]}`, "middle", "in"));
      start = end;
    }
  return [parts, LABEL + wide + 1, map.lines.length * CELL + 14];
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
    for (const lane of lanes)
      parts.push(cell(LABEL + lane * CELL, y, CELL, CELL, kind, `lane ${lane}: word ${word}, pass ${index + 1} of ${map.words.length}`));
  });
  return [parts, LABEL + device.lanes * CELL + 1, CELL + map.words.length * CELL + 4];
}

function legend(entries) {
  return h("div", { class: "legend" }, ...entries.map(([kind, text]) => h("span", {}, h("i", { class: kind }), text)));
}

const BANK_LEGEND = [["c0", "one word"], ["cs", "one word for several lanes"], ["c1", "2 words"], ["c2", "3 to 7"], ["c3", "8 and more"]];
const LINE_LEGEND = [["c0", "wanted by a lane"], ["cs", "wanted by several lanes"], ["sector used", "moved"]];

const WORD_LEGEND = [["cs", "one word for all: one pass"], ["c1", "2 words: 2 passes"], ["c2", "3 to 7"], ["c3", "8 and more"]];

function drawing(draw, map, device) {
  const [parts, width, height] = draw(map, device);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": map.alt }, ...parts);
}

// The same as rows of text.
function inWords(map) {
  const rows = map.kind === "banks"
    ? map.turns.flatMap((turn, index) => turn.banks.map(([bank, , words]) =>
        [`${map.turns.length > 1 ? `turn ${index + 1}, ` : ""}bank ${bank}`, words.map(([word, lanes]) => `word ${word}: lanes ${ranges(lanes)}`).join("; ")]))
    : map.kind === "words"
      ? map.words.map(([word, lanes], index) => [`pass ${index + 1}`, `word ${word}: lanes ${ranges(lanes)}`])
      : map.lines.map(([line, sectors]) => [`line ${line}`, `sectors ${ranges(sectors)}`]);
  const body = rows.map(([head, text]) => h("tr", {}, h("td", {}, head), h("td", {}, text)));
  return h("details", {}, h("summary", {}, "In words"), h("div", { class: "inwords" }, h("table", {}, ...body)));
}

const VIEWS = {
  banks: [["lanes by banks", banksByLanes], ["rows of memory", banksByRows]],
  lines: [["", linesOfSectors]],
  words: [["", passesOfWords]],
};
const LEGENDS = { banks: BANK_LEGEND, lines: LINE_LEGEND, words: WORD_LEGEND };

// A figure with its views, its legend and its remarks.
function figure(map, device) {
  const views = VIEWS[map.kind];
  const place = h("div", { class: "drawing" });
  const buttons = views.map(([name, draw], index) => h("button", {
    type: "button", "aria-pressed": "false",
    onclick: () => {
      place.replaceChildren(drawing(draw, map, device));
      buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === index)));
    },
  }, name));
  buttons[0].click();
  const made = h("figure", { style: "margin:0" }, h("figcaption", {}, map.request));
  if (views.length > 1) made.append(h("div", { class: "views" }, ...buttons));
  made.append(place, legend(LEGENDS[map.kind]));
  made.append(...map.remarks.map((text) => h("p", { class: "note" }, text)), inWords(map));
  return made;
}
