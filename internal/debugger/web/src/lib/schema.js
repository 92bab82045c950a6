// What a form needs to know of a JSON Schema. A schema is a value of lib/json.js, or plain JSON; its
// subschemas stay as they are until they are looked at, so that a recursive schema has an end.
import { Num, print } from './json.js';

const HOPS = 20; // references that lead to references
const known = new WeakMap(); // schema → what describe made of it

const get = (v, key) => (v instanceof Map ? v.get(key) : isPlain(v) && Object.hasOwn(v, key) ? v[key] : undefined);
const isPlain = (v) => v !== null && typeof v === 'object' && !Array.isArray(v) && !(v instanceof Num);
const entries = (v) => (v instanceof Map ? [...v] : isPlain(v) ? Object.entries(v) : []);
const list = (v) => (Array.isArray(v) ? v : []);
const count = (v) => (v === undefined || v === null ? undefined : Number(v));

// follow is the schema that a local reference names; undefined for any other.
function follow(root, ref) {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return anchored(root, ref);
  let at = root;
  for (const token of ref.slice(2).split('/')) {
    let key;
    try {
      key = decodeURIComponent(token).replace(/~1/g, '/').replace(/~0/g, '~');
    } catch {
      return undefined;
    }
    at = Array.isArray(at) ? at[key] : get(at, key);
  }
  return at;
}
const anchored = (root, ref) => [...entries(get(root, '$defs')), ...entries(get(root, 'definitions'))].map(([, s]) => s).find((s) => `#${get(s, '$anchor')}` === ref);

// describe says how the values of a schema are asked for. root is the schema that its references mean.
export function describe(schema, root = schema) {
  if (!isPlain(schema)) return empty(schema === false);
  if (!known.has(schema)) known.set(schema, read(schema, root, HOPS));
  return known.get(schema);
}

const empty = (never) => ({ never, types: [], properties: new Map(), required: new Set(), patterns: [], prefix: [], examples: [], branches: [] });

const about = new Set(['oneOf', 'anyOf', 'title', 'description', 'default', 'examples', '$defs', 'definitions', '$schema', '$id', '$anchor', '$comment']);

function read(schema, root, hops) {
  if (!isPlain(schema)) return empty(schema === false);
  const of = (key) => get(schema, key);
  const own = {
    never: false,
    types: [].concat(of('type') ?? []),
    properties: new Map(entries(of('properties'))),
    required: new Set(list(of('required'))),
    patterns: entries(of('patternProperties')),
    additional: of('additionalProperties') ?? of('unevaluatedProperties'),
    items: Array.isArray(of('items')) ? of('additionalItems') : of('items'),
    prefix: list(of('prefixItems') ?? (Array.isArray(of('items')) ? of('items') : [])),
    choices: choicesIn(schema),
    default: of('default'),
    examples: list(of('examples')),
    title: of('title'),
    description: of('description'),
    format: of('format'),
    limits: limitsIn(of),
    most: count(of('maxItems')),
    unique: of('uniqueItems') === true,
  };
  own.branches = own.choices ? [] : list(of('oneOf') ?? of('anyOf'));
  own.base = own.branches.length ? new Map(entries(schema).filter(([key]) => !about.has(key))) : null; // what holds beside each branch
  const also = [...(of('$ref') === undefined ? [] : [follow(root, of('$ref'))]), ...list(of('allOf'))].filter(isPlain);
  const all = hops > 0 ? also.reduce((a, b) => merge(a, read(b, root, hops - 1)), own) : own;
  return simplify(all, root, hops);
}

// choicesIn are the values of a schema that allows these alone, with their labels; undefined for any other.
function choicesIn(schema) {
  const labels = get(schema, 'enumNames');
  const values = get(schema, 'enum');
  if (Array.isArray(values)) return values.map((value, i) => ({ value, text: print(value), label: label(labels?.[i] ?? value) }));
  const only = get(schema, 'const');
  if (only !== undefined) return [{ value: only, text: print(only), label: label(get(schema, 'title') ?? only) }];
  const titled = list(get(schema, 'oneOf') ?? get(schema, 'anyOf'));
  if (!titled.length || !titled.every((one) => get(one, 'const') !== undefined)) return undefined;
  return titled.map((one) => ({ value: get(one, 'const'), text: print(get(one, 'const')), label: label(get(one, 'title') ?? get(one, 'const')) }));
}
const label = (v) => (typeof v === 'string' ? v : print(v));

function limitsIn(of) {
  const between = (least, most, noun = '') => {
    const [a, b] = [of(least), of(most)].map((v) => (v === undefined ? undefined : String(v)));
    const text = a !== undefined && b !== undefined ? `${a} to ${b}` : a !== undefined ? `at least ${a}` : b !== undefined ? `at most ${b}` : '';
    return text && noun ? `${text} ${noun}${(b ?? a) === '1' ? '' : 's'}` : text;
  };
  const above = of('exclusiveMinimum') === undefined ? '' : `above ${of('exclusiveMinimum')}`;
  const below = of('exclusiveMaximum') === undefined ? '' : `below ${of('exclusiveMaximum')}`;
  const step = of('multipleOf') === undefined ? '' : `a multiple of ${of('multipleOf')}`;
  return [between('minimum', 'maximum'), above, below, step, between('minLength', 'maxLength', 'character'), between('minItems', 'maxItems', 'item'), of('pattern') ? `pattern ${of('pattern')}` : ''].filter(Boolean).join(', ');
}

// merge is what holds when two schemas do.
function merge(a, b) {
  const properties = new Map(a.properties);
  for (const [key, sub] of b.properties) properties.set(key, properties.has(key) ? new Map([['allOf', [properties.get(key), sub]]]) : sub);
  const types = a.types.length && b.types.length ? a.types.filter((t) => b.types.includes(t) || (t === 'integer' && b.types.includes('number'))) : [...a.types, ...b.types];
  const first = Object.fromEntries(['additional', 'items', 'choices', 'default', 'title', 'description', 'format', 'most'].map((key) => [key, a[key] ?? b[key]]));
  return {
    ...a, ...first, properties, types, never: a.never || b.never, unique: a.unique || b.unique,
    required: new Set([...a.required, ...b.required]),
    patterns: [...a.patterns, ...b.patterns],
    prefix: a.prefix.length ? a.prefix : b.prefix,
    examples: a.examples.length ? a.examples : b.examples,
    ...(a.branches.length ? {} : { branches: b.branches, base: b.base }),
    limits: [a.limits, b.limits].filter(Boolean).join(', '),
  };
}

// simplify takes null and conditions out of the branches: one of a type and null is that type, and branches
// that only demand something of the same object are for the server to check.
function simplify(s, root, hops) {
  if (!s.branches.length || hops <= 0) return s;
  const each = s.branches.map((b) => read(b, root, hops - 1));
  const isNull = (b) => (b.types.length === 1 && b.types[0] === 'null') || (b.choices?.length === 1 && b.choices[0].value === null);
  const real = s.branches.filter((_, i) => !isNull(each[i]));
  const nullable = real.length < s.branches.length;
  const says = real.some((b) => !isPlain(b) || ['type', '$ref', 'properties', 'enum', 'const', 'items', 'allOf', 'oneOf', 'anyOf'].some((key) => get(b, key) !== undefined));
  if (!says) return { ...s, branches: [] };
  const whole = (b) => (s.base?.size ? new Map([['allOf', [b, s.base]]]) : b);
  if (real.length !== 1) return { ...s, branches: real.map(whole), types: nullable && s.types.length ? [...s.types, 'null'] : s.types, nullable };
  const one = merge({ ...s, branches: [] }, read(real[0], root, hops - 1));
  return nullable ? { ...one, types: one.types.length ? [...one.types, 'null'] : one.types, nullable, choices: one.choices && [...one.choices, { value: null, text: 'null', label: 'null' }] } : one;
}

// typesOf are the types of a schema, without null.
export const typesOf = (s) => s.types.filter((t) => t !== 'null');
export const nullable = (s) => s.types.includes('null') || Boolean(s.nullable);

// propertyOf is the schema of a key that the properties lack.
export function propertyOf(s, key) {
  const found = s.patterns.find(([pattern]) => matches(pattern, key));
  return found ? found[1] : s.additional ?? true;
}
function matches(pattern, key) {
  try {
    return new RegExp(pattern, 'u').test(key);
  } catch {
    return false; // the server knows other patterns
  }
}

// itemOf is the schema of an item.
export const itemOf = (s, i) => s.prefix[i] ?? s.items ?? true;
