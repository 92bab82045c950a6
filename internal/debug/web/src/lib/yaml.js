// tokens of a line of YAML, for colours only: what is not understood is plain.
const KEY = /^(\s*(?:- +)*)((?:"[^"]*"|'[^']*'|[^\s"'#:{}[\],&*!|>%@`-][^:#]*?)\s*)(:)(?=\s|$)/;

const kinds = ['key', 'string', 'comment', 'variable', 'number', 'word', 'punct'];

export function tokens(line) {
  const out = [];
  let rest = line;
  const key = KEY.exec(rest);
  if (key) {
    out.push(['', key[1]], ['key', key[2]], ['punct', key[3]]);
    rest = rest.slice(key[0].length);
  }
  const part = /((?<=[{,]\s*)[\w$-]+(?=:\s))|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|((?:^|\s)#.*$)|(\$\{\w+\})|((?<=^|[\s,[:{])-?\d+(?:\.\d+)?(?=$|[\s,\]}]))|((?<=^|[\s,[:{])(?:true|false|null)(?=$|[\s,\]}]))|((?:^\s*- )|[{}[\],])/g;
  let from = 0;
  for (let m = part.exec(rest); m; m = part.exec(rest)) {
    if (m.index > from) out.push(['', rest.slice(from, m.index)]);
    const kind = kinds[m.slice(1).findIndex((g) => g !== undefined)];
    out.push([kind, m[0]]);
    from = m.index + m[0].length;
  }
  if (from < rest.length) out.push(['', rest.slice(from)]);
  return out;
}
