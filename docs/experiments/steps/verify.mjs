// node verify.mjs: runs the reference solutions of all tasks against fresh servers.
// Exports check(task, outcome, servers) for other runners: outcome is {value} or {error: text}.
import fs from "node:fs";
import { makeServers } from "./servers.mjs";
import { solve } from "./reference.mjs";

/** JSON text with sorted object keys. */
export function canon(v) {
  if (v === null || v === undefined) return "null";
  if (Array.isArray(v)) return "[" + v.map(canon).join(",") + "]";
  if (typeof v === "object") return "{" + Object.keys(v).sort().map((k) => JSON.stringify(k) + ":" + canon(v[k])).join(",") + "}";
  return JSON.stringify(v);
}

/** Compares the write calls with the expected effects; returns a list of problems. */
export function checkEffects(expected, writes) {
  const text = (c) => `${c.tool} ${canon(c.args)}`;
  let at = 0;
  for (const e of expected) {
    if (e.anyOrder) {
      const got = writes.slice(at, at + e.anyOrder.length).map(text).sort();
      const want = e.anyOrder.map(text).sort();
      if (canon(got) !== canon(want)) return [`writes ${at + 1}..${at + want.length}: expected in any order ${want.join(" | ")}; got ${got.join(" | ")}`];
      at += e.anyOrder.length;
    } else {
      if (at >= writes.length || text(e) !== text(writes[at])) return [`write ${at + 1}: expected ${text(e)}; got ${at < writes.length ? text(writes[at]) : "nothing"}`];
      at += 1;
    }
  }
  return writes.length > at ? [`${writes.length - at} more write(s), first: ${text(writes[at])}`] : [];
}

export function check(task, outcome, { tools, log, asks }) {
  const problems = [];
  const isWrite = (c) => tools[c.tool].effect === "write";
  if (task.expectError !== undefined) {
    if (outcome.error === undefined) problems.push(`expected the failure "${task.expectError}", got ${canon(outcome.value)}`);
    else if (!outcome.error.includes(task.expectError)) problems.push(`expected the failure "${task.expectError}", got "${outcome.error}"`);
  } else if (outcome.error !== undefined) problems.push(`failed: ${outcome.error}`);
  else if (canon(outcome.value) !== canon(task.expect.value)) problems.push(`value: expected ${canon(task.expect.value)}; got ${canon(outcome.value)}`);
  problems.push(...checkEffects(task.expect.effects ?? [], log.filter(isWrite)));
  for (const [tool, max] of Object.entries(task.expect.maxCalls ?? {})) {
    const n = log.filter((c) => c.tool === tool).length;
    if (n > max) problems.push(`${tool}: ${n} calls, at most ${max} allowed`);
  }
  for (const c of log) if (!task.tools.includes(c.tool)) problems.push(`tool not available: ${c.tool}`);
  const want = task.expect.asks ?? [];
  if (asks.length !== want.length) problems.push(`${asks.length} question(s) to the user, expected ${want.length}`);
  else
    want.forEach((a, i) => {
      if (asks[i].message !== a.message) problems.push(`question: expected "${a.message}", got "${asks[i].message}"`);
      if (a.beforeWrites && log.slice(0, asks[i].before).some(isWrite)) problems.push("a write was made before the question");
    });
  return problems;
}

async function main() {
  const tasks = JSON.parse(fs.readFileSync(new URL("./tasks.json", import.meta.url), "utf8"));
  let failed = 0;
  const report = (id, list) => {
    for (const p of list) console.log(`task ${id}: ${p}`);
    if (list.length) failed++;
  };
  if (tasks.length !== 30 || tasks.some((t, i) => t.id !== i + 1)) report("*", ["tasks must be numbered 1..30"]);
  const run = async (t, patch = (s) => s) => {
    const servers = patch(makeServers(t.id));
    const call = async (tool, args) => servers.tools[tool].fn(args);
    let outcome;
    try {
      outcome = { value: await solve(t.id, call, structuredClone(t.args), async (m, s) => servers.ask(m, s)) };
    } catch (e) {
      outcome = { error: e.message };
    }
    return { outcome, servers };
  };
  for (const t of tasks) {
    const bad = [];
    // the task itself
    const { tools } = makeServers(t.id);
    if (t.tools.length < 2 || t.tools.length > 6) bad.push("2 to 6 tools");
    for (const n of [...t.tools, ...Object.keys(t.expect.maxCalls ?? {})]) if (!tools[n] || !t.tools.includes(n)) bad.push(`unknown tool ${n}`);
    for (const e of (t.expect.effects ?? []).flatMap((x) => x.anyOrder ?? [x])) if (tools[e.tool]?.effect !== "write") bad.push(`not a write: ${e.tool}`);
    if ((t.expectError === undefined) !== ("value" in t.expect)) bad.push("either expect.value or expectError");
    // the reference solution, twice (determinism)
    const a = await run(t);
    const b = await run(t);
    bad.push(...check(t, a.outcome, a.servers));
    if (canon([a.outcome, a.servers.log]) !== canon([b.outcome, b.servers.log])) bad.push("two runs differ");
    if (process.argv.includes("-v")) {
      const n = {};
      for (const c of a.servers.log) n[c.tool] = (n[c.tool] ?? 0) + 1;
      console.log(t.id, t.title, JSON.stringify(n));
    }
    report(t.id, bad);
  }
  console.log(failed ? `${failed} of ${tasks.length} failed` : `all ${tasks.length} passed`);
  process.exitCode = failed ? 1 : 0;
}
if (process.argv[1] && fs.realpathSync(process.argv[1]) === fs.realpathSync(new URL(import.meta.url).pathname)) await main();
