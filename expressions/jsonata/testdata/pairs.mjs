// Makes pairs of an expression and data with the answers of jsonata (npm):
//
//	node pairs.mjs SEED COUNT DIRECTORY_WITH_NODE_MODULES [rare] > pairs.jsonl
//
// The first line is the list of data, each other line {d, e, v}: the place of the data,
// the expression, and its value as JSON ("undefined" and "error CODE" as text in k). With
// rare the expressions are those of pairs_rare.mjs, and a line may have a second answer
// (v2, k2): that of the same calls with all arguments, where jsonata-js gives another one.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { rareGrammar, wrapped } from './pairs_rare.mjs';

const [seed, count, modules, grammar] = process.argv.slice(2);
const jsonata = createRequire(resolve(modules, 'package.json'))('jsonata');

let state = BigInt(seed) * 6364136223846793005n + 1442695040888963407n;
const random = (n) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
  return Number((state >> 33n) % BigInt(n));
};
const pick = (list) => list[random(list.length)];

// Data: lists of 0, 1, 2 and 4 items, whose own lists are of those lengths too.
const words = ['red', 'blue', 'wool', 'silk', 'Straße', 'a b', '', 'ÀB', '12', '😀x'];
const lengths = [0, 1, 2, 4];
const item = (id) => {
  const it = { id, name: pick(['hat', 'cap', 'scarf', 'hat']), price: pick([5, 21.67, 34.45, 107.99, 2.675, -3]), qty: random(4) };
  if (random(5) > 0) it.tags = Array.from({ length: pick(lengths) }, () => pick(words));
  if (random(4) > 0) it.sub = { x: random(9), y: pick(words), list: Array.from({ length: pick(lengths) }, (_, i) => ({ k: i, w: pick(words) })) };
  if (random(4) === 0) it.opt = pick([null, true, false, 0, [], {}, [[1, 2], [3]], [[]]]);
  return it;
};
const data = [];
for (const n of lengths) {
  for (let round = 0; round < 3; round++) {
    data.push({
      items: Array.from({ length: n }, (_, i) => item(i + 1)),
      other: Array.from({ length: pick(lengths) }, (_, i) => ({ id: random(5), label: pick(words) })),
      two: [{ v: [] }, { v: Array.from({ length: pick(lengths) }, () => random(9)) }].slice(0, 1 + random(2)),
      nums: Array.from({ length: n }, () => pick([1, 2, 2, 3, -4, 2.5, 1e10])),
      texts: Array.from({ length: n }, () => pick(words)),
      matrix: Array.from({ length: n }, () => Array.from({ length: pick(lengths) }, () => random(5))),
      one: [7], none: [], obj: { a: 1, b: [2], c: { d: [3, 4] } }, flag: n > 1, text: pick(words), nul: null, n,
      ...(grammar === 'rare' && { big: 2 ** 60, huge: 1e20, tiny: 5e-324, ids: [2 ** 53, 2 ** 53 + 2, 1e17, 1e20].slice(0, n) }),
    });
  }
}

// Expressions, by what they give.
const itemFields = ['tags', 'tags', 'name', 'price', 'qty', 'id', 'sub', 'opt', 'sub.x', 'sub.list', 'sub.list.w', 'sub.y'];
const field = () => pick(itemFields);
const fieldsOf = { items: itemFields, '$.items': itemFields, other: ['id', 'label'], two: ['v'], 'items.sub.list': ['k', 'w'] };
const list = () => pick(['items', 'items', 'items', 'other', 'two', 'nums', 'texts', 'matrix', 'one', 'none', 'obj.b', '$.items', 'nothing', '[]', 'items.sub.list', 'items.tags', 'two.v']);
const condition = () => pick(['price > 4', 'qty = 1', 'name = "hat"', 'tags', 'sub.x > 3', '"red" in tags', '$count(tags) = 1', 'id < 3', 'opt', 'true', 'false', '$exists(sub)', 'tags[0] = "red"', 'label = "red"', '$ > 1', 'not_there']);
const filter = () => pick(['0', '-1', '1', '[0..1]', '[0]', '[[0..1]]', '$', ...Array.from({ length: 6 }, condition)]);
const order = () => pick(['price', '>price', '<name', 'name, >price', 'qty, id', '>id', '$', '>$', 'sub.x']);
const path = (d) => {
  let e = list();
  const fields = fieldsOf[e] ?? itemFields;
  for (let i = 1 + random(4); i > 0; i--) {
    switch (random(12)) {
      case 0: case 1: case 2: if (random(8) === 0 || e in fieldsOf || /[\])]$/.test(e)) e += `.${pick(fields)}`; break;
      case 3: case 4: case 5: e += `[${filter()}]`; break;
      case 6: e += '[]'; break;
      case 7: e += `^(${order()})`; break;
      case 8: e = `(${e})`; break;
      case 9: e += `.(${d > 0 ? expr(d - 1) : field()})`; break;
      case 10: e += pick(['.*', '.$', '.**', '.[id, name]', '.{"k": id}', '.{name: tags}', '.[tags]', '.[[id]]']); break;
      case 11: e += pick(['#$i', '#$i.{"i": $i, "v": $}', '@$v.{"v": $v.id}', '#$i[$i < 1]', '.tags.(%.name)', '.sub.list.{"n": %.x, "w": w}', '@$v.other[id = $v.id].{"a": $v.name, "b": label}']); break;
    }
  }
  if (random(8) === 0) e += pick(['{name: $sum(qty)}', '{name: $.id}', '{name: tags}', '{"all": $count($)}', '{"k" & id: $.price}', '{name: $}']);
  return e;
};
const lambda = () => pick(['function($v){$v}', 'function($v){$v.tags}', 'function($v, $i){$i}', 'function($v, $i, $a){$count($a)}', 'function($v){[$v]}', 'function($v){$v.id}', 'function($v){$v.name = "hat"}', 'function($v){$filter($v.tags, function($t){$t = "red"})}', '$string', 'function($v){$v.nothing}', '$count', '$exists', 'function($v, $i){$i < 1}']);
const call = (d) => {
  const a = () => expr(d - 1);
  return pick([
    () => `$distinct(${a()})`, () => `$count(${a()})`, () => `$exists(${a()})`, () => `$type(${a()})`, () => `$string(${a()})`,
    () => `$map(${a()}, ${lambda()})`, () => `$filter(${a()}, ${lambda()})`, () => `$sort(${a()})`, () => `$sort(${a()}, function($l, $r){$l.price > $r.price})`,
    () => `$reverse(${a()})`, () => `$append(${a()}, ${a()})`, () => `$zip(${a()}, ${a()})`, () => `$sum(${a()})`, () => `$max(${a()})`, () => `$average(${a()})`,
    () => `$merge(${a()})`, () => `$spread(${a()})`, () => `$keys(${a()})`, () => `$lookup(${a()}, "${pick(['tags', 'name', 'a', 'b'])}")`,
    () => `$each(${a()}, function($v, $k){$k})`, () => `$sift(${a()}, function($v){$v})`, () => `$single(${a()}, ${lambda()})`,
    () => `$reduce(${a()}, function($p, $v){$append($p, $v)})`, () => `$reduce(${a()}, function($p, $v){$p & $v}, "")`,
    () => `$join(${a()}, "-")`, () => `$boolean(${a()})`, () => `$not(${a()})`, () => `(${a()}) ~> $count()`, () => `${path(0)} ~> $distinct`, () => `${path(0)} ~> $map(${lambda()})`,
    () => `$number(${pick(['text', 'flag', '"12"', '" 12 "', '"1_000"', '"0x1F"', '"1e3"', 'n', '"-0.5"', 'nul'])})`,
    () => `$round(${pick(['2.675', '34.45', 'items[0].price', '-1.5', '2.5', '1234.5'])}, ${pick(['0', '1', '2', '-1', '-2'])})`,
    () => `$formatNumber(${pick(['2.675', '34.45', '1e10', 'items[0].price', '0', '-12.5', '1234567.891', '0.14'])}, ${pick(['"0.00"', '"0.0"', '"#.##e0"', '"#,##0.00"', '"0"', '"#,##0"', '"00.0%"', '"0.###"', '"(0);-0"'])})`,
    () => `$formatBase(${pick(['2.5', '255', '-7', 'n', '1e9'])}, ${pick(['2', '16', '36', '8'])})`,
    () => `$uppercase(${pick(['text', '"straße"', 'texts[0]', '"ŉ"'])})`, () => `$lowercase(${pick(['text', '"ΑΣ"', '"ÀÉ"'])})`, () => `$length(${pick(['text', '"😀a"', 'texts[0]'])})`,
    () => `$substring(${pick(['"hello"', 'text', '"😀ab"'])}, ${pick(['0', '1', '-2', '-9', '9', '1.5', '-0.5', '-1.5', 'nothing'])}${pick(['', ', 2', ', 0', ', -1', ', 1.7', ', nothing'])})`,
    () => `$substringBefore("a-b-c", ${pick(['"-"', '"x"', '""', 'nothing'])})`, () => `$substringAfter("a-b-c", ${pick(['"-"', '"x"', '""', 'nothing'])})`,
    () => `$trim(${pick(['"  a  b "', 'text', '"\\n a\\t"'])})`, () => `$pad("ab", ${pick(['5', '-5', '1', '4.9'])}${pick(['', ', "#"', ', "xy"', ', ""'])})`,
    () => `$match(${pick(['"abcabc"', '"a1b22"', 'text', '""'])}, ${pick(['/b/', '/(x)?b/', '/([a-z])(\\d+)?/', '/z/', '/a*/', '/\\d+/'])}${pick(['', ', 1', ', 0'])})`,
    () => `$contains(${pick(['"abc"', 'text', 'name'])}, ${pick(['/b/', '"b"', '/^c/', '""'])})`,
    () => `$replace("aabbc", ${pick(['/b/', '"b"', '/(a)(x)?/', '/z/'])}, ${pick(['"-"', '"[$1$2]"', '"$0$0"', '"$$"', '"$x"'])}${pick(['', ', 1', ', 0'])})`,
    () => `$split(${pick(['"a,b,c"', 'name', '"a1b2"'])}, ${pick(['","', '""', '/\\d/', '/z/'])}${pick(['', ', 1', ', 2', ', 0'])})`,
    () => `$power(${pick(['2', '-2', '0'])}, ${pick(['3', '0.5', '-1'])})`, () => `$sqrt(${pick(['4', '-1', '2'])})`, () => `(1/0) ${pick(['+', '='])} ${pick(['nothing', '1'])}`, () => `$abs(-2)`, () => `$floor(-1.5)`, () => `$ceil(1.2)`,
    () => `$encodeUrlComponent(${pick(['"a b/ü"', 'text'])})`, () => `$decodeUrlComponent(${pick(['"a%20b"', '"%E0"', '"%"', '"%C3%BC"'])})`, () => `$base64encode("abc")`, () => `$base64decode("YWJj")`,
  ])();
};
const operators = ['=', '!=', '<', '>=', '+', '-', '*', '/', '%', '&', '&', 'and', 'or', 'in', '??', '?:'];
const expr = (d) => {
  if (d <= 0) return random(6) ? path(0) : pick(['1', '"x"', 'true', 'null', '-5', '2.5', 'n', 'text', 'flag', '[1]', '[]', '{}', '[[1]]', '-5%3', '[1..3]', '[n..2]']);
  return pick([
    () => path(d), () => path(d), () => path(d), () => call(d), () => call(d), () => call(d),
    () => `[${expr(d - 1)}]`, () => `[${expr(d - 1)}, ${expr(d - 1)}]`, () => `{"a": ${expr(d - 1)}}`, () => `{"a": ${expr(d - 1)}}.a`, () => `{"a": ${expr(d - 1)}, "b": ${expr(d - 1)}}`,
    () => `${expr(d - 1)} ${pick(operators)} ${expr(d - 1)}`, () => `(${expr(d - 1)}) ${pick(operators)} (${expr(d - 1)})`,
    () => `${pick(['flag', 'n > 1', path(0)])} ? ${expr(d - 1)} : ${expr(d - 1)}`,
    () => `($x := ${expr(d - 1)}; ${pick(['$x', '$x[0]', '$x.tags', '$count($x)', '[$x]', '$x[]', '$distinct($x)', '{"x": $x}', '$x.name', '$x^(price)'])})`,
    () => `(${expr(d - 1)})${pick(['[0]', '[]', '.name', '.tags', '[0][]', '{name: id}', '^(price)', '[-1]', '.id', '[[0..1]]', '.*'])}`,
    () => `${list()} & ${path(0)}^(${order()})`,
  ])();
};

// answer is the value of an expression over a data: {v}, or {k} where there is none; null
// when it is no reference, because of a fault of jsonata-js itself: an error of JavaScript's; grouping
// an empty array of the input, which changes the input; S0302: a division behind "[]" is read as a
// regular expression.
const answer = async (e, d) => {
  const before = JSON.stringify(data[d]);
  const input = JSON.parse(before);
  const line = {};
  try {
    const value = await jsonata(e).evaluate(input);
    const text = JSON.stringify(value);
    if (value === undefined) line.k = 'undefined';
    else if (text === undefined) line.k = 'error function';
    else line.v = JSON.parse(text);
  } catch (error) {
    line.k = `error ${error.code ?? 'internal'}`;
  }
  return line.k === 'error internal' || line.k === 'error S0302' || JSON.stringify(input) !== before ? null : line;
};

const rare = grammar === 'rare' && rareGrammar({ random, pick, expr, path, lambda, condition, order });
const lines = [JSON.stringify(data)];
for (let i = 0; i < Number(count); i++) {
  const d = random(data.length);
  const e = rare ? rare() : expr(1 + random(2));
  // Left of ?: and ?? jsonata-js loses a regular expression, and may then never end.
  if (/\?[:?]/.test(e) && e.includes('/')) continue;
  // Of an item that a predicate selects twice, jsonata-js numbers the last only.
  if (/\[\$\]#\$i/.test(e)) continue;
  // The first key of a group over variables takes the context from the second there.
  if (/[@#]\$|%/.test(e) && e.includes('{"a": id, "b"')) continue;
  // Behind a sort over variables, predicates and groups read the wrong values there.
  if (rare && /([@#]\$|%).*\^\(/.test(e)) continue;
  // A power that Math.pow does not round correctly shows in digits there.
  if (e.includes('$power') && /\$formatBase|\$formatInteger|\$length/.test(e)) continue;
  // $formatNumber of a number that is not finite never ends there.
  if (e.includes('$formatNumber') && /tiny|5e-324|1\.?5?e300|1e3|\$power/.test(e)) continue;
  const full = rare ? wrapped(e) : e;
  const one = await answer(e, d);
  // A function of the library that is passed on by a last call fails there: its own block is not one.
  const two = full !== e && ((await answer(full, d)) ?? (await answer(wrapped(e, '($all := ', '; $all)'), d)));
  if (!one && !two) continue;
  const line = { d, e, ...(one ?? two) };
  if (one && two && JSON.stringify(one) !== JSON.stringify(two)) Object.assign(line, { v2: two.v, k2: two.k });
  lines.push(JSON.stringify(line));
}
process.stdout.write(lines.join('\n') + '\n');
