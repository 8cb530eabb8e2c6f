"use strict";
// Formulas in the grammar of docs/laws.md: read, evaluated exactly, written as mathematics. A number is a fraction [p, q] of BigInts with
// q > 0; null where C defines no result, a name is missing, or a sum is too long.

const TOKEN = /\s*(?:(\d+)|([A-Za-z_][\w.']*)|`([^`]*)`|(\*\*|&&|\|\||<=|>=|==|!=|[-+*/(),:<>]))/y;
const LONGEST_SUM = 4096n; // terms
const MOST_TERMS = 16384; // of sums in sums
let terms = 0; // of the value at hand

// A tree of arrays: ["number", n], ["name", text], ["+", ..], ["*", ..], ["/", a, b], ["**", a, n], ["cases", [condition, value], ..], a comparison,
// "&&", "||", "true", "false", or a function with its arguments.
function parseLaw(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  for (let found; TOKEN.lastIndex < text.trimEnd().length && (found = TOKEN.exec(text)); )
    tokens.push(found[1] ? ["number", BigInt(found[1])] : found[2] ? ["word", found[2]] : found[3] !== undefined ? ["name", found[3]] : ["mark", found[4]]);
  let at = 0;
  const is = (mark) => at < tokens.length && tokens[at][0] === "mark" && tokens[at][1] === mark;
  const takes = (mark) => is(mark) && (at += 1) > 0;
  const several = (open, part, ...marks) => {
    const parts = [part()];
    while (marks.some(is)) parts.push(takes(marks[0]) ? part() : (takes(marks[1]), ["*", ["number", -1n], part()]));
    return parts.length === 1 ? parts[0] : [open, ...parts];
  };
  const list = (part) => {
    const parts = [];
    do parts.push(part()); while (takes(","));
    takes(")");
    return parts;
  };
  const atom = () => {
    const [kind, value] = tokens[at++];
    if (kind === "number" || kind === "name") return [kind, value];
    if (kind === "mark") { // "("
      const inner = sum();
      takes(")");
      return inner;
    }
    if (!takes("(")) return value === "true" || value === "false" ? [value] : ["name", value];
    if (value !== "cases") return [value, ...list(sum)];
    return ["cases", ...list(() => { const condition = either(); takes(":"); return [condition, sum()]; })];
  };
  const power = () => { const base = atom(); return takes("**") ? ["**", base, tokens[at++][1]] : base; };
  const product = () => {
    let left = power();
    while (is("*") || is("/")) left = takes("*") ? ["*", left, power()] : (takes("/"), ["/", left, power()]);
    return left;
  };
  const signed = () => (takes("-") ? ["*", ["number", -1n], product()] : product());
  const sum = () => several("+", signed, "+", "-");
  const comparison = () => { const left = sum(); return Object.keys(COMPARED).some(is) ? [tokens[at++][1], left, sum()] : left; };
  const both = () => several("&&", comparison, "&&");
  const either = () => several("||", both, "||");
  return either();
}

// ---------------------------------------------------------------- values

const COMPARED = { "<=": (d) => d <= 0n, ">=": (d) => d >= 0n, "==": (d) => d === 0n, "!=": (d) => d !== 0n, "<": (d) => d < 0n, ">": (d) => d > 0n };
const flag = (truth) => (truth ? 1n : 0n);
const residue = (a, b) => (b === 0n ? null : ((a % b) + b * flag(a % b !== 0n && (a < 0n) !== (b < 0n))));
const floor = (a, b) => (b === 0n ? null : (a - residue(a, b)) / b);
const magnitude = (a) => (a < 0n ? -a : a);
const gcd = (a, b) => (b === 0n ? magnitude(a) : gcd(b, a % b));
const shifted = (by) => (a, bits) => (bits >= 0n && bits < 64n ? by(a, bits) : null);

function digits(value, base) {
  if (base < 2n) return null;
  let count = 0n;
  for (; value > 0n; value /= base) count += 1n;
  return count;
}

// Of integers; the same table as kernlint.laws.functions.
const FUNCTIONS = {
  div: (a, b) => (b === 0n ? null : a / b), rem: (a, b) => (b === 0n ? null : a % b),
  shl: shifted((a, bits) => a << bits), shr: shifted((a, bits) => a >> bits),
  band: (a, b) => a & b, bor: (a, b) => a | b, bxor: (a, b) => a ^ b, bnot: (a) => ~a,
  choice: (a, b, c) => (a ? b : c), both: (a, b) => flag(a && b), either: (a, b) => flag(a || b), negated: (a) => flag(!a),
  eq: (a, b) => flag(a === b), ne: (a, b) => flag(a !== b), lt: (a, b) => flag(a < b), le: (a, b) => flag(a <= b), gt: (a, b) => flag(a > b), ge: (a, b) => flag(a >= b),
  gcd, mod: residue, floordiv: floor, ceildiv: (a, b) => (b === 0n ? null : -floor(-a, b)), abs: magnitude,
  digits, power: (a, b) => (b >= 0n && b < 64n ? a ** b : null),
  table: (at, ...values) => (at >= 0n && at < values.length ? values[Number(at)] : null),
  max: (...all) => all.reduce((a, b) => (a > b ? a : b)), min: (...all) => all.reduce((a, b) => (a < b ? a : b)),
  ...Object.fromEntries([8, 16, 32, 64].flatMap((bits) => [[`u${bits}`, (a) => BigInt.asUintN(bits, a)], [`i${bits}`, (a) => BigInt.asIntN(bits, a)]])),
};

const whole = (number) => (number && number[1] === 1n ? number[0] : null);

function fraction(p, q) {
  const shared = gcd(p, q) * (q < 0n ? -1n : 1n);
  return [p / shared, q / shared];
}

function valueOf(tree, point) {
  const [kind, ...rest] = tree;
  if (kind === "number") return [rest[0], 1n];
  if (kind === "name") return Object.hasOwn(point, rest[0]) ? [point[rest[0]], 1n] : null;
  if (kind === "cases") {
    for (const [condition, value] of rest) {
      const holds = holdsAt(condition, point);
      if (holds !== false) return holds ? valueOf(value, point) : null;
    }
    return null;
  }
  if (kind === "sum") return sumOf(rest, point);
  if (kind === "**") {
    const base = valueOf(rest[0], point);
    return base && fraction(base[0] ** rest[1], base[1] ** rest[1]);
  }
  const parts = rest.map((one) => valueOf(one, point));
  if (kind === "*" && parts.some((one) => one && one[0] === 0n)) return [0n, 1n]; // whatever the other factor is
  if (parts.includes(null)) return null;
  if (kind === "+") return parts.reduce(([a, b], [c, d]) => fraction(a * d + c * b, b * d));
  if (kind === "*") return fraction(parts[0][0] * parts[1][0], parts[0][1] * parts[1][1]);
  if (kind === "/") return parts[1][0] === 0n ? null : fraction(parts[0][0] * parts[1][1], parts[0][1] * parts[1][0]);
  const integers = parts.map(whole);
  const found = integers.includes(null) ? null : FUNCTIONS[kind](...integers);
  return found === null ? null : [found, 1n];
}

function sumOf([[, counter], extent, term], point) {
  const count = whole(valueOf(extent, point));
  if (count === null || count > LONGEST_SUM) return null;
  let total = [0n, 1n];
  for (let k = 0n; k < count; k += 1n) {
    const one = (terms += 1) > MOST_TERMS ? null : valueOf(term, { ...point, [counter]: k });
    if (one === null) return null;
    total = fraction(total[0] * one[1] + one[0] * total[1], total[1] * one[1]);
  }
  return total;
}

// The integer that a formula is at a point, or null.
function integerAt(tree, point) {
  terms = 0;
  return whole(valueOf(tree, point));
}

// Whether a condition holds at a point; null where that is not known.
function holdsAt([kind, ...rest], point) {
  if (kind === "true" || kind === "false") return kind === "true";
  if (kind === "&&" || kind === "||") {
    const parts = rest.map((one) => holdsAt(one, point));
    const ends = kind === "||";
    return parts.includes(ends) ? ends : parts.includes(null) ? null : !ends;
  }
  const [a, b] = rest.map((one) => valueOf(one, point));
  return a && b ? COMPARED[kind](a[0] * b[1] - b[0] * a[1]) : null;
}

// The names that a formula has values for, in order.
function namesIn(tree, bound = []) {
  const [kind, ...rest] = tree;
  if (kind === "number") return [];
  if (kind === "name") return bound.includes(rest[0]) ? [] : [rest[0]];
  if (kind === "sum") return [...namesIn(rest[1], bound), ...namesIn(rest[2], [...bound, rest[0][1]])];
  const parts = kind === "cases" ? rest.flat() : kind === "**" ? [rest[0]] : rest;
  return [...new Set(parts.flatMap((one) => namesIn(one, bound)))];
}

// ---------------------------------------------------------------- mathematics

function math(tag, ...children) {
  const made = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  made.append(...children);
  return made;
}

const SIGNS = { "<=": "\u2264", ">=": "\u2265", "==": "=", "!=": "\u2260", "&&": "and", "||": "or" };
const LOOSE = ["+", "/", "mod", "&&", "||", ...Object.keys(COMPARED)]; // what stands in brackets as a factor
const sign = (text) => math("mo", text);
const bracketed = (...inside) => math("mrow", sign("("), ...inside, sign(")"));
const between = (parts, mark) => parts.flatMap((part, index) => (index ? [mark(), part] : [part]));
const negative = (tree) => tree[0] === "*" && ((tree[1][0] === "number" && tree[1][1] === -1n) || negative(tree[1]));
const opposite = (tree) => (tree[1][0] === "number" ? tree[2] : ["*", opposite(tree[1]), tree[2]]);

function factor(tree) {
  return LOOSE.includes(tree[0]) || negative(tree) ? bracketed(written(tree)) : written(tree);
}

function rounded(open, close) {
  return (a, b) => math("mrow", sign(open), math("mfrac", written(a), written(b)), sign(close));
}

const WRITTEN = {
  number: (n) => math("mn", `${n}`),
  name: (text) => math("mi", text),
  "+": (...parts) => math("mrow", ...parts.flatMap((part, index) => (negative(part) ? [sign("\u2212"), factor(opposite(part))] : index ? [sign("+"), written(part)] : [written(part)]))),
  "*": (a, b) => (negative(["*", a, b]) ? math("mrow", sign("\u2212"), factor(opposite(["*", a, b]))) : math("mrow", factor(a), sign("\u00b7"), factor(b))),
  "/": (a, b) => math("mfrac", written(a), written(b)),
  "**": (a, n) => math("msup", factor(a), math("mn", `${n}`)),
  power: (a, b) => math("msup", factor(a), written(b)),
  mod: (a, b) => math("mrow", factor(a), math("mo", "mod"), factor(b)),
  floordiv: rounded("\u230a", "\u230b"),
  ceildiv: rounded("\u2308", "\u2309"),
  sum: (counter, extent, term) => math("mrow", math("munderover", sign("\u2211"), math("mrow", written(counter), sign("="), math("mn", "0")),
    math("mrow", written(extent), sign("\u2212"), math("mn", "1"))), factor(term)),
  cases: (...arms) => math("mrow", sign("{"), math("mtable", ...arms.map(([condition, value]) => math("mtr", math("mtd", written(value)),
    math("mtd", condition[0] === "true" ? math("mtext", "otherwise") : math("mrow", math("mtext", "if\u00a0"), written(condition))))))),
  true: () => math("mtext", "always"),
  false: () => math("mtext", "never"),
};

function written([kind, ...rest]) {
  if (WRITTEN[kind]) return WRITTEN[kind](...rest);
  if (kind === "&&" || kind === "||") return math("mrow", ...between(rest.map(written), () => math("mtext", `\u00a0${SIGNS[kind]}\u00a0`)));
  if (COMPARED[kind]) return math("mrow", ...between(rest.map(written), () => sign(SIGNS[kind] || kind)));
  return math("mrow", math("mi", kind), bracketed(...between(rest.map(written), () => sign(","))));
}

const LONG = 110; // letters of a formula that is easier to read as text

// A formula as mathematics; its text is what it says to those who do not see it, and on hovering.
function formula(text) {
  if (text.length > LONG) return h("code", { class: "formula" }, text);
  const made = math("math", written(parseLaw(text)));
  made.setAttribute("aria-label", text);
  return h("span", { class: "formula", title: text }, made);
}
