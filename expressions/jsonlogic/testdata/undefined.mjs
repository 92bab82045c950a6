// Writes undefined.jsonl: every operator of JSON Logic over a var that yields nothing, and the
// answers of json-logic-js for JavaScript's undefined in its place, as mcpGraph asks it.
//
//	node undefined.mjs DIRECTORY-WITH-NODE_MODULES > undefined.jsonl
//
// A line is [rule, answer], or [rule, answer, toolgraph's, exception]. An answer that JSON does
// not have (undefined, NaN) is null. The exceptions are
//
//	arity  json-logic-js takes an undefined last argument for one that was not written
//	word   json-logic-js looks for the word "undefined" in a text, and for undefined in a list
import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(resolve(process.argv[2], "index.js"));
const js = require("json-logic-js");
js.add_operation("log", (a) => a); // its own prints
const gone = { var: "gone" };

const isVar = (rule) => rule !== null && typeof rule === "object" && !Array.isArray(rule) && "var" in rule;
const filled = (rule) => {
  if (isVar(rule)) return rule.var === "gone" ? undefined : rule; // others are of a body
  if (Array.isArray(rule)) return rule.map(filled);
  if (rule === null || typeof rule !== "object") return rule;
  return Object.fromEntries(Object.entries(rule).map(([key, value]) => [key, filled(value)]));
};
const answer = (rule) => JSON.stringify(js.apply(filled(rule), {}) ?? null);

const others = [null, true, false, 0, 1, -3, "", "a", "12", "undefined", [], [1], [null], gone];
const rules = [gone, [gone, [gone]]];
for (const op of ["==", "!=", "===", "!==", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "min", "max", "in", "cat", "merge", "and", "or", "if"]) {
  for (const other of others) rules.push({ [op]: [gone, other] }, { [op]: [other, gone] });
}
for (const op of ["!", "!!", "+", "-", "*", "min", "max", "cat", "merge", "and", "or", "if", "log"]) rules.push({ [op]: [gone] });
for (const op of ["<", "<="]) rules.push({ [op]: [gone, 1, 2] }, { [op]: [0, gone, 2] }, { [op]: [0, 1, gone] });
for (const op of ["+", "*", "min", "max", "cat", "merge"]) rules.push({ [op]: [1, gone, 3] });
for (const op of ["<", ">", "==", "==="]) {
  for (const sum of [{ "+": [gone, 1] }, { "-": [gone] }, { "*": [2, gone] }, { "/": [1, gone] }, { "%": [gone, 2] }, { max: [gone, 1] }]) {
    rules.push({ [op]: [sum, 5] }, { [op]: [5, sum] });
  }
}
rules.push(
  { if: [gone, "yes", "no"] }, { "?:": [gone, "yes", "no"] }, { if: [false, 1, gone, 2, 3] }, { if: [true, gone, 1] },
  { and: [true, gone] }, { or: [false, gone] }, { "!": [{ and: [true, gone] }] },
  { substr: [gone, 1] }, { substr: ["abcdef", gone] }, { substr: ["abcdef", gone, 2] }, { substr: ["abcdef", 1, gone] },
  { in: ["a", [gone, "a"]] }, { in: [null, [gone]] }, { in: [gone, [gone]] }, { cat: [[1, gone, [gone]]] },
  { "+": [[gone]] }, { "<": [[gone], 1] }, { "!": [[gone]] }, { merge: [[1, gone], gone] },
  { map: [gone, 1] }, { filter: [gone, true] }, { all: [gone, true] }, { some: [gone, true] }, { none: [gone, true] },
  { map: [[1, 2], gone] }, { filter: [[1, 2], gone] }, { all: [[1], gone] }, { some: [[1], gone] }, { none: [[1], gone] },
  { map: [[gone, 1], { "<": [{ var: "" }, 5] }] }, { filter: [[gone, 1], { "==": [{ var: "" }, null] }] },
  { reduce: [gone, { var: "current" }, 7] }, { reduce: [[1, 2], gone, 7] },
  { reduce: [[1, 2], { "+": [{ var: "accumulator" }, { var: "current" }] }, gone] },
  { reduce: [[1], { "===": [{ var: "accumulator" }, null] }, gone] },
  { reduce: [[1, gone], { "+": [{ var: "accumulator" }, { var: "current" }] }, 0] },
  { missing: [gone] }, { missing: ["a", gone] }, { missing_some: [gone, ["a"]] },
);

const plain = rules.map(answer);
const patches = [
  ["arity", () => {
    js.add_operation("-", function (a, b) { return arguments.length < 2 ? -a : a - b; });
    js.add_operation("<", function (a, b, c) { return a < b && (arguments.length < 3 || b < c); });
    js.add_operation("<=", function (a, b, c) { return a <= b && (arguments.length < 3 || b <= c); });
  }],
  ["word", () => {
    const before = (a, b) => Boolean(b) && typeof b.indexOf !== "undefined" && b.indexOf(a) !== -1;
    js.add_operation("in", (a, b) => a !== undefined && before(a, b));
  }],
];
const lines = plain.map((text) => [text]);
for (const [name, patch] of patches) {
  patch();
  rules.forEach((rule, i) => {
    const now = answer(rule);
    if (now !== lines[i].at(-1) && lines[i].length === 1) lines[i] = [plain[i], now, JSON.stringify(name)];
  });
}
rules.forEach((rule, i) => console.log(`[${JSON.stringify(rule)},${lines[i].join(",")}]`));
