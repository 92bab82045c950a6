// Connects to each server of Cline's settings with Cline's own code, and prints its name and tools.
// Usage: node cline.mjs NODE_MODULES
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(process.argv[2], "@cline", "core");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const core = await import(pathToFileURL(join(root, exports["."].import)));
for (const server of core.resolveMcpServerRegistrations()) {
  const client = await core.createDefaultMcpServerClientFactory({})(server);
  await client.connect();
  const tools = await client.listTools();
  console.log(`${server.name}: connected, ${tools.map((tool) => tool.name).join(" ")}`);
  await client.disconnect();
}
process.exit(0);
