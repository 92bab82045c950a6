// A reference for graphs: the language of docs/language.md, JSONata by jsonata and
// JSON Logic by json-logic-js. One request a line on standard input, one answer a line
// on standard output. The only argument is the folder that holds node_modules.
//
//   {"graph": {nodes, maxNodeExecutions}, "arguments": …}   → {"steps": […], "failed": …}
//   {"expr": "…", "records": [{"node": "…", "value": …}]}   → {"value": …} | {"nothing": true} | {"error": "…"}
//   {"rule": …, "records": […]}                             → the same, and "holds"
//
// A record without a value is an execution that yielded nothing. "meant" in an answer is
// what it would be with a difference that is meant, by its name.
import { createInterface } from "node:readline";
import { compared, compile, evaluate, nameOf, Past, plain, watchOdd } from "./expressions.mjs";
import { indexPath, judge } from "./rules.mjs";

// fill is arguments with the value of each {expr}, at any depth.
async function fill(data, past) {
  if (Array.isArray(data)) {
    const items = [];
    for (const item of data) items.push(await fill(item, past));
    return items.map((item) => (item === undefined ? null : item));
  }
  if (data === null || typeof data !== "object") return data;
  if (Object.keys(data).length === 1 && typeof data.expr === "string") return evaluate(data.expr, past.context, past);
  const object = {};
  for (const [key, item] of Object.entries(data)) {
    const value = await fill(item, past);
    if (value !== undefined) object[key] = value;
  }
  return object;
}

// The tools of the mock server; the runner has the same.
const tools = {
  echo: (args) => args,
  pick: (args) => args.value,
  wrap: (args) => ({ items: [args], total: Object.keys(args).length }),
  fail() {
    throw new Error("the tool failed");
  },
};

async function visit(node, past, input, step) {
  switch (node.type) {
    case "entry":
      return input;
    case "transform":
      return evaluate(node.transform.expr, past.context, past);
    case "mcp":
      return tools[node.tool](await fill(node.args ?? {}, past));
    case "exit":
      return past.records.at(-1)?.value;
    case "switch":
      step.rules = [];
      for (const condition of node.conditions) {
        const answer = "rule" in condition ? await judge(condition.rule, past) : { value: true, holds: true };
        step.rules.push(answer);
        if (answer.error) throw new Error(answer.error);
        if (answer.holds) return condition.next;
      }
      return node.next;
  }
}

const mostOutput = 100_000; // UTF-16 units of JSON

// check compiles every expression of a graph.
function check(part) {
  if (part === null || typeof part !== "object") return;
  for (const [key, value] of Object.entries(part)) {
    const source = key === "var" && Array.isArray(value) ? value[0] : value;
    if ((key === "expr" || key === "var") && typeof source === "string" && source !== "" && !indexPath.test(source)) compile(source);
    check(value);
  }
}

async function run({ nodes, maxNodeExecutions }, input) {
  try {
    check(nodes);
  } catch (failure) {
    return { steps: [], failed: "build", at: nameOf(failure) };
  }
  const byId = new Map(nodes.map((n) => [n.id, n]));
  const past = new Past();
  const steps = [];
  for (let node = nodes.find((n) => n.type === "entry"); ; ) {
    if (steps.length >= maxNodeExecutions) return { steps, failed: "limit", at: node.id };
    const step = { node: node.id };
    const isOdd = watchOdd();
    try {
      const value = plain(await visit(node, past, input, step));
      // A loop can double a value each time; such a graph is left out.
      if (JSON.stringify(value)?.length > mostOutput) return { steps: [], failed: "size", at: node.id };
      if (value === undefined) step.nothing = true;
      else step.value = value;
      if (isOdd()) step.odd = true;
      past.add(node.id, value);
    } catch (failure) {
      step.error = nameOf(failure);
    }
    steps.push(step);
    if (step.error !== undefined) return { steps, failed: "error", at: node.id };
    if (node.type === "exit") return { steps };
    node = byId.get(node.type === "switch" ? step.value : node.next);
  }
}

async function answer(request) {
  if (request.graph) return run(request.graph, request.arguments);
  const past = new Past();
  for (const record of request.records) past.add(record.node, record.value);
  if ("rule" in request) return judge(request.rule, past);
  return compared(past, (p) => evaluate(request.expr, p.context, p));
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await answer(JSON.parse(line))) + "\n");
}
