// node serve.mjs ID: the servers of a task on standard input and output, one JSON object a line. The first line out has the
// arguments and the tools; {tool, args} and {ask, schema} are answered with {value} or {error}; {done, outcome} ends it
// with {bad}, the list of what is wrong with the outcome and the calls.
import fs from "node:fs";
import readline from "node:readline";
import { makeServers } from "./servers.mjs";
import { check } from "./verify.mjs";

const tasks = JSON.parse(fs.readFileSync(new URL("./tasks.json", import.meta.url)));
const task = tasks[Number(process.argv[2]) - 1];
const servers = makeServers(task.id);
const say = (v) => console.log(JSON.stringify(v));
const tools = {};
for (const name of task.tools) tools[name] = servers.tools[name].effect;
say({ args: task.args, title: task.title, tools });
for await (const line of readline.createInterface({ input: process.stdin })) {
  const m = JSON.parse(line);
  try {
    if (m.done) {
      say({ bad: check(task, m.outcome, servers) });
      process.exit(0);
    }
    if (m.ask !== undefined) say({ value: (await servers.ask(m.ask, m.schema)) ?? null });
    else if (!servers.tools[m.tool]) say({ error: "unknown tool " + m.tool });
    else say({ value: (await servers.tools[m.tool].fn(m.args)) ?? null });
  } catch (e) {
    say({ error: e.message });
  }
}
