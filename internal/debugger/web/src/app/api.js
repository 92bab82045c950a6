// In place of lib/api.js: what the page asks its server for is here in what came with the result. It is of one run that has
// ended, and of each list the first page.
export class ApiError extends Error {}

let shown = {};
export const setShown = (of) => {
  shown = of;
};

const WITHOUT = 'not in this view';
const beyond = ({ from = 0, limit = 100 }) => Array.from({ length: limit }, (_, i) => ({ index: from + i, part: String(from + i), preview: WITHOUT }));
const own = (object, key) => (object && Object.hasOwn(object, key) ? object[key] : undefined);

export async function get(path, query = {}) {
  const [, , of = 'run'] = path.split('/');
  const { frame = '', at = 0, part = '', from = 0 } = query;
  switch (of) {
    case 'steps': return (!from && own(shown.steps, frame)) || { steps: beyond(query) };
    case 'parts': return (!from && own(shown.parts, `${frame && `${frame}/`}${at}${part && `.${part}`}`)) || { parts: beyond(query) };
    case 'path': if (frame) break; // falls through
    default: if (own(shown, of)) return shown[of];
  }
  throw new ApiError(WITHOUT);
}

const nothing = async () => {
  throw new ApiError(WITHOUT);
};
export { nothing as post, nothing as put, nothing as text };
export const seg = encodeURIComponent;
export const onRefused = () => {};
export const withQuery = (path) => path;
