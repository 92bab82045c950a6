// JSON Logic: json-logic-js evaluates the rule itself; only var and the two that read
// through it are replaced. jsonata answers later and json-logic-js wants its answer at once, so
// the rule is evaluated again each time an answer has come in: the n-th var of an
// evaluation always is the same one, and takes the n-th answer.
//
// json-logic-js applies the arguments of missing and missing_some a second time, which
// would make a rule of an object from the data; here they are looked up as paths only.
import { compared, evaluate, settled } from "./expressions.mjs";
import { jsonLogic, untouched } from "./packages.mjs";

let answers = [];
let used = 0;

class Wanted {
  constructor(source, root) {
    Object.assign(this, { source, root });
  }
}

// JSON Logic's own way to an element: a path of names with a number among its steps.
export const indexPath = /^(?:\$\.)?((?:\w+\.)*\d+(?:\.\w+)*)$/;

function readVar(root, source, fallback) {
  if (source === undefined || source === null || source === "") return root;
  let value;
  const steps = typeof source === "number" ? String(source) : indexPath.exec(source)?.[1];
  if (steps !== undefined) {
    value = root;
    for (const step of steps.split(".")) value = value?.[step];
  } else {
    if (used === answers.length) throw new Wanted(source, root);
    value = answers[used++];
  }
  return value === undefined ? fallback : value;
}

function missing(root, keys) {
  const asked = Array.isArray(keys[0]) ? keys[0] : keys;
  return asked.filter((key) => {
    const value = key !== null && typeof key === "object" ? null : readVar(root, key);
    return value === undefined || value === null || value === "";
  });
}

const reading = {
  var(source, fallback) {
    return readVar(this, source, fallback);
  },
  missing(...keys) {
    return missing(this, keys);
  },
  missing_some(need, keys) {
    const gone = missing(this, [keys]);
    return keys.length - gone.length >= need ? [] : gone;
  },
};
for (const [name, operation] of Object.entries(reading)) jsonLogic.add_operation(name, operation);

// Operators that answer otherwise here on purpose, by the name of the difference. A rule
// is evaluated with each of them as well, so that a difference is known for what it is.
const isList = (v) => v !== null && typeof v === "object";

function sameContents(a, b) {
  if (!isList(a) || !isList(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => k in b && sameContents(a[k], b[k]));
}

const loosely = (a, b) => (isList(a) && isList(b) ? sameContents(a, b) : a == b);

const meant = {
  "equality-of-contents": {
    "==": loosely,
    "!=": (a, b) => !loosely(a, b),
    "===": sameContents,
    "!==": (a, b) => !sameContents(a, b),
    in: (item, list) => item !== undefined && (typeof list === "string" ? list !== "" && list.includes(item) : Array.isArray(list) && list.some((x) => sameContents(x, item))),
  },
  "substr-of-characters": {
    substr(text, start, length) {
      const all = Array.from(String(text));
      const rest = all.slice(start < 0 ? Math.max(0, all.length + start) : start);
      if (length === undefined) return rest.join("");
      return rest.slice(0, length < 0 ? Math.max(0, rest.length + length) : length).join("");
    },
  },
};

// A var that yields nothing is undefined, which operators of json-logic-js that count
// their arguments take for none, and which "in" would find.
const counted = {
  "-": (...args) => (args.length < 2 ? -args[0] : args[0] - args[1]),
  "<": (a, b, ...more) => a < b && (more.length === 0 || b < more[0]),
  "<=": (a, b, ...more) => a <= b && (more.length === 0 || b <= more[0]),
  in: (item, list) => item !== undefined && native("in", [item, list]),
};
for (const [name, operation] of Object.entries(counted)) jsonLogic.add_operation(name, operation);

const original = {};
for (const op of ["==", "!=", "===", "!==", "in", "substr"]) {
  original[op] = counted[op] ?? ((...args) => native(op, args));
}

// native is an operator of json-logic-js as it comes: the arguments are handed over as
// data, where they are not evaluated, by a var that leaves undefined as it is.
untouched.add_operation("var", function (i) {
  return this[i];
});
function native(op, args) {
  return untouched.apply({ [op]: args.map((_, i) => ({ var: String(i) })) }, args);
}
async function applyRule(rule, past) {
  answers = [];
  for (;;) {
    used = 0;
    try {
      return jsonLogic.apply(rule, past.context) ?? null;
    } catch (wanted) {
      if (!(wanted instanceof Wanted)) throw wanted;
      answers.push(await evaluate(wanted.source, wanted.root, past));
    }
  }
}

// judge is the value of a rule, whether it holds, and what it would be with each of the
// differences that are meant.
export async function judge(rule, past) {
  const answer = await compared(past, (p) => applyRule(rule, p));
  const plainly = JSON.stringify({ ...answer, meant: undefined });
  for (const [name, operators] of Object.entries(meant)) {
    for (const [op, operation] of Object.entries(operators)) jsonLogic.add_operation(op, operation);
    const other = await settled(() => applyRule(rule, past));
    for (const op of Object.keys(operators)) jsonLogic.add_operation(op, original[op]);
    if (JSON.stringify(other) !== plainly) (answer.meant ??= {})[name] = other;
  }
  return answer;
}
