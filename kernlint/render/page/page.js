"use strict";
// The page: which kernel is shown, which access is open, what is filtered; keys.

const data = JSON.parse(byId("data").textContent);
const SPACES = ["shared", "global", "local", "constant", "branches"];
const STATUSES = ["exact", "range", "unknown"];
const everyItem = data.kernels.map(itemsOf);
const state = { kernel: 0, open: null, focus: null };

// ---------------------------------------------------------------- filters

function filters() {
  const ticked = (name, all) => all.filter((one) => !byId(`${name}-${one}`) || byId(`${name}-${one}`).checked);
  return {
    word: byId("word").value.trim().toLowerCase(),
    spaces: ticked("space", [...SPACES, "texture", "unknown"]),
    statuses: ticked("status", STATUSES),
    problems: byId("problems").checked,
  };
}

function passes(item, kernel, filter) {
  const words = `${kernel.name} ${item.text || ""} ${item.what || ""} ${item.condition || ""}`.toLowerCase();
  return (!filter.problems || item.problem || findingsAt(item, kernel).length > 0)
    && filter.spaces.includes(item.space) && filter.statuses.includes(item.status) && words.includes(filter.word);
}

// Findings of a kernel carry its name; those without one belong to all of their file, and those in headers to all that have the name.
const ownsFile = (finding, kernel) => finding.path === kernel.path || !data.files.includes(finding.path);
const findingsOf = (kernel) => data.findings.filter((finding) => (!finding.kernel || finding.kernel === kernel.name) && ownsFile(finding, kernel));
const fileOf = (kernel) => (data.files.length > 1 ? `${kernel.path}: ` : "");

function findingsAt(item, kernel) {
  const same = (finding) => [0, 1, 2].every((index) => finding.place[index] === item.place[index]);
  return findingsOf(kernel).filter(same);
}

function apply() {
  const filter = filters();
  const visible = everyItem.map((items, index) => items.filter((item) => passes(item, data.kernels[index], filter)));
  const bare = !filter.word && !filter.problems && filter.statuses.length === STATUSES.length && !document.querySelector("#spaces input:not(:checked)");
  const fits = data.kernels.map((kernel, index) => bare || visible[index].length > 0);
  document.querySelectorAll("#kernels tbody tr").forEach((row, index) => row.classList.toggle("away", !fits[index]));
  if (!fits[state.kernel] && fits.includes(true)) show(fits.indexOf(true));
  const shown = new Set((visible[state.kernel] || []).map((item) => item.index));
  document.querySelectorAll("#source .chip").forEach((one) => one.classList.toggle("away", !shown.has(Number(one.dataset.item))));
  const all = everyItem[state.kernel] ? everyItem[state.kernel].length : 0;
  byId("count").textContent = `${shown.size} of ${all} shown`;
}

// ---------------------------------------------------------------- kernels

// A total with the ideal one, and how far the worst access is from its own.
function levelled(total) {
  if (!total.text) return h("span", { class: "dim" }, "none");
  const worst = total.worst ? `${total.worst >= 10 ? Math.round(total.worst) : Math.round(total.worst * 10) / 10}x` : "";
  if (!worst || !total.level) return h("span", {}, total.text);
  return h("span", {}, total.text, h("small", {}, total.total ? `ideal ${total.ideal} ` : "",
    h("span", { class: `lv l${total.level}`, title: "the worst access, as a multiple of its ideal" }, `worst ${worst}`)));
}

// What the columns are called: a page of OpenCL alone speaks its language.
const opencl = data.kernels.length > 0 && data.kernels.every((kernel) => kernel.language === "opencl");
const named = (space) => spaceName(space, opencl ? "opencl" : "cuda");

function kernelTable() {
  const timed = data.kernels.some((kernel) => kernel.time !== null);
  const most = Math.max(...data.kernels.map((kernel) => kernel.time || 0), 1e-9);
  const heads = [["kernel", ""], [timed ? "estimated time" : "", "number"], [`${named("shared")}: wavefronts`, "number"], ["global: sectors", "number"], [`${opencl ? "sub-groups" : "warps"} that split`, "number"], [data.checked ? "findings" : "costly", "number"]];
  const rows = data.kernels.map((kernel, index) => {
    const split = kernel.branches.filter((branch) => branch.share > 0);
    const worst = split.reduce((a, b) => (a && a.share >= b.share ? a : b), null);
    const found = findingsOf(kernel).filter((finding) => finding.kernel).length;
    const problems = everyItem[index].filter((item) => item.problem).length;
    const time = kernel.time === null ? (timed ? h("span", { class: "dim" }, "none") : "") : h("span", {}, `${kernel.time.toPrecision(3)} \u00b5s`,
      h("span", { class: "bar", "aria-hidden": "true" }, h("i", { style: `width:${Math.max(1, (100 * kernel.time) / most)}%` })));
    return h("tr", { "aria-current": "false", onclick: () => show(index) },
      h("td", {}, h("button", { type: "button" }, kernel.name), h("small", {}, `${fileOf(kernel)}${kernel.launch}${data.devices.length > 1 ? `, on ${data.devices[kernel.device].title}` : ""}`)),
      h("td", { class: "number", "data-head": heads[1][0] }, time),
      h("td", { class: "number", "data-head": heads[2][0] }, levelled(kernel.wavefronts)),
      h("td", { class: "number", "data-head": heads[3][0] }, levelled(kernel.sectors)),
      h("td", { class: "number", "data-head": heads[4][0] }, worst ? `up to ${worst.percent}` : kernel.branches.some((branch) => branch.share === null) ? "?" : "none"),
      h("td", { class: "number", "data-head": heads[5][0] }, data.checked ? `${found}` : `${problems}`));
  });
  if (!rows.length) return h("p", { class: "dim", style: "padding:0 10px" }, "No kernel was analysed.");
  return h("table", {}, h("thead", {}, h("tr", {}, ...heads.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))), h("tbody", {}, ...rows));
}

function show(index) {
  if (!data.kernels[index]) return;
  close();
  state.kernel = index;
  state.focus = null;
  const kernel = data.kernels[index];
  byId("source").replaceChildren(...sourceOf(kernel, everyItem[index], findingsOf(kernel), data.sources, open));
  document.querySelectorAll("#kernels tbody tr").forEach((row, other) => row.setAttribute("aria-current", String(other === index)));
  byId("kernel").value = `${index}`;
  apply();
}

// ---------------------------------------------------------------- the open access

function mark() {
  document.querySelectorAll("#source .chip").forEach((one) => one.setAttribute("aria-expanded", String(Number(one.dataset.item) === state.open)));
  document.querySelectorAll("#source .hit").forEach((one) => one.classList.toggle("at", Number(one.dataset.item) === state.open));
  document.querySelectorAll("#source tr.on").forEach((row) => row.classList.remove("on"));
  const item = everyItem[state.kernel] && everyItem[state.kernel][state.open];
  const row = item && document.querySelector(`#source tr[data-line="${item.place[0]}:${item.place[1]}"]`);
  if (row) row.classList.add("on");
}

function pairs(rows) {
  return h("dl", {}, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
}

function detailOf(item, kernel) {
  const where = `${data.sources[item.place[0]].path}:${item.place[1]}:${item.place[2]}`;
  const title = item.kind === "branch" ? `${item.branch} (${item.condition})` : item.text;
  const made = [h("div", { class: "top" }, h("h2", { class: "mono" }, title), h("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "\u00d7"))];
  made.push(h("p", { class: "dim" }, `${where} in ${kernel.name}`));
  if (item.kind === "branch") {
    made.push(h("p", {}, item.text));
    if (item.share !== null) made.push(h("span", { class: "bar l3", role: "img", "aria-label": item.percent }, h("i", { style: `width:${100 * item.share}%` })));
    made.push(...item.remarks.map((text) => h("p", { class: "note" }, text)));
    if (item.map !== null) made.push(figure(data.maps[item.map], data.devices[kernel.device]));
    if (item.law) made.push(...lawOf(item.law, data.devices[kernel.device]));
  } else if (item.kind === "barrier") {
    made.push(h("p", {}, item.said));
  } else if (item.kind === "fault") {
    made.push(pairs(item.facts));
    if (item.map !== null) made.push(figure(data.maps[item.map], data.devices[kernel.device]));
  } else {
    made.push(h("p", {}, item.what.replace(/,$/, "")), pairs(item.facts));
    if (item.map !== null) made.push(figure(data.maps[item.map], data.devices[kernel.device]));
    if (item.law) made.push(...lawOf(item.law, data.devices[kernel.device]));
  }
  for (const finding of findingsAt(item, kernel)) {
    made.push(h("h3", {}, h("span", { class: `sev ${finding.severity}` }, `${finding.severity}[${finding.code}]`)), h("p", {}, finding.message));
    made.push(...finding.notes.map((note) => h("p", { class: "note" }, note)));
    if (finding.help) made.push(h("p", {}, h("b", {}, "help: "), finding.help));
    made.push(h("p", { class: "dim" }, "more about it: ", h("code", {}, `kernlint explain ${finding.code}`)));
  }
  return made;
}

// On a narrow screen the open access covers all else, which then takes no focus.
function alone(covered) {
  const others = [document.querySelector("header"), ...document.querySelectorAll("main > :not(.panes)"), byId("source")];
  others.forEach((other) => { other.inert = covered; });
}

function open(index) {
  const item = everyItem[state.kernel][index];
  if (!item) return;
  state.open = state.focus = index;
  const detail = byId("detail");
  detail.replaceChildren(...detailOf(item, data.kernels[state.kernel]));
  detail.hidden = false;
  detail.scrollTop = 0;
  detail.setAttribute("role", narrow() ? "dialog" : "complementary");
  alone(narrow());
  mark();
  history.replaceState(null, "", `#k${state.kernel}a${index}`);
  if (narrow()) detail.focus();
  else inSight(detail, index);
}

// Scrolls so far that the open access is seen whole, and its line stays in sight.
function inSight(detail, index) {
  const chip = document.querySelector(`#source .chip[data-item="${index}"]`);
  const hidden = detail.getBoundingClientRect().bottom - window.innerHeight + 8;
  const room = chip ? chip.getBoundingClientRect().top - 60 : 0;
  if (Math.min(hidden, room) > 0) window.scrollBy(0, Math.min(hidden, room));
}

function close() {
  if (state.open === null) return;
  const one = document.querySelector(`#source .chip[data-item="${state.open}"]`);
  state.open = null;
  byId("detail").hidden = true;
  alone(false);
  mark();
  history.replaceState(null, "", "#");
  if (one) one.focus();
}

// ---------------------------------------------------------------- keys

function step(by) {
  const chips = [...document.querySelectorAll("#source .chip:not(.away)")];
  const at = chips.findIndex((one) => Number(one.dataset.item) === state.focus);
  const next = chips[at < 0 ? (by > 0 ? 0 : chips.length - 1) : at + by];
  if (!next) return;
  state.focus = Number(next.dataset.item);
  next.focus({ preventScroll: true });
  next.closest("tr").scrollIntoView({ block: "nearest" });
  if (state.open !== null) {
    open(state.focus);
    if (!narrow()) next.focus({ preventScroll: true });
  }
}

function stepKernel(by) {
  const rows = [...document.querySelectorAll("#kernels tbody tr")];
  for (let index = state.kernel + by; index >= 0 && index < rows.length; index += by)
    if (!rows[index].classList.contains("away")) {
      rows[index].scrollIntoView({ block: "nearest" });
      return show(index);
    }
}

const KEYS = {
  j: () => step(1), k: () => step(-1), n: () => stepKernel(1), p: () => stepKernel(-1),
  "/": () => byId("word").focus(), t: () => theme(), "?": () => byId("help").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (event.key === "Escape") {
    if (document.activeElement === byId("word")) byId("word").blur();
    else close();
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox") return;
  if (KEYS[event.key]) {
    event.preventDefault();
    KEYS[event.key]();
  }
});

// ---------------------------------------------------------------- colours

const THEMES = { auto: "as the system says", dark: "dark", light: "light" };

function stored(value) {
  try {
    if (value !== undefined) localStorage.setItem("kernlint-theme", value);
    return localStorage.getItem("kernlint-theme");
  } catch {
    return null; // a browser that keeps nothing for files
  }
}

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId("theme").dataset.name = name;
  byId("theme").textContent = `colours: ${name}`;
  byId("theme").setAttribute("aria-label", `Colours: ${THEMES[name]}`);
}

function theme() {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(byId("theme").dataset.name) + 1) % names.length];
  setTheme(next);
  stored(next);
}

// ---------------------------------------------------------------- start

function tick(name, value, within) {
  const box = h("input", { type: "checkbox", id: `${name}-${value}`, checked: true, onchange: apply });
  byId(within).append(h("label", { class: "check" }, box, ` ${name === "space" ? named(value) : `${STATUS_MARK[value]} ${value}`}`));
}

function said() {
  const problems = data.problems.map((problem) => ({ ...problem, severity: problem.note ? "info" : "warning" }));
  const unique = data.checked ? data.findings : problems;
  if (!unique.length) return;
  byId("said").hidden = false;
  const grades = ["error", "warning", "info"].map((grade) => [grade, unique.filter(({ severity }) => severity === grade).length]).filter(([, count]) => count);
  byId("said-head").textContent = `${data.checked ? "Findings" : "Remarks"}: ${grades.map(([grade, count]) => `${count} ${grade}${count === 1 || grade === "info" ? "" : "s"}`).join(", ")}`;
  document.querySelector("#said details").open = !data.kernels.length || (!data.checked && grades[0][0] !== "info");
  byId("said-list").append(...unique.map((note) => {
    const go = () => {
      const index = data.kernels.findIndex((kernel) => kernel.name === note.kernel && note.place && kernel.accesses.concat(kernel.branches, kernel.faults).some(({ place }) => [0, 1].every((at) => place[at] === note.place[at])));
      if (index < 0) return;
      show(index);
      const item = everyItem[index].find(({ place }) => [0, 1, 2].every((at) => place[at] === note.place[at]));
      if (item) open(item.index);
      const row = document.querySelector(`#source tr[data-line="${note.place[0]}:${note.place[1]}"]`);
      if (row) row.scrollIntoView({ block: "center" });
    };
    const place = note.place && note.kernel ? h("button", { type: "button", onclick: go }, note.at) : h("span", {}, note.at);
    return h("li", {}, h("span", { class: `sev ${note.severity}` }, `${note.severity}[${note.code}] `), place, ` ${note.message}`);
  }));
}

function start() {
  setTheme(Object.hasOwn(THEMES, stored()) ? stored() : "auto");
  const files = data.files;
  [byId("filters"), document.querySelector(".panes")].forEach((part) => { part.hidden = !data.kernels.length; });
  document.title = `kernlint: ${files.length === 1 ? files[0] : `${files.length} files`}`;
  const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  byId("summary").textContent = `${many(data.kernels.length, "kernel")} in ${files.length === 1 ? files[0] : many(files.length, "file")}, for ${data.devices.map((device) => device.title).join(" and ")}`;
  byId("summary").title = data.devices.map((device) => device.model).join("\n");
  byId("kernels").append(kernelTable());
  const names = data.kernels.map((kernel) => kernel.name);
  byId("kernel").append(...data.kernels.map((kernel, index) => h("option", { value: `${index}` }, names.indexOf(kernel.name) === names.lastIndexOf(kernel.name) ? kernel.name : `${kernel.name}, ${fileOf(kernel)}${kernel.launch}`)));
  const used = new Set(everyItem.flat().map((item) => item.space));
  SPACES.filter((space) => used.has(space)).forEach((space) => tick("space", space, "spaces"));
  STATUSES.forEach((status) => tick("status", status, "statuses"));
  said();
  byId("kernel").addEventListener("change", (event) => show(Number(event.target.value)));
  byId("word").addEventListener("input", apply);
  byId("word").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); step(1); } });
  byId("problems").addEventListener("change", apply);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("theme").addEventListener("click", theme);
  NARROW.addEventListener("change", () => show(state.kernel));
  byId("help-open").addEventListener("click", () => byId("help").showModal());
  byId("source").addEventListener("focusin", (event) => { if (event.target.dataset.item) state.focus = Number(event.target.dataset.item); });
  const linked = /^#k(\d+)a(\d+)$/.exec(location.hash);
  show(linked && data.kernels[Number(linked[1])] ? Number(linked[1]) : 0);
  if (linked) open(Number(linked[2]));
}

start();
