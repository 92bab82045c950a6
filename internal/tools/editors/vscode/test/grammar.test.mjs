import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { embedded, tokens } from './textmate.mjs';

// only returns the expressions of the lines that have one.
const only = (text) => embedded(text).map((line) => line.trim()).filter(Boolean);

test('expressions are found in all forms of YAML', () => {
  for (const [text, ...expected] of [
    ['expr: $.a.b', '$.a.b'],
    ['  - expr: $.a # note', '$.a # note'],
    ['x: {expr: $.a, b: 1}', '$.a'],
    ['x: [{expr: $.a}, {"expr":"$.b"}, {\'expr\': \'$.c\'}]', '$.a$.b$.c'],
    ["x: {expr: '[$.a, {\"b\": ''c''}]', y: 1}", "[$.a, {\"b\": ''c''}]"],
    ['x: {expr: "\\"a}\\\\\\"\\" & $.b"} # c', '\\"a}\\\\\\"\\" & $.b'],
    ['expr: |\n  (\n    $x\n\n  )\nnext: a', '(', '$x', ')'],
    ['expr: >- # note\n  $x\n  + 1\nnext: a', '$x', '+ 1'],
    ['- expr: |\n    $x\n  next: a', '$x'],
    ['- expr: $a &\n    $b\n  next: a', '$a &', '$b'],
    ['a:\n  expr: "$a &\n    $b"\n  next: a', '$a &', '$b'],
    ['retry: {until: $result.done, when: "$attempt < 2"}', '$result.done$attempt < 2'],
    ['forEach: {items: $.list.files}', '$.list.files'],
    ['forEach:\n  items: |\n    $.list\n  maxParallel: 2', '$.list'],
    ['- {id: a, if: args.on, each: found.files, as: f, key: $f.name, expr: $f.size}', 'args.onfound.files$f.name$f.size'],
    ['return: |\n  rows[n > 0]\nname: a', 'rows[n > 0]'],
    ["each: '[entries[kind = \"file\"]]'", '[entries[kind = "file"]]'],
    ['rule: {"<": [{var: $executionCount("a")}, {"var": "n.x"}]}', '$executionCount("a")n.x'],
  ]) assert.deepEqual(only(text), expected, text);
});

test('what only looks like an expression is left alone', () => {
  for (const text of [
    'description: |\n  expr: $.a\n\n  until: $.b',
    'description: the expr: $.a',
    'description: "a {expr: $.a}"',
    '# expr: $.a',
    'items: {type: string}',
    'items:\n  type: string',
    'items: [1, 2]',
    'key: name',
    'if: {type: object}',
    'mocks:\n  a: {when: {path: x}, result: {items: 1, until: later}}',
    'my.expr: $.a',
    'expr:$.a',
    'nexpr: $.a',
    '- |\n  expr: $.a\n- b',
  ]) assert.deepEqual(only(text), [], text);
});

const named = (expression) => tokens(`expr: |\n  ${expression}`)[1].filter((token) => token.text.trim())
  .map((token) => `${token.text} ${token.scopes.at(-1).replace('.jsonata', '')}`);

test('parts of expressions have their names', () => {
  assert.deepEqual(named('$.read-file.a.`b c`'), ['$ variable.language', '. punctuation.accessor', 'read variable.other.object.node',
    '- keyword.operator', 'file variable.other.property', '. punctuation.accessor', 'a variable.other.property', '. punctuation.accessor',
    '`b c` variable.other.property']);
  assert.deepEqual(named('$.`read-file`[0]').slice(2, 4), ['`read-file` variable.other.object.node', '[ punctuation.section']);
  assert.deepEqual(named('$sum($x) ~> $string'), ['$sum support.function', '( punctuation.section', '$x variable.other',
    ') punctuation.section', '~> keyword.operator', '$string variable.other']);
  assert.deepEqual(named('$item and true or $$.order'), ['$item variable.language', 'and keyword.operator.word', 'true constant.language',
    'or keyword.operator.word', '$$ variable.language', '. punctuation.accessor', 'order variable.other.property']);
  assert.deepEqual(named('$match(a, /x\\/[y]/i) / 2'), ['$match support.function', '( punctuation.section', 'a variable.other.property',
    ', punctuation.separator', '/x\\/[y]/ string.regexp', 'i keyword.other.flag', ') punctuation.section', '/ keyword.operator', '2 constant.numeric']);
  assert.deepEqual(named('"a\\n" ?? 1.5e3 /* c */').slice(0, 5), ['"a string.quoted', '\\n constant.character.escape', '" string.quoted',
    '?? keyword.operator', '1.5e3 constant.numeric']);
  assert.deepEqual(named('function($v) {$v.x := 1}').slice(0, 1), ['function storage.type.function']);
  assert.ok(named('/* a').every((name) => name.endsWith('comment.block')));
});

test('a comment that does not end is one only as far as its scalar', () => {
  const [line] = tokens("x: {expr: '$a /* b', type: mcp}");
  assert.ok(line.some(({ text, scopes }) => text === 'mcp' && scopes.at(-1) === 'storage.type.toolgraph'));
});

test('YAML has the names that themes know', () => {
  const scopes = (text) => tokens(text).flat().filter((token) => token.text.trim()).map((token) => token.scopes.at(-1).replace('.yaml', ''));
  assert.deepEqual(scopes('a b: "c\\n" # d'), ['entity.name.tag', 'punctuation.separator.key-value.mapping', 'string.quoted.double',
    'string.quoted.double', 'constant.character.escape', 'string.quoted.double', 'comment.line.number-sign']);
  assert.deepEqual(scopes('- {a: true, b: 1.5}'), ['punctuation.definition.block.sequence.item', 'punctuation.definition.flow.begin',
    'entity.name.tag', 'punctuation.separator.key-value.mapping', 'constant.language', 'punctuation.separator.sequence',
    'entity.name.tag', 'punctuation.separator.key-value.mapping', 'constant.numeric', 'punctuation.definition.flow.end']);
  assert.deepEqual(scopes('command: http://x:1/#y'), ['entity.name.tag', 'punctuation.separator.key-value.mapping', 'string.unquoted.plain']);
  assert.deepEqual(scopes('type: mcp'), ['entity.name.tag', 'punctuation.separator.key-value.mapping', 'storage.type.toolgraph']);
});

// EXPRESSIONS names a JSON file with the characters of expressions, as the loader of graph files finds them:
// [{path, text, lines: {"12": [3, 4, …]}}], lines from 0, columns in UTF-16.
test('the grammar finds the expressions that the loader finds', { skip: !process.env.EXPRESSIONS }, () => {
  let characters = 0;
  for (const { path, text, lines } of JSON.parse(readFileSync(process.env.EXPRESSIONS, 'utf8'))) {
    tokens(text).forEach((line, number) => {
      const expected = new Set(lines[number] ?? []);
      const where = `${path}:${number + 1}: ${text.split('\n')[number]}`;
      const columns = new Set(line.filter((token) => token.embedded).flatMap((token) => Array.from(token.text, (_, i) => token.start + i)));
      for (const column of expected) assert.ok(columns.has(column), `column ${column + 1} is part of an expression: ${where}`);
      const rest = line.filter((token) => token.embedded && !/comment\.line|escape|string/.test(token.scopes.join()) && token.text.trim());
      for (const token of rest) assert.ok(expected.has(token.start), `${token.text} is no part of an expression: ${where}`);
      characters += expected.size;
    });
  }
  assert.ok(characters > 10000, `only ${characters} characters of expressions`);
});
