// Which YAML files belong to Toolgraph. The content decides, because graph files have any name.
const graphKeys = new Set(['server', 'mcpServers', 'tools', 'executionLimits']);
const modeline = /^#\s*yaml-language-server:\s*\$schema=\S*\btoolgraph(?:-test)?\.schema\.json\s*$/m;
const topKey = /^(["']?)(\w+)\1[ \t]*:/gm;

// isToolgraph reports whether a YAML file is a graph file, a test file or a lock. Two keys of a graph file are enough,
// so that a file with errors is one too; other YAML files have one of them at most. A first line that names the schema
// is enough as well. graphBeside reports whether the file of that name exists; only test files ask it.
export async function isToolgraph(path, text, graphBeside) {
  const start = text.slice(0, text.search(/^[^#\s]/m) + 1 || text.length);
  if (modeline.test(start)) return true;
  const keys = new Set(Array.from(text.matchAll(topKey), (match) => match[2]));
  const test = /^(.*)\.test(\.ya?ml)$/.exec(path);
  if (test) return keys.has('tests') && (keys.has('graph') || keys.has('mocks') || graphBeside(test[1] + test[2]));
  if (/\.lock\.ya?ml$/.test(path)) return start.includes('toolgraph lock');
  return [...graphKeys].filter((key) => keys.has(key)).length > 1;
}
