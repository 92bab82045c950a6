// The TextMate grammar of graph files, test files and locks: YAML with JSONata inside. build.mjs writes it as JSON.
//
// YAML is read line by line: a key, a scalar, brackets. That is enough for colours, and unlike the YAML grammars of
// editors it knows where an expression ends. An expression is written in five ways (its *host*): in a block, as plain
// text with or without brackets around it, and in quotes of two kinds. Each host has its own form of quotes inside.
const kinds = 'entry|exit|mcp|graph|parallel|ask|transform|switch';
const always = 'expr|var|each|return|if'; // keys whose text is an expression
const maybe = 'when|until|items|key'; // keys that others use too; their text is an expression if it has a $, or begins with a bracket

const captures = (...names) => Object.fromEntries(names.flatMap((name, i) => (name ? [[i + 1, { name }]] : [])));
const separator = 'punctuation.separator.key-value.mapping.yaml';
const tag = 'entity.name.tag.yaml';

// Hosts: how the quotes of strings are written there, what a text in each cannot have, and where the host ends.
const hosts = {
  block: { double: '"', single: "'", not: '', end: '(?!)' },
  plain: { double: '"', single: "'", not: '', end: '(?=\\s#|$)' },
  flow: { double: '"', single: "'", not: ',\\[\\]{}', end: '(?=\\s*(?:[,\\]}]|\\s#|$))' },
  single: { double: '"', single: "''", not: "'", end: "(?='(?!'))" },
  double: { double: '\\\\"', single: "'", not: '"', end: '(?=")' },
};

// string matches a string of JSONata in its quotes. In YAML's double quotes each backslash is written twice.
const string = (host, quote) => {
  const backslash = host === 'double' ? '\\\\\\\\' : '\\\\';
  const inside = hosts[host].single === "''" ? "''" : '(?!)';
  const escaped = `${backslash}(?:\\\\?["'/\\\\bfnrt]|u[0-9A-Fa-f]{4})`;
  return {
    name: 'string.quoted.jsonata',
    match: `${quote}(?:(?!${quote})(?:${escaped}|${inside}|[^\\\\${hosts[host].not}]|\\\\[^"]))*${quote}`,
    captures: { 0: { patterns: [{ match: escaped, name: 'constant.character.escape.jsonata' }] } },
  };
};

const jsonata = (host) => ({
  patterns: [
    { begin: '/\\*', end: `\\*/|${hosts[host].end}`, name: 'comment.block.jsonata' },
    ...(host === 'plain' || host === 'flow' ? [{ include: '#comment' }] : []),
    string(host, hosts[host].double),
    string(host, hosts[host].single),
    { match: `\`[^\`${hosts[host].not}]*\``, name: 'variable.other.property.jsonata' },
    {
      match: `(?:(?<=[(,=:?&|\\[{>~])|(?<=\\bin))\\s*(/(?![*/\\s])(?:[^/\\\\\\s${hosts[host].not}]|\\\\.| )+/)([im]*)`,
      captures: captures('string.regexp.jsonata', 'keyword.other.flag.jsonata'),
    },
    { match: '(?<![\\w$`])(?:and|or|in)(?!\\w)', name: 'keyword.operator.word.jsonata' },
    { match: '(?<![\\w$.`])(?:true|false|null)(?!\\w)', name: 'constant.language.jsonata' },
    { match: '(?<![\\w$.])(?:function(?=\\s*\\()|λ)', name: 'storage.type.function.jsonata' },
    { match: '(?<![\\w$])\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?', name: 'constant.numeric.jsonata' },
    { match: '\\$[A-Za-z_]\\w*(?=\\s*\\()', name: 'support.function.jsonata' },
    { match: '\\$(?:item|index|failure|attempt|result)(?!\\w)', name: 'variable.language.jsonata' },
    { match: '\\$[A-Za-z_]\\w*', name: 'variable.other.jsonata' },
    {
      match: '(\\$)(\\.)([A-Za-z_]\\w*|`[^`]*`)',
      captures: captures('variable.language.jsonata', 'punctuation.accessor.jsonata', 'variable.other.object.node.jsonata'),
    },
    { match: '\\$\\$?', name: 'variable.language.jsonata' },
    { match: '[A-Za-z_]\\w*', name: 'variable.other.property.jsonata' },
    { match: ':=|~>|\\?\\?|\\?:|\\.\\.|\\*\\*|[!<>]=|[-+*/%&=<>?:@#|^~]', name: 'keyword.operator.jsonata' },
    { match: '\\.', name: 'punctuation.accessor.jsonata' },
    { match: '[(){}\\[\\]]', name: 'punctuation.section.jsonata' },
    { match: '[,;]', name: 'punctuation.separator.jsonata' },
    ...(host === 'double' ? [{ match: '\\\\.', name: 'constant.character.escape.yaml' }] : []),
    ...(host === 'single' ? [{ match: "''", name: 'constant.character.escape.yaml' }] : []),
  ],
});

// A key of an expression: 1 its quote, 2 the key, 3 the colon, and then the text, if it is one.
const dollar = '(?="[^"]*\\$|\'[^\']*\\$|["\'][\\[(]|[^\\s"\'{\\[|>&*!#][^,\\]}{\\[\\n]*\\$|\\$)';
const key = `(["']?)\\b(?:(${always})\\1(\\s*:)(?:\\s+|(?=["']))|(${maybe})\\1(\\s*:)(?:\\s+|(?=["']))${dollar})`;
const keyNames = ['', tag, separator, tag, separator];

const quoted = (host, quote, end) => ({
  begin: `(?<![\\w.$-])${key}(${quote})`,
  end: `(${end})`,
  beginCaptures: captures(...keyNames, 'punctuation.definition.string.begin.yaml'),
  endCaptures: captures('punctuation.definition.string.end.yaml'),
  contentName: 'meta.embedded.inline.jsonata',
  patterns: [{ include: `#jsonata-${host}` }],
});

// A block of text goes on as long as lines are indented deeper than its key. With a dash before the key that is three
// columns more than the dash.
const depths = [['', ' '], ['- ', ' {3}']];
const scalar = '([|>][-+\\d]*)\\s*(#.*)?$';
const scalarNames = ['keyword.control.flow.block-scalar.yaml', 'comment.line.number-sign.yaml'];
const blocks = (first, names, inner, contentName, forms = depths) => forms.map(([dash, more]) => ({
  begin: `^( *)(${dash})${first}`,
  while: `^(?:\\1${more}|\\s*$)`,
  beginCaptures: captures('', 'punctuation.definition.block.sequence.item.yaml', ...names),
  contentName,
  patterns: inner,
}));
// In a block the key begins at the third group, so its quote is group 3.
const shifted = key.replaceAll('\\1', '\\3');

const word = (not) => `(?:[^\\s\\-?:,\\[\\]{}#&*!|>'"%@\`]|[?:-](?=[^\\s${not}]))(?:[^:#\\n${not}]|:(?=[^\\s${not}])|(?<=\\S)#)*`;
const keys = (not) => ({
  patterns: [
    {
      match: `\\b(type)(\\s*:)\\s+(${kinds})(?=\\s*(?:[,}#]|$))`,
      captures: captures(tag, separator, 'storage.type.toolgraph'),
    },
    {
      match: `((?:[^\\s\\-?:,\\[\\]{}#&*!|>'"%@\`]|[?:-](?=\\S))(?:[^:#\\n${not}]|:(?=\\S)|(?<=\\S)#)*?)(\\s*:)(?=\\s|$)`,
      captures: captures(tag, separator),
    },
    {
      match: `("(?:[^"\\\\]|\\\\.)*"|'(?:[^']|'')*')(\\s*:)(?=\\s|$|["'{\\[])`,
      captures: captures(tag, separator),
    },
  ],
});
const scalars = (not, end) => ({
  patterns: [
    { match: `(?:true|false|null|~)(?=${end})`, name: 'constant.language.yaml' },
    { match: `[-+]?(?:0x[0-9A-Fa-f]+|0o[0-7]+|\\d+(?:\\.\\d*)?(?:[eE][-+]?\\d+)?)(?=${end})`, name: 'constant.numeric.yaml' },
    { match: word(not), name: 'string.unquoted.plain.yaml' },
  ],
});

export const grammar = {
  name: 'Toolgraph',
  scopeName: 'source.toolgraph',
  patterns: [
    { include: '#comment' },
    { match: '^(?:---|\\.\\.\\.)(?=\\s|$)', name: 'entity.other.document.yaml' },
    { include: '#expression-block' },
    { include: '#text-block' },
    { include: '#expression-quoted' },
    { include: '#expression-plain' },
    { match: '(?:(?<=^|\\s))-(?=\\s|$)', name: 'punctuation.definition.block.sequence.item.yaml' },
    { include: '#keys' },
    { include: '#values' },
    { include: '#scalars' },
  ],
  repository: {
    comment: { match: '(?:^|(?<=\\s))#.*$', name: 'comment.line.number-sign.yaml' },
    'expression-block': {
      patterns: blocks(`(?:(["']?)(${always}|${maybe})\\3(\\s*:)\\s+)${scalar}`, ['', tag, separator, ...scalarNames],
        [{ include: '#jsonata-block' }], 'meta.embedded.block.jsonata'),
    },
    'text-block': {
      patterns: [
        ...blocks(`([^#\\s'"-][^#:]*|"[^"]*"|'[^']*')(\\s*:)\\s+${scalar}`, [tag, separator, ...scalarNames], [], 'string.unquoted.block.yaml'),
        ...blocks(scalar, scalarNames, [], 'string.unquoted.block.yaml', [['- ', ' ']]),
      ],
    },
    'expression-quoted': { patterns: [quoted('single', "'", "'(?!')"), quoted('double', '"', '"')] },
    // Plain text goes on in the lines that are indented deeper.
    'expression-plain': {
      patterns: [
        ...blocks(`${shifted}(?=[^\\s|>'"&*!{\\[#])`, keyNames, [{ include: '#jsonata-plain' }], 'meta.embedded.inline.jsonata'),
      ],
    },
    'expression-flow': {
      begin: `(?<![\\w.$-])${key}(?=[^\\s|>'"&*!{\\[#,}])`,
      end: hosts.flow.end,
      beginCaptures: captures(...keyNames),
      contentName: 'meta.embedded.inline.jsonata',
      patterns: [{ include: '#jsonata-flow' }],
    },
    keys: keys(''),
    'keys-flow': keys(',\\[\\]{}'),
    scalars: scalars('', '\\s*(?:$|\\s#)'),
    'scalars-flow': scalars(',\\[\\]{}', '\\s*(?:[,\\]}]|$|\\s#)'),
    values: {
      patterns: [
        { match: '[&*][^\\s,\\[\\]{}]+', name: 'variable.other.alias.yaml' },
        { match: '!(?:<[^>]*>|[^\\s,\\[\\]{}]*)', name: 'storage.type.tag.yaml' },
        {
          begin: '"', end: '"', name: 'string.quoted.double.yaml',
          patterns: [{ match: '\\\\(?:[^xuU]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})', name: 'constant.character.escape.yaml' }],
        },
        { begin: "'", end: "'(?!')", name: 'string.quoted.single.yaml', patterns: [{ match: "''", name: 'constant.character.escape.yaml' }] },
        {
          begin: '[{\\[]', end: '[}\\]]', name: 'meta.flow.yaml',
          beginCaptures: { 0: { name: 'punctuation.definition.flow.begin.yaml' } },
          endCaptures: { 0: { name: 'punctuation.definition.flow.end.yaml' } },
          patterns: [
            { include: '#comment' },
            { include: '#expression-quoted' },
            { include: '#expression-flow' },
            { include: '#keys-flow' },
            { include: '#values' },
            { include: '#scalars-flow' },
            { match: ',', name: 'punctuation.separator.sequence.yaml' },
          ],
        },
      ],
    },
    ...Object.fromEntries(Object.keys(hosts).map((host) => [`jsonata-${host}`, jsonata(host)])),
  },
};
