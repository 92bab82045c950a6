// A draft is the content of a form: {fields: {key: draft}} for an object with
// properties, {text} for a scalar, {raw} for JSON as it was typed. Nothing typed is
// lost when it is wrong.

const typesOf = (schema) => [].concat(schema?.type ?? []);

// choicesOf are the values of a schema that allows these alone, with what to call them;
// null for any other.
export function choicesOf(schema) {
  if (Array.isArray(schema?.enum)) return schema.enum.map((value, i) => ({ value, label: asText(schema.enumNames?.[i] ?? value) }));
  const titled = schema?.oneOf ?? schema?.anyOf;
  if (!Array.isArray(titled) || !titled.length || !titled.every((one) => typeof one?.const === 'string')) return null;
  return titled.map((one) => ({ value: one.const, label: asText(one.title ?? one.const) }));
}

// kindOf is how a schema is asked for.
export function kindOf(schema) {
  if (!schema || typeof schema !== 'object') return 'json';
  if (choicesOf(schema)) return 'enum';
  const types = typesOf(schema).filter((t) => t !== 'null');
  if (types.length !== 1) return 'json';
  if (types[0] === 'object') return schema.properties && Object.keys(schema.properties).length ? 'object' : 'json';
  if (types[0] === 'array') return choicesOf(schema.items) ? 'choices' : 'json';
  return types[0];
}

// draftOf begins a draft with a value's JSON, or with the defaults of the schema.
export function draftOf(schema, json) {
  let value;
  try {
    value = json === undefined ? undefined : JSON.parse(json);
  } catch {
    return { raw: json };
  }
  return fromValue(schema, value, true);
}

function fromValue(schema, value, top = false) {
  const given = value === undefined ? schema?.default : value;
  const kind = kindOf(schema);
  if (kind === 'object' || (top && (given === undefined || isObject(given)))) {
    const properties = schema?.properties ?? {};
    const fields = {};
    for (const [key, sub] of Object.entries(properties)) fields[key] = fromValue(sub, given?.[key]);
    const rest = Object.fromEntries(Object.entries(given ?? {}).filter(([key]) => !(key in properties)));
    return Object.keys(rest).length ? { raw: JSON.stringify(given, null, 2) } : { fields };
  }
  if (given === undefined) return { text: '' };
  if (kind === 'string' && typeof given === 'string') return { text: given };
  if (kind === 'json' || kind === 'choices') return { text: JSON.stringify(given, null, 2) };
  if (kind === 'string') return { text: '', raw: JSON.stringify(given) };
  return { text: typeof given === 'string' && kind === 'enum' ? given : JSON.stringify(given) };
}

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

// argumentsOf is the draft as JSON text, and what is no JSON in it. Numbers stay as
// they were typed.
export function argumentsOf(schema, draft) {
  const errors = [];
  const json = write(schema, draft, [], errors, true) ?? '{}';
  return { json, errors };
}

function write(schema, draft, path, errors, required) {
  if (draft.raw !== undefined) return asJSON(draft.raw, path, errors);
  if (draft.fields) {
    const needed = schema?.required ?? [];
    const parts = [];
    for (const [key, sub] of Object.entries(draft.fields)) {
      const text = write(schema.properties[key], sub, [...path, key], errors, needed.includes(key));
      if (text !== undefined) parts.push(`${JSON.stringify(key)}:${text}`);
    }
    return parts.length || required ? `{${parts.join(',')}}` : undefined;
  }
  const text = draft.text ?? '';
  const kind = kindOf(schema);
  if (kind === 'string') return text === '' && !(required && draft.touched) ? undefined : JSON.stringify(text);
  if (text.trim() === '') return undefined;
  if (kind === 'enum') return JSON.stringify(choicesOf(schema).find((c) => asText(c.value) === text)?.value ?? text);
  if (kind === 'number' || kind === 'integer') {
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) {
      errors.push({ path, message: `expected a number, and ${JSON.stringify(text)} is none` });
      return undefined;
    }
    return text.trim();
  }
  return asJSON(text, path, errors);
}

export const asText = (v) => (typeof v === 'string' ? v : JSON.stringify(v));

function asJSON(text, path, errors) {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    errors.push({ path, message: `expected JSON: ${error.message}` });
    return undefined;
  }
}
