import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid, parse, plain, print } from '../../../internal/debugger/web/src/lib/json.js';

test('digits of numbers and the order of keys stay', () => {
  for (const text of ['9007199254740993', '[1.10,1e400,-0]', '{"10":1,"2":2,"__proto__":{"a":null},"constructor":"x"}', '{}', '[]', '"\\ud800\\n"', 'true']) {
    assert.equal(print(parse(text)), text);
  }
  assert.equal(print(parse('{"a":[1,{"b":2}],"c":{}}'), 2), JSON.stringify({ a: [1, { b: 2 }], c: {} }, null, 2));
  assert.deepEqual(plain(parse('{"a":[1,"x",null]}')), { a: [1, 'x', null] });
});

test('a message names the place and what was expected', () => {
  for (const [text, message] of [
    ['{"a":1,}', 'line 1, column 8: a comma must be followed by another value, found "}"'],
    ['{"a" 1}', 'line 1, column 6: expected ":" after the key, found "1"'],
    ['{a:1}', 'line 1, column 2: expected a key in double quotes, found "a"'],
    ['[1,\n 02]', 'line 2, column 2: expected a value, found "02"'],
    ['hello', 'line 1, column 1: expected a value, found "hello"; text needs double quotes'],
    ['{"a":1,"a":2}', 'line 1, column 8: the key "a" is there twice'],
    ['[1', 'line 1, column 3: expected "," or "]", found the end of the text'],
    ['1 2', 'line 1, column 3: expected the end of the text, found "2"'],
    ['', 'line 1, column 1: expected a value, found the end of the text'],
    ['['.repeat(2000), 'line 1, column 1002: nested deeper than 1000 levels'],
  ]) assert.equal(invalid(text)?.message, message);
  for (const text of ['NaN', "'x'", '-', '1.', '.5', '"a\nb"', '"a', 'toString', '\ufeff1', 'tru']) assert.ok(invalid(text), text);
});
