// Calls the tools of a stdio server with the TypeScript SDK's client. The job comes as
// JSON on standard input, the answers go as JSON to standard output. It starts in a
// folder whose node_modules holds version 1 or 2 of the SDK, as the job says; the
// latter speaks the newest protocol when the server does. With an answer, the client can be asked,
// and gives that answer to every question.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/"));
const job = JSON.parse(await text(process.stdin));
const [main, stdio] =
  job.sdk === 2
    ? ["@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio"]
    : ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/stdio.js"];
const { Client } = require(main);
const { StdioClientTransport } = require(stdio);

const transport = new StdioClientTransport({
  command: job.command[0],
  args: job.command.slice(1),
  cwd: job.directory,
  env: { ...process.env, ...job.env },
  stderr: "inherit",
});
const received = []; // every message of the server
transport.onmessage = (message) => received.push(JSON.stringify(message));
const capabilities = job.answer ? { elicitation: { form: {} } } : {};
const client = new Client({ name: "sdk-client", version: "1.0.0" }, { capabilities, versionNegotiation: { mode: "auto" } });
const questions = [];
if (job.answer) {
  const elicit = job.sdk === 2 ? "elicitation/create" : require("@modelcontextprotocol/sdk/types.js").ElicitRequestSchema;
  client.setRequestHandler(elicit, (request) => {
    questions.push(request.params.message);
    return job.answer === "accept" ? { action: "accept", content: {} } : { action: job.answer };
  });
}
await client.connect(transport);
const { tools } = await client.listTools(); // from now on results are held to their schemas
const results = [];
const progress = [];
for (const call of job.calls ?? []) {
  try {
    const params = { name: call.tool, arguments: call.args };
    const options = { timeout: 120000 };
    if (job.timeout) {
      Object.assign(options, { timeout: job.timeout, resetTimeoutOnProgress: true, onprogress: (p) => progress.push(p) });
    }
    results.push(await (job.sdk === 2 ? client.callTool(params, options) : client.callTool(params, undefined, options)));
  } catch (error) {
    results.push({ thrown: String(error?.message ?? error) });
  }
}
const prompts = [];
for (const prompt of job.prompts ?? []) {
  try {
    const { prompts: listed } = await client.listPrompts();
    const got = await client.getPrompt({ name: prompt.name, arguments: prompt.args });
    const completed = await client.complete({ ref: { type: "ref/prompt", name: prompt.name }, argument: { name: prompt.complete, value: "" }, context: { arguments: prompt.args } });
    prompts.push({ listed: listed.map((one) => one.name), text: got.messages[0].content.text, values: completed.completion.values });
  } catch (error) {
    prompts.push({ thrown: String(error?.message ?? error) });
  }
}
const protocol = client.getNegotiatedProtocolVersion?.() ?? ""; // version 1 does not tell
await client.close();
process.stdout.write(JSON.stringify({ protocol, tools: tools.map((tool) => tool.name), results, prompts, progress, questions, received }));
