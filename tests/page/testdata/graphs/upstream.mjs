// An upstream server for the tests: slow calls that report their progress, failures, lines on standard
// error, questions.
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tools = ['slow', 'say', 'bad', 'die', 'ask'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const text = (value, more) => ({ content: [{ type: 'text', text: JSON.stringify(value) }], ...more });
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const asked = new Map();
let last = 0;

async function call({ name, arguments: args = {}, _meta: meta }) {
  switch (name) {
    case 'slow': {
      const parts = args.parts ?? 1;
      for (let i = 1; i <= parts; i++) {
        await wait((args.ms ?? 100) / parts);
        if (meta?.progressToken !== undefined) send({ method: 'notifications/progress', params: { progressToken: meta.progressToken, progress: i, total: parts, message: `page ${i} of ${parts}` } });
      }
      return text({ n: args.n ?? 0 });
    }
    case 'say':
      process.stderr.write(`said ${args.text}\n`);
      await wait(50);
      return text(args.text);
    case 'bad':
      return text('no such page', { isError: true });
    case 'ask': {
      const id = `q${++last}`;
      send({ id, method: 'elicitation/create', params: { message: `Which colour for ${args.text}?`, requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] } } });
      return text(await new Promise((done) => asked.set(id, done)));
    }
    default:
      process.stderr.write('out of paper\n');
      await wait(50);
      return process.exit(3);
  }
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (!method) return asked.get(id)?.(result);
  if (id === undefined) return undefined;
  if (method === 'initialize') return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'up', version: '1.0.0' } } });
  if (method === 'tools/list') return send({ id, result: { tools } });
  return send({ id, result: method === 'tools/call' ? await call(params) : {} });
});
