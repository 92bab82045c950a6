// What the page asks of its server: JSON in, JSON out. A failure is an ApiError with
// the server's own words.
export class ApiError extends Error {
  constructor(status, { message, hint, ...more } = {}) {
    super(message || `the server answered ${status}`);
    this.status = status;
    this.hint = hint || '';
    this.more = more;
  }
}

let refused = () => {};

// onRefused is called when the server does not know this browser's session.
export const onRefused = (f) => {
  refused = f;
};

async function ask(method, path, body, read = JSON.parse, signal = undefined) {
  const options = { method, credentials: 'same-origin', cache: 'no-store', signal };
  if (method !== 'GET') {
    options.headers = { 'Content-Type': 'application/json' };
    options.body = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  }
  let answer;
  try {
    answer = await fetch(`api/${path}`, options);
  } catch {
    throw new ApiError(0, { message: 'toolgraph does not answer', hint: 'is `toolgraph ui` still running?' });
  }
  if (answer.status === 204) return null;
  const text = await answer.text();
  let value = null;
  try {
    value = (answer.ok ? read : JSON.parse)(text);
  } catch { /* reported below */ }
  if (answer.status === 401 && path !== 'session') refused();
  if (!answer.ok) throw new ApiError(answer.status, value?.error);
  if (value === null && text.trim() !== 'null') throw new ApiError(answer.status, { message: 'the answer is not JSON' });
  return value;
}

// get reads JSON; read makes another thing of its text, such as exact numbers (lib/json.js).
export const get = (path, query, read) => ask('GET', withQuery(path, query), undefined, read);
export const post = (path, body, signal) => ask('POST', path, body, undefined, signal);
export const put = (path, body) => ask('PUT', path, body);
export const seg = encodeURIComponent;

export function withQuery(path, query = {}) {
  const pairs = Object.entries(query).filter(([, v]) => v !== undefined && v !== null && v !== '');
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path;
}
// text fetches a whole value as its JSON text, whose numbers keep their digits.
export async function text(path, query) {
  const answer = await fetch(`api/${withQuery(path, query)}`, { credentials: 'same-origin', cache: 'no-store' });
  const body = await answer.text();
  if (answer.ok) return body;
  let error;
  try {
    ({ error } = JSON.parse(body));
  } catch { /* the status says enough */ }
  throw new ApiError(answer.status, error);
}
