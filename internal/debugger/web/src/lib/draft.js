// A draft is the content of a form, a tree that no schema is needed for: {text} is text, {json} any other value
// as it was typed, {items: [{id, of}]} an array, {keys: [{id, key, of}]} an object, null what is not given. A
// whole form as JSON is {raw}. What was typed stays when it is wrong, and numbers keep their digits.
import { Num, invalid, parse, print } from './json.js';
import { describe, itemOf, nullable, propertyOf, typesOf } from './schema.js';

let last = Date.now();
export const newId = () => ++last; // also after those of drafts that an earlier page has stored

// fromValue is the draft of a value of lib/json.js.
export function fromValue(value) {
  if (typeof value === 'string') return { text: value };
  if (Array.isArray(value)) return { items: value.map((v) => ({ id: newId(), of: fromValue(v) })) };
  if (value !== null && typeof value === 'object' && !(value instanceof Num)) {
    return { keys: (value instanceof Map ? [...value] : Object.entries(value)).map(([key, v]) => ({ id: newId(), key, of: fromValue(v) })) };
  }
  return { json: print(value) };
}

// draftOf begins a draft with a value's JSON, or with the defaults of the schema.
export function draftOf(schema, json) {
  if (json === undefined) return startOf(schema, schema, true);
  try {
    return fromValue(parse(json));
  } catch {
    return { raw: json };
  }
}

// startOf is the draft of a value that is given: of an object with what it must have, of a list without items.
export function startOf(schema, root, needed) {
  const s = describe(schema, root);
  if (s.default !== undefined) return fromValue(s.default);
  if (!needed) return null;
  if (s.choices?.length === 1) return fromValue(s.choices[0].value);
  const [type] = [...typesOf(s), ...(s.properties.size ? ['object'] : [])];
  if (type === 'array') return { items: [] };
  if (type !== 'object') return null;
  const keys = [...s.properties].map(([key, sub]) => ({ id: newId(), key, of: startOf(sub, root, s.required.has(key) && deeper(sub, schema)) }));
  return { keys: keys.filter((k) => k.of) };
}
const deeper = (sub, schema) => sub !== schema; // an object that must have itself has no end

// editorOf is how a field is edited: string, number, boolean, enum, choices, list, object, branches or json.
export function editorOf(s, draft) {
  const none = !draft || (draft.json === 'null' && nullable(s));
  if (s.choices) return none || s.choices.some((c) => c.text === compact(draft)) ? 'enum' : 'json';
  if (s.branches.length) return 'branches';
  const types = typesOf(s);
  const type = types.length === 1 ? types[0] : types.length ? '' : s.properties.size ? 'object' : s.items || s.prefix.length ? 'array' : '';
  if (type === 'string') return none || draft.text !== undefined ? 'string' : 'json';
  if (type === 'number' || type === 'integer') return none || draft.json !== undefined ? 'number' : 'json';
  if (type === 'boolean') return none || draft.json === 'true' || draft.json === 'false' ? 'boolean' : 'json';
  if (type === 'array') return none || draft.items ? 'list' : 'json';
  if (type === 'object') return none || draft.keys ? 'object' : 'json';
  return 'json';
}

// compact is a draft as JSON in one line; what is wrong in it is text.
const compact = (draft) => write(draft, null, null, [], { errors: [], loose: true, indent: 0 }, '');

// asJSON is a draft as JSON that is read by people.
export const asJSON = (draft) => write(draft, null, null, [], { errors: [], loose: true, indent: 2 }, '') ?? '';

// argumentsOf is the draft as JSON text, and what is wrong in it, each with the path of its field.
export function argumentsOf(schema, draft) {
  const context = { errors: [], loose: false, indent: 0 };
  const json = write(draft, schema, schema, [], context, '') ?? '{}';
  return { json, errors: context.errors };
}

// write is undefined for what is not given. A loose one has text in place of what is wrong.
function write(draft, schema, root, path, context, margin) {
  if (!draft) return undefined;
  if (draft.text !== undefined) return JSON.stringify(draft.text);
  const source = draft.raw ?? draft.json;
  if (source !== undefined) return writeJSON(source, schema, root, path, context, margin);
  const s = describe(schema ?? true, root);
  const inner = margin + ' '.repeat(context.indent);
  const parts = draft.items ? writeItems(draft, s, root, path, context, inner) : writeKeys(draft, s, root, path, context, inner);
  const [begin, end] = draft.items ? '[]' : '{}';
  if (!parts.length) return begin + end;
  return context.indent ? `${begin}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${end}` : `${begin}${parts.join(',')}${end}`;
}

const isNumber = (s) => typesOf(s).length > 0 && typesOf(s).every((t) => t === 'number' || t === 'integer');

function writeJSON(source, schema, root, path, { errors, loose, indent }, margin) {
  const text = source.trim();
  if (text === '') return undefined;
  const wrong = invalid(text);
  if (!wrong) return loose && indent ? print(parse(text), indent).replace(/\n/g, `\n${margin}`) : text;
  if (loose) return JSON.stringify(source);
  const s = describe(schema ?? true, root);
  errors.push({ path, message: isNumber(s) ? `expected a number, found ${JSON.stringify(source)}` : `expected JSON: ${wrong.message}` });
  return undefined;
}

function writeItems(draft, s, root, path, context, inner) {
  return draft.items.flatMap(({ of }, i) => {
    const here = [...path, String(i)];
    const before = context.errors.length;
    const text = write(of, itemOf(s, i), root, here, context, inner);
    if (text !== undefined || context.loose) return text ?? 'null';
    if (context.errors.length === before) context.errors.push({ path: here, message: 'this item has no value; give one, or remove the item' });
    return [];
  });
}

function writeKeys(draft, s, root, path, context, inner) {
  const seen = new Set();
  return draft.keys.flatMap(({ id, key, of, extra }) => {
    const here = [...path, key || `(${id})`];
    const sub = !extra && s.properties.has(key) ? s.properties.get(key) : propertyOf(s, key);
    const text = write(of, sub, root, here, context, inner);
    if (text === undefined && !(extra && key && !context.loose)) return [];
    if (!context.loose) {
      if (text === undefined) context.errors.push({ path: here, message: `the property ${JSON.stringify(key)} has no value; give one, or remove it` });
      if (extra && !key) context.errors.push({ path: here, message: 'the property needs a name' });
      if (seen.has(key)) context.errors.push({ path: here, message: `the property ${JSON.stringify(key)} is given twice` });
    }
    seen.add(key);
    return `${JSON.stringify(key)}:${context.indent ? ' ' : ''}${text ?? 'null'}`;
  });
}

// toRaw is a form as JSON. It remembers the form, and which text it was at first.
export function toRaw(draft) {
  const raw = asJSON(draft) || '{}';
  return { raw, from: draft, first: raw };
}

// fromRaw is the form of what was typed as JSON, with the fields that were wrong before and are the same still.
// Text that is no JSON gives an error instead.
export function fromRaw({ raw, from, first }) {
  if (from && raw === first) return { draft: from };
  const error = invalid(raw);
  return error ? { error } : { draft: restore(fromValue(parse(raw)), from) };
}

function restore(now, before) {
  if (!now || !before) return now;
  if (before.json !== undefined && before.json === now.text && invalid(before.json)) return before;
  if (now.items && before.items) {
    return { items: now.items.map((item, i) => (before.items[i] ? { id: before.items[i].id, of: before.items[i].of ? restore(item.of, before.items[i].of) : item.of.json === 'null' ? null : item.of } : item)) };
  }
  if (!now.keys || !before.keys) return now;
  return { keys: now.keys.map((entry) => {
    const old = before.keys.find((k) => k.key === entry.key);
    return old ? { ...old, of: restore(entry.of, old.of) } : entry;
  }) };
}
