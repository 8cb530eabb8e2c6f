"use strict";
// The annotated source of one kernel: its lines, the functions inlined into it, in the margin a chip per access and branch.

const STATUS_MARK = { exact: "\u25cf", range: "\u25d0", unknown: "\u25cb" };
// Memory spaces as each language calls them; their first letters stand in the margin.
const SPACE_NAMES = { cuda: {}, opencl: { shared: "local", local: "private" } };
const UNIT = { shared: "wavefronts", constant: "passes", global: "sectors", local: "sectors" };
const spaceName = (space, language) => (SPACE_NAMES[language] || {})[space] || space;
const spaceMark = (space, language) => (UNIT[space] || space === "texture" ? spaceName(space, language)[0].toUpperCase() : "?");
const CONTEXT = 2; // lines shown around code outside the kernel

// What j and k walk over: faults and races, accesses, branches, barriers that not everyone reaches; in the order of the source.
function itemsOf(kernel) {
  const language = kernel.language;
  const accesses = kernel.accesses.map((access) => ({ ...access, kind: "access", language, problem: access.level !== null && access.level >= 2 }));
  const branches = kernel.branches.map((branch) => ({ ...branch, kind: "branch", space: "branches", problem: branch.level >= 2 }));
  const barriers = kernel.barriers.filter((barrier) => barrier.uniform !== true).map((barrier) => (
    { ...barrier, kind: "barrier", space: "branches", status: barrier.uniform === null ? "unknown" : "exact", problem: barrier.uniform === false }));
  // before the accesses that they are about
  const faults = kernel.faults.map((fault) => ({ ...fault, kind: "fault", language, status: fault.certain ? "exact" : "range", problem: true }));
  const all = [...faults, ...accesses, ...branches, ...barriers];
  const home = kernel.span[0];
  all.sort((a, b) => (a.place[0] !== home) - (b.place[0] !== home) || a.place[0] - b.place[0] || a.place[1] - b.place[1] || a.place[2] - b.place[2]);
  all.forEach((item, index) => { item.index = index; });
  return all;
}

function chip(item, open) {
  const common = { type: "button", "data-item": item.index, "aria-expanded": "false", "aria-controls": "detail", onclick: () => open(item.index) };
  if (item.kind === "branch") {
    const name = `${item.branch} ${item.condition}: ${item.text}`;
    return h("button", { ...common, class: `chip branch ${levelClass(item.level)}`, "aria-label": name, title: name },
      STATUS_MARK[item.status] || "", h("i", {}, "split"), h("b", {}, item.percent));
  }
  if (item.kind === "fault") {
    const name = `${item.certain ? "" : "possible: "}${item.text}`;
    return h("button", { ...common, class: `chip fault ${item.certain ? "l3" : "l2"}`, "aria-label": name, title: name },
      STATUS_MARK[item.status], h("b", {}, item.short));
  }
  if (item.kind === "barrier")
    return h("button", { ...common, class: `chip ${item.problem ? "l3" : "none"}`, "aria-label": `barrier: ${item.said}`, title: item.said },
      STATUS_MARK[item.status], h("b", {}, "barrier"));
  const [op, number, ideal] = item.chip;
  const counted = ideal ? `${number} ${UNIT[item.space] || "sectors"} per request, ideal ${ideal}` : number;
  const name = `${item.what} ${counted}, ${item.status}`;
  return h("button", { ...common, class: `chip ${levelClass(item.level)}`, "aria-label": name, title: name },
    STATUS_MARK[item.status], h("i", {}, `${spaceMark(item.space, item.language)} ${op}`), h("b", {}, number), ideal ? h("i", {}, `/${ideal}`) : null,
    item.times ? h("span", { class: "times" }, item.times) : null);
}

// Where a branch's condition ends on its first line; the whole statement where it is not found there.
function endOfCondition(item, text) {
  const at = item.condition ? text.indexOf(item.condition, item.place[2] - 1) : -1;
  if (at < 0) return null;
  const end = at + item.condition.length;
  return Array.from(text.slice(0, end)).length + (text[end] === ")" ? 1 : 0);
}

// The text of a line with the accesses in it as stretches to click; inside another one, the inner one counts.
function codeOf(text, file, number, items, open) {
  const letters = Array.from(text.replace(/\r$/, ""));
  const owner = new Array(letters.length).fill(null);
  const size = ({ place }) => (place[3] - place[1]) * 10000 + place[4] - place[2];
  const here = items.filter(({ place }) => place[0] === file && place[1] <= number && number <= place[3]);
  for (const item of [...here].sort((a, b) => size(b) - size(a) || (a.level || 0) - (b.level || 0))) {
    if (item.kind === "branch" && !item.problem) continue;
    if (item.kind === "fault" && here.some((other) => other.kind === "access" && size(other) === size(item))) continue; // the access counts
    if (item.kind === "branch" && item.place[1] !== number) continue; // its body is code of its own
    const first = item.place[1] === number ? item.place[2] - 1 : 0;
    const whole = item.place[3] === number ? item.place[4] - 1 : letters.length;
    const last = (item.kind === "branch" && endOfCondition(item, text)) || whole;
    for (let at = first; at < Math.min(last, letters.length); at++) owner[at] = item;
  }
  const made = h("code");
  for (let at = 0; at < letters.length; ) {
    let end = at;
    while (end < letters.length && owner[end] === owner[at]) end++;
    const part = letters.slice(at, end).join("");
    const item = owner[at];
    const kind = item && (item.kind === "branch" ? "split" : levelClass(item.level === undefined ? 3 : item.level));
    made.append(item ? h("span", { class: `hit ${kind}`, "data-item": item.index, onclick: () => open(item.index) }, part) : part);
    at = end;
  }
  return made;
}

// Numbers of the lines to show of each file: the kernel's own, and what its facts lie in.
function linesOf(kernel, items) {
  const wanted = new Map([[kernel.span[0], new Set()]]);
  const add = (file, first, last) => {
    if (!wanted.has(file)) wanted.set(file, new Set());
    for (let line = Math.max(1, first); line <= last; line++) wanted.get(file).add(line);
  };
  add(kernel.span[0], kernel.span[1] - CONTEXT, kernel.span[3]);
  const own = ({ place }) => place[0] === kernel.span[0] && kernel.span[1] <= place[1] && place[3] <= kernel.span[3];
  for (const item of items.filter((one) => !own(one))) add(item.place[0], item.place[1] - CONTEXT, item.place[3] + CONTEXT);
  return wanted;
}

function lineRow(file, number, text, items, findings, open) {
  const chips = items.filter(({ place }) => place[0] === file && place[1] === number).map((item) => chip(item, open));
  const rows = [h("tr", { class: "row", "data-line": `${file}:${number}` },
    h("td", { class: "no left" }, `${number}`), h("td", { class: "chips left2" }, ...chips), h("td", {}, codeOf(text, file, number, items, open)))];
  for (const finding of findings.filter(({ place }) => place[0] === file && place[1] === number)) {
    const said = h("div", { class: `said ${finding.severity}` }, h("span", { class: `sev ${finding.severity}` }, `${finding.severity}[${finding.code}] `), finding.message);
    const beside = narrow() ? [] : [h("td", { class: "no left" }), h("td", { class: "chips left2" })];
    rows.push(h("tr", { class: "find" }, ...beside, h("td", { colspan: 3 - beside.length }, said)));
  }
  return rows;
}

// Rows of one file: stretches of lines, and between them a button for what is left out.
function fileRows(file, source, wanted, items, findings, open) {
  const all = source.parts.flatMap(([first, lines]) => lines.map((text, index) => [first + index, text]));
  const rows = [];
  let hidden = [];
  const gap = () => {
    if (!hidden.length) return;
    const some = hidden;
    const [from, to] = [some[0][0], some[some.length - 1][0]];
    const text = from === to ? `\u22ef line ${from}` : `\u22ef lines ${from} to ${to}`;
    const row = h("tr", { class: "gap" }, h("td", { class: "no left" }), h("td", { class: "chips left2" }), h("td", {},
      h("button", { type: "button", onclick: () => row.replaceWith(...some.flatMap(([number, line]) => lineRow(file, number, line, items, findings, open))) }, text)));
    rows.push(row);
    hidden = [];
  };
  for (const [number, text] of all) {
    if (!wanted.has(number)) hidden.push([number, text]);
    else {
      gap();
      rows.push(...lineRow(file, number, text, items, findings, open));
    }
  }
  gap();
  return rows;
}

// What the margin says, of the spaces and kinds that the kernel has.
function marginLegend(kernel, items) {
  const spaces = Object.keys(UNIT).filter((space) => items.some((item) => item.space === space));
  const said = spaces.map((space) => `${spaceMark(space, kernel.language)} ${spaceName(space, kernel.language)} memory: ${UNIT[space]}`);
  if (items.some((item) => item.kind === "branch")) said.push(`split: share of the ${kernel.language === "opencl" ? "sub-groups" : "warps"} whose lanes disagree`);
  const statuses = Object.keys(STATUS_MARK).filter((status) => items.some((item) => item.status === status));
  return h("div", { class: "legend" }, ...[...said, ...statuses.map((status) => `${STATUS_MARK[status]} ${status}`)].map((text) => h("span", {}, text)));
}

function sourceOf(kernel, items, findings, sources, open) {
  const heads = ["line", "per request / ideal", "source"];
  const [first, ...more] = [...kernel.estimate, kernel.shared, ...kernel.assumptions];
  const about = [kernel.launch, first].map((text) => h("p", {}, text));
  if (more.length) about.push(h("details", {}, h("summary", {}, "more about its time, memory and assumptions"), ...more.map((text) => h("p", {}, text))));
  if (kernel.laws.length) {
    const rows = kernel.laws.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, ["cycles", "where"].includes(name) ? text : formula(text))]);
    about.push(h("details", {}, h("summary", {}, "formulas for every size"), h("dl", { class: "law" }, ...rows)));
  }
  about.push(marginLegend(kernel, items));
  const made = [h("div", { class: "about" }, h("h3", {}, kernel.name, h("small", {}, `${sources[kernel.span[0]].path}:${kernel.span[1]}`)), ...about)];
  for (const [file, lines] of linesOf(kernel, items)) {
    if (file !== kernel.span[0]) made.push(h("div", { class: "about" }, h("h3", {}, sources[file].path)));
    const head = h("tr", {}, ...heads.map((text, index) => h("th", { scope: "col", class: ["left", "left2", ""][index] }, text)));
    made.push(h("table", { class: "code" }, h("thead", {}, head), h("tbody", {}, ...fileRows(file, sources[file], lines, items, findings, open))));
  }
  return made;
}
