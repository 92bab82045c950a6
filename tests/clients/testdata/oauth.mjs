// Connects to a server over HTTP as a host does that can log its user in. The job comes as JSON on
// standard input. Without a token, the answer is the address at which the user would log in, or the
// error; with a token, it is the names of the tools. It starts in a folder whose node_modules holds
// version 1 or 2 of the SDK.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.cwd() + "/"));
const job = JSON.parse(await text(process.stdin));
const { Client } = require(job.sdk === 2 ? "@modelcontextprotocol/client" : "@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = require(
  job.sdk === 2 ? "@modelcontextprotocol/client" : "@modelcontextprotocol/sdk/client/streamableHttp.js",
);

const answer = { login: "", thrown: "", tools: [] };
const redirect = "http://127.0.0.1:1/callback";
const authProvider = {
  redirectUrl: redirect,
  clientMetadata: { redirect_uris: [redirect], client_name: "test" },
  clientInformation: () => (job.client ? { client_id: job.client } : undefined),
  saveClientInformation: () => {},
  tokens: () => (job.token ? { access_token: job.token, token_type: "Bearer" } : undefined),
  saveTokens: () => {},
  redirectToAuthorization: (url) => { answer.login = String(url); },
  saveCodeVerifier: () => {},
  codeVerifier: () => "verifier",
};
const client = new Client({ name: "oauth-client", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
try {
  await client.connect(new StreamableHTTPClientTransport(new URL(job.url), { authProvider }));
  answer.tools = (await client.listTools()).tools.map((tool) => tool.name);
  await client.close();
} catch (error) {
  answer.thrown = String(error?.message ?? error);
}
process.stdout.write(JSON.stringify(answer), () => process.exit(0));
