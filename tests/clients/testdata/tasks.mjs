// Sends requests about tasks with the transport of the TypeScript SDK, each over a connection of its own: version 2.4.0 of
// its Client takes no result of the type task. The job comes as JSON on standard input: the address, a token, and
// requests, each with the status that its task is to have, or cut: its stream is aborted after the first
// notification. The answers go as JSON to standard output. With client, the Client calls that tool instead. It starts in a folder
// whose node_modules holds the SDK.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/"));
const job = JSON.parse(await text(process.stdin));
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");

const transport = () =>
  new StreamableHTTPClientTransport(new URL(job.url), { requestInit: { headers: { Authorization: `Bearer ${job.token}` } } });
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "tasks", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } },
};

async function send({ method, params, cut }) {
  const over = transport();
  try {
    return await new Promise((resolve, reject) => {
      over.onmessage = (m) => {
        if (m.id !== undefined && m.method === undefined) resolve(m);
        else if (cut && m.method === "notifications/tasks") resolve(m);
      };
      over.onerror = reject;
      over.start().then(() => over.send({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } })).catch(reject);
    });
  } finally {
    await over.close(); // aborts what is in progress
  }
}

const answers = [];
for (const request of job.requests ?? []) {
  let answer = await send(request);
  while (request.until && answer.result?.status !== request.until) {
    await new Promise((done) => setTimeout(done, answer.result?.pollIntervalMs ?? 200));
    answer = await send(request);
  }
  answers.push(answer);
}
if (job.client) {
  const client = new Client({ name: "tasks", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport());
  try {
    answers.push({ result: await client.callTool({ name: job.client, arguments: {} }) });
  } catch (error) {
    answers.push({ error: { code: error.code, message: error.message, data: error.data } });
  }
  await client.close();
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
