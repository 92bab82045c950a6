// The host's page: AppBridge for a view in a sandbox of another origin. What the view asks of the server goes to the test, which
// has the client.
import { AppBridge, PostMessageTransport, buildAllowAttribute } from '@modelcontextprotocol/ext-apps/app-bridge';

// show shows a view and gives it the call: { html, sandbox, context, can, input, result }.
globalThis.show = async ({ html, sandbox, context, can, input, result }) => {
  const frame = document.createElement('iframe');
  frame.title = 'view';
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  frame.setAttribute('allow', buildAllowAttribute(undefined));
  frame.src = sandbox;
  document.querySelector('main').replaceChildren(frame);
  const bridge = new AppBridge(null, { name: 'host of the tests', version: '1.0.0' }, can, { hostContext: context });
  globalThis.bridge = bridge;
  globalThis.sizes = [];
  bridge.oncalltool = (params) => globalThis.serverCalls(params);
  bridge.onmessage = async () => { globalThis.messages = (globalThis.messages ?? 0) + 1; return {}; };
  bridge.onrequestdisplaymode = async ({ mode }) => ({ mode });
  bridge.onsizechange = ({ height }) => {
    globalThis.sizes.push(height);
    frame.style.height = `${height}px`;
  };
  const ready = new Promise((done) => { bridge.onsandboxready = done; });
  const initialized = new Promise((done) => { bridge.oninitialized = done; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await ready;
  await bridge.sendSandboxResourceReady({ html });
  await initialized;
  if (input) await bridge.sendToolInput({ arguments: input });
  if (result) await bridge.sendToolResult(result);
};
