// The host around the view: JSON-RPC by messages between frames, as MCP Apps 2026-01-26 has it. The view may be in a frame
// of any origin, so that messages are for any; what they say is of this one call.
const asked = new Map(); // id → { resolve, reject }
let last = 0;

const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const notify = (method, params = {}) => send({ method, params });

function request(method, params) {
  const id = ++last;
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

// connect introduces the view to its host, and passes on what that says: heard is by method. It gives { context, can }.
export async function connect(heard) {
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== '2.0') return;
    const { id, method, params, result, error } = data;
    if (method && id === undefined) heard[method]?.(params ?? {});
    else if (method) send(['ping', 'ui/resource-teardown'].includes(method) ? { id, result: {} } : { id, error: { code: -32601, message: 'the view answers no such request' } });
    else if (error) asked.get(id)?.reject(new Error(String(error.message)));
    else asked.get(id)?.resolve(result);
    if (!method) asked.delete(id);
  });
  const { hostContext = {}, hostCapabilities = {} } = await request('ui/initialize', {
    protocolVersion: '2026-01-26', appInfo: { name: 'toolgraph', version: '1' }, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  });
  notify('ui/notifications/initialized');
  follow();
  return { context: hostContext, can: hostCapabilities };
}

// follow reports the size of the document, which the host gives the frame.
function follow() {
  let before = '';
  new ResizeObserver(() => {
    const { scrollWidth: width } = document.documentElement;
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (before === `${width} ${height}`) return;
    before = `${width} ${height}`;
    notify('ui/notifications/size-changed', { width, height });
  }).observe(document.body);
}

export const callTool = (name, args) => request('tools/call', { name, arguments: args });
export const displayMode = (mode) => request('ui/request-display-mode', { mode });
