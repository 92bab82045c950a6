// JSON whose numbers keep their digits and whose objects keep the order of their keys. JSON.parse
// makes 9007199254740992 of 9007199254740993, and sorts keys that look like numbers: a value that
// goes back to the server must not pass through it.
//
// An object is a Map, an array an Array, a number a Num; text, true, false and null are JavaScript's own.

// Num is a number as its text.
export class Num {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }

  valueOf() {
    return Number(this.text);
  }
}

// Invalid is why a text is no JSON: a message that names the line and column, and the offset.
export class Invalid extends Error {
  constructor(text, at, message) {
    const before = text.slice(0, at).split('\n');
    const [line, column] = [before.length, before.at(-1).length + 1];
    super(`line ${line}, column ${column}: ${message}`);
    Object.assign(this, { at, line, column });
  }
}

const DEEPEST = 1000; // levels, as on the server
const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const word = /[\w$+.-]+/y;
const words = { true: true, false: false, null: null };

// parse reads one value; what is wrong throws an Invalid. note is called with the path of each value, such as
// steps[0].args, and where it begins and ends.
export function parse(text, note = null, root = '') {
  let at = 0;
  const fail = (message, where = at) => {
    throw new Invalid(text, where, message);
  };
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const found = () => {
    if (at >= text.length) return 'the end of the text';
    word.lastIndex = at;
    return JSON.stringify(word.exec(text)?.[0].slice(0, 40) ?? [...text.slice(at, at + 2)][0]);
  };
  const quoted = (what) => {
    const raw = take(string);
    if (raw === undefined) fail(text[at] === '"' ? 'this text has no closing quote, or a line break or backslash that must be written as \\n or \\\\' : `expected ${what}, found ${found()}`);
    return JSON.parse(raw);
  };
  // list reads what stands between brackets, separated by commas.
  const list = (end, item) => {
    at++;
    take(space);
    if (text[at] === end) return at++;
    for (;;) {
      item();
      take(space);
      if (text[at] === end) return at++;
      if (text[at] !== ',') fail(`expected "," or "${end}", found ${found()}`);
      at++;
      take(space);
      if (text[at] === end) fail(`a comma must be followed by another value, found "${end}"`);
    }
  };
  const value = (depth, path) => {
    take(space);
    const from = at;
    const read = valueHere(depth, path);
    note?.(path, from, at);
    return read;
  };
  const valueHere = (depth, path) => {
    if (depth > DEEPEST) fail(`nested deeper than ${DEEPEST} levels`);
    const first = text[at];
    if (first === '{') {
      const out = new Map();
      list('}', () => {
        const where = at;
        const key = quoted('a key in double quotes');
        if (out.has(key)) fail(`the key ${JSON.stringify(key)} is there twice`, where);
        take(space);
        if (text[at] !== ':') fail(`expected ":" after the key, found ${found()}`);
        at++;
        out.set(key, value(depth + 1, note && within(path, key)));
      });
      return out;
    }
    if (first === '[') {
      const out = [];
      list(']', () => out.push(value(depth + 1, note && `${path}[${out.length}]`)));
      return out;
    }
    if (first === '"') return quoted('text');
    const where = at;
    const name = take(word);
    if (name in words && Object.hasOwn(words, name)) return words[name];
    if (name !== undefined) {
      at = where;
      if (take(number) === name) return new Num(name);
      at = where;
    }
    return fail(`expected a value, found ${found()}${/^[A-Za-z]/.test(name ?? '') ? '; text needs double quotes' : ''}`);
  };
  const out = value(0, root);
  take(space);
  if (at < text.length) fail(`expected the end of the text, found ${found()}`);
  return out;
}

const within = (path, key) => (/^[\w-]+$/.test(key) ? `${path}${path && '.'}${key}` : `${path}[${JSON.stringify(key)}]`);

// placeIn is the place of the value at a path of a text, [from, to], or that around it; null in a text that is no JSON.
// root is the path of the text itself.
export function placeIn(text, path, root = '') {
  const places = new Map();
  try {
    parse(text, (at, ...place) => places.set(at, place), root);
  } catch {
    return null;
  }
  let found = path;
  while (found && !places.has(found)) found = found.slice(0, Math.max(0, found.search(/(\.[^.[]*|\[[^[]*\]|^[^.[]*)$/)));
  return places.get(found) ?? null;
}

// invalid is why a text is no JSON, or null.
export function invalid(text) {
  try {
    parse(text);
    return null;
  } catch (error) {
    return error;
  }
}

// print writes a value of parse, or a plain one, as JSON; indented when a number of spaces is given.
export function print(value, indent = 0) {
  const write = (v, margin) => {
    if (v instanceof Num) return v.text;
    if (v === null || typeof v !== 'object') return JSON.stringify(v) ?? 'null';
    const array = Array.isArray(v);
    const inner = margin + ' '.repeat(indent);
    const entries = v instanceof Map ? [...v] : Object.entries(v);
    const parts = array ? v.map((item) => write(item, inner)) : entries.map(([key, item]) => `${JSON.stringify(key)}:${indent ? ' ' : ''}${write(item, inner)}`);
    const [begin, end] = array ? '[]' : '{}';
    if (!parts.length) return begin + end;
    return indent ? `${begin}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${end}` : `${begin}${parts.join(',')}${end}`;
  };
  return write(value, '');
}

// plain is a value as JSON.parse would give it: for what is only looked at.
export function plain(value) {
  if (value instanceof Num) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Map ? Object.fromEntries([...value].map(([key, v]) => [key, plain(v)])) : value;
}
