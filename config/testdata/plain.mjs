// Writes plain.jsonl: expressions as plain scalars in block and flow style, and what js-yaml 4 and
// yaml 2 make of each.
//
//	node plain.mjs DIRECTORY-WITH-NODE_MODULES > plain.jsonl
//
// A line is [source, value]; [source] is refused by both. No line where the two differ is written.
import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(resolve(process.argv[2], "index.js"));
const readers = [require("js-yaml").load, require("yaml").parse];
const expressions = [
  "$.a ?? $.b", "$x ? 1 : 2", "$.a ?: 'x'", "$.a ?: x", "$.a?1:2", "$.a ? $.b", "?x", "? x", "$exists($.a) ? $.a : null", "a?", '$.a ?? "x"',
  "$.a[0] ?? 1", "$.list[a=1]", "$.list[0].name", '$.a & "?"', "-1", "- 1", "$.a # c", "$.a#c", "a: b", "a:b", "'a' ? 1 : 2", '"a" ? 1 : 2',
  "$map($.l, function($v) { $v })", '{"a": 1}', "[1, 2]", "$.a, $.b", "$.a}", "$.a ?", "$.a??$.b", "$.é ?? $.b", "$.a > 1", "$.a = 1", "~", "null",
  "$.a ? 1 :2", "$.a ?1: 2", '$.a ? {"a":1} : 2', "$.`a b` ?? 1", "($.a ?? 1) + 2", "$.a ??\n  $.b", "$count($.a) ?? 0", "$.a != ?", "a ?b? c",
];
const forms = [(e) => `expr: ${e}\n`, (e) => `a: {expr: ${e}}\n`, (e) => `a: {expr: ${e}, next: b}\n`, (e) => `a: [${e}]\n`, (e) => `a: [b, {"expr":${e}}]\n`];
for (const expression of expressions) {
  for (const form of forms) {
    const source = form(expression);
    const read = readers.map((reader) => {
      try {
        return JSON.stringify([source, reader(source)]);
      } catch {
        return JSON.stringify([source]);
      }
    });
    if (read[0] === read[1]) console.log(read[0]);
    else console.error("they differ:", read[0], read[1]);
  }
}
