// Evaluates JSONata with jsonata and rules with json-logic-js: a request a line on
// standard input, an answer a line on standard output. It starts in a folder whose
// node_modules holds both.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/"));
const jsonata = require("jsonata");
const jsonLogic = require("json-logic-js");

const inputs = new Map();
const compiled = new Map();

// The history functions read a list of records from its start, as mcpgraph does.
function bind(expression, history) {
  const outputs = (id) => history.filter((r) => r.nodeId === id).map((r) => r.output);
  expression.registerFunction("previousNode", (n) => history[history.length - (n ?? 1)]?.output);
  expression.registerFunction("executionCount", (id) => history.filter((r) => r.nodeId === id).length);
  expression.registerFunction("nodeExecution", (id, i) => outputs(id).at(i));
  expression.registerFunction("nodeExecutions", outputs);
}

function evaluation(request, input) {
  const key = request.input + "\n" + (request.source || request.rule);
  if (!compiled.has(key)) {
    if (request.source) {
      const expression = jsonata(request.source);
      bind(expression, input.history);
      compiled.set(key, () => expression.evaluate(input.context));
    } else {
      const rule = JSON.parse(request.rule);
      compiled.set(key, () => jsonLogic.truthy(jsonLogic.apply(rule, input.context)));
    }
  }
  return compiled.get(key);
}

async function answer(request) {
  if (request.op === "load") {
    const context = JSON.parse(request.context);
    const history = [{ nodeId: "list", output: context.list }];
    for (let i = 0; i < request.records; i++) history.push({ nodeId: "add", output: { i, sum: i * i } });
    inputs.set(request.input, { context, history });
    return {};
  }
  const input = inputs.get(request.input);
  const evaluate = evaluation(request, input);
  if (request.op === "value") return { value: JSON.stringify(await evaluate()) ?? "null" };
  let n = 0;
  const begin = process.hrtime.bigint();
  const wait = request.source !== "";
  for (let batch = 1; ; batch = Math.min(batch * 2, 1024)) {
    if (wait) for (let i = 0; i < batch; i++) await evaluate();
    else for (let i = 0; i < batch; i++) evaluate();
    n += batch;
    const took = Number(process.hrtime.bigint() - begin);
    if (took >= request.span) return { ns: took / n };
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  let reply;
  try {
    reply = await answer(JSON.parse(line));
  } catch (error) {
    reply = { error: String(error?.message ?? error) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
}
