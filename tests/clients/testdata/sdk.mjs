// Calls the tools of a stdio server with the TypeScript SDK's client. The job comes as
// JSON on standard input, the answers go as JSON to standard output. It starts in a
// folder whose node_modules holds the SDK.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const job = JSON.parse(await text(process.stdin));
const transport = new StdioClientTransport({
  command: job.command[0],
  args: job.command.slice(1),
  cwd: job.directory,
  env: { ...process.env, ...job.env },
  stderr: "inherit",
});
const client = new Client({ name: "sdk-client", version: "1.0.0" });
await client.connect(transport);
const { tools } = await client.listTools(); // from now on results are held to their schemas
const results = [];
for (const call of job.calls) {
  try {
    results.push(
      await client.callTool({ name: call.tool, arguments: call.args }, undefined, { timeout: 120000 }),
    );
  } catch (error) {
    results.push({ thrown: String(error?.message ?? error) });
  }
}
await client.close();
process.stdout.write(JSON.stringify({ tools: tools.map((tool) => tool.name), results }));
