// The path to a part of a value, as an expression of JSONata.
const name = /^[A-Za-z_]\w*$/;
const words = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

// pathOf continues the expression root by keys and indexes. Keys that are no names get backticks.
export const pathOf = (root, path) => path.reduce((text, key) => {
  if (typeof key === 'number') return `${text}[${key}]`;
  if (text === '$' && /^\$[A-Za-z_]\w*$/.test(key)) return key; // a variable beside the context
  if (name.test(key) && !words.has(key)) return `${text}.${key}`;
  return key && !key.includes('`') ? `${text}.\`${key}\`` : `$lookup(${text}, ${JSON.stringify(key)})`;
}, root);

// rootOf is an expression to which a path can be added.
export const rootOf = (source) => (/^\$?[A-Za-z_$][\w.$]*$/.test(source.trim()) ? source.trim() : `(${source.trim()})`);
