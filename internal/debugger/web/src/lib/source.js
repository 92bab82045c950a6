// Where the parts of a value come from. root is its JSONata path; null: it has none.
import { get, seg, text, withQuery } from './api.js';

export function valueSource(run, query, root = null, level = null) {
  const at = (path) => ({ ...query, path: path.length ? JSON.stringify(path) : null });
  const of = (what) => `runs/${seg(run)}/${what}`;
  return {
    root,
    level: level ?? ((path, from = 0) => get(of('value'), { ...at(path), from, marks: 1 })),
    table: (path, from) => get(of('table'), { ...at(path), from, marks: 1 }),
    search: (term, from) => get(of('search'), { ...query, text: term, from }),
    whole: (path) => text(of('whole'), { ...at(path), indent: 1, raw: 1 }),
    file: (path) => `api/${withQuery(of('whole'), { ...at(path), indent: 1, raw: 1, download: 1 })}`,
  };
}
