// JSONata: the context of expressions in a run, and their results.
import { jsonata, jsonLogic } from "./packages.mjs";

// Past is the history of a run and the context made of it.
export class Past {
  records = []; // {node, value}; value is undefined for nothing
  context = {};

  add(node, value) {
    this.records.push({ node, value });
    // An output of nothing hides an earlier value of the node.
    if (value === undefined) delete this.context[node];
    else this.context[node] = value;
  }

  outputs(node) {
    return this.records.filter((r) => r.node === node).map((r) => r.value);
  }

  // byName is the same past with a context whose keys are in the order of their names.
  byName() {
    const other = new Past();
    other.records = this.records;
    for (const node of Object.keys(this.context).sort()) other.context[node] = this.context[node];
    return other;
  }

  // functions are what expressions may call besides JSONata's own.
  functions() {
    return {
      previousNode: (n = 1) => this.records.at(-n)?.value,
      executionCount: (node) => this.outputs(node).length,
      nodeExecution: (node, i) => this.outputs(node).at(i),
      // As in an array that JSONata makes, there is no place for nothing.
      nodeExecutions: (node) => this.outputs(node).filter((v) => v !== undefined),
    };
  }
}

// odd is set when an evaluation gave a number that JSON does not have.
let odd = false;

// watchOdd forgets the numbers so far and gives a function that says whether one came up.
export function watchOdd() {
  odd = false;
  return () => odd;
}

// plain is a JSON value without JSONata's marks: what yields nothing is left out of
// objects and is null in arrays. A function is no value.
export function plain(v, nested = false) {
  if (v === undefined) return nested ? null : undefined;
  if (typeof v === "function" || v?._jsonata_lambda || v?._jsonata_function) throw new Error("the value is a function");
  if (typeof v === "number" && !Number.isFinite(v)) {
    odd = true;
    return null;
  }
  if (Array.isArray(v)) {
    const items = [];
    for (const item of v) items.push(plain(item, true));
    return items;
  }
  if (v === null || typeof v !== "object") return v;
  const object = {};
  for (const [key, item] of Object.entries(v)) {
    if (item !== undefined) Object.defineProperty(object, key, { value: plain(item, true), enumerable: true, configurable: true, writable: true });
  }
  return object;
}

// Functions that answer otherwise here on purpose, by the name of the difference.
const functions = {
  "base64-utf8": {
    base64encode: (text) => (text === undefined ? undefined : Buffer.from(text, "utf8").toString("base64")),
    base64decode: (text) => (text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8")),
  },
};
let replaced = {};

const compiled = new Map();

export function compile(source) {
  if (!compiled.has(source)) compiled.set(source, jsonata(source));
  return compiled.get(source);
}

// evaluate is the value of an expression over root: the context, or an element in the
// body of a rule. It works on copies, as jsonata writes into arrays; what is one object in
// the history, in the context and in root is one object in the copies.
export async function evaluate(source, root, past) {
  const copy = structuredClone({ past: { ...past }, root });
  const mine = Object.assign(new Past(), copy.past);
  const bindings = { ...mine.functions(), ...replaced, ctx: mine.context };
  return plain(await compile(source).evaluate(copy.root, bindings));
}

// compared is the result of an evaluation, and what it would be with each of the
// functions that are meant to differ, or with the nodes of the context in the order of
// their names.
export async function compared(past, work) {
  const answer = await settled(() => work(past));
  const plainly = JSON.stringify(answer);
  const others = { "context-order": await settled(() => work(past.byName())) };
  for (const name of Object.keys(functions)) {
    replaced = functions[name];
    others[name] = await settled(() => work(past));
    replaced = {};
  }
  for (const [name, other] of Object.entries(others)) {
    if (JSON.stringify(other) !== plainly) (answer.meant ??= {})[name] = other;
  }
  return answer;
}

// nameOf is a failure's code of JSONata, or the words of JavaScript.
export function nameOf(failure) {
  return failure.code ?? String(failure);
}

// settled is the result of an evaluation, as an answer contains it.
export async function settled(work) {
  const isOdd = watchOdd();
  try {
    const raw = await work();
    const value = plain(raw);
    const answer = value === undefined ? { nothing: true } : { value };
    answer.holds = jsonLogic.truthy(raw);
    if (isOdd()) answer.odd = true;
    return answer;
  } catch (failure) {
    return { error: nameOf(failure) };
  }
}
