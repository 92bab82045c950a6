// The second grammar of pairs.mjs: what people write rarely. Partial calls, transforms with
// operators behind them, groups in the middle of paths, numbers beyond 2^53, and powers.
export const rareGrammar = ({ random, pick, expr, path, lambda, condition, order }) => {
  const lists = ['items', 'other', 'two', 'nums', 'texts', 'matrix', 'one', 'none', '$.items', 'nothing', 'items.tags', 'items[0]', 'items.sub', 'obj'];
  const list = () => pick(lists);

  // A partial call of a function of the library is written twice: so, and as a function that
  // calls with all arguments. jsonata-js checks and fits only the arguments of the second.
  // The first letter is the argument that mostly fills the hole: a list, a text, a number, any value.
  const ownLambda = () => {
    for (;;) {
      const made = lambda();
      if (made.startsWith('function')) return made;
    }
  };
  const partials = [
    ['l$append(?, ', () => expr(1), ')'], ['l$append(', () => expr(1), ', ?)'], ['l$count(?)'], ['x$exists(?)'], ['m$sum(?)'], ['m$max(?)'], ['l$reverse(?)'],
    ['l$distinct(?)'], ['m$sort(?)'], ['o$merge(?)'], ['x$keys(?)'], ['x$spread(?)'], ['x$type(?)'], ['x$boolean(?)'], ['x$not(?)'], ['n$number(?)'],
    ['t$join(?, "-")'], ['t$join(?, nothing)'], ['s$join(["a", "b"], ?)'], ['s$substring(?, 1)'], ['s$substring(?, 0, ', () => pick(['2', 'nothing', 'n']), ')'],
    ['s$substringBefore(?, "a")'], ['s$contains(?, "a")'], ['s$split(?, "")'], ['s$replace(?, "a", ', () => pick(['"b"', '"b", nothing']), ')'], ['s$uppercase(?)'],
    ['s$length(?)'], ['s$trim(?)'], ['s$pad(?, ', () => pick(['5', '-5', 'nothing']), ')'], ['n$power(?, 2)'], ['n$power(2, ?)'], ['n$round(?, ', () => pick(['1', 'nothing']), ')'],
    ['n$abs(?)'], ['n$floor(?)'], ['n$formatNumber(?, "0.0")'], ['n$formatBase(?, ', () => pick(['2', 'nothing']), ')'], ['o$lookup(?, "id")'], ['s$lookup(', list, ', ?)'],
    ['l$map(?, ', ownLambda, ')'], ['l$filter(?, ', ownLambda, ')'], ['f$filter(', list, ', ?)'], ['l$reduce(?, $append)'], ['o$each(?, function($v, $k){$k})'],
    ['l$single(?, ', ownLambda, ')'], ['l$zip(', list, ', ?)'], ['s$match(?, /a/)'], ['m$average(?)'],
  ];
  const holes = {
    l: ['items', 'nums', '[]', '[1]', 'matrix', 'items.tags[]', 'nothing', 'none'], m: ['nums', '[1, 2]', '[]', 'nothing', 'one'], t: ['texts', '["a"]', '[]', 'nothing'], s: ['text', '"abc"', '"a b"', '""', 'texts[0]', 'nothing'],
    n: ['n', '1.55', '0', '-3', 'nothing', 'items[0].price'], o: ['items', 'obj', '[]', 'items[0][]', 'nothing', '[{"id": 1}]'], x: ['items', 'n', 'obj', 'nothing', 'null', '[]', 'text'], f: ['function($v){true}', 'function($v){$v.id = 1}'],
  };
  const partialOf = (kinds) => {
    const some = partials.filter((p) => !kinds || kinds.includes(p[0][0]));
    const made = pick(some).map((part) => (typeof part === 'function' ? part() : part)).join('');
    return { kind: made[0], text: made.slice(1) };
  };
  const partial = (kinds) => partialOf(kinds).text;
  const filled = (use) => {
    const { kind, text } = partialOf();
    return use(text, random(30) === 0 ? argument() : pick(holes[kind]));
  };
  const own = () => pick(['function($a, $b){[$a, $b]}', 'function($a, $b){$a & $b}', 'function($a, $b){$a ?? $b}', 'function($a, $b){$count($a) + $count($b)}', 'function($a, $b){$a.id}']);
  const argument = () => pick([list, list, () => expr(1), () => pick(['nothing', '"abc"', '3', 'text', 'n', '["a","b"]', 'texts', 'nums', 'obj', ''])])();
  const partialUse = () => pick([
    () => filled((p, a) => `${p}(${a})`), () => filled((p, a) => `${a} ~> ${p}`), () => filled((p, a) => `$map([${a}, ${a}], ${p})`), () => filled((p, a) => `($p := ${p}; [$p(${a}), $p(nothing)])`),
    () => filled((p, a) => `${a} ~> ${p} ~> ${partial('x')}`), () => `${path(0)} ~> ${partial('lx')}`, () => `$map(${list()}, ${partial('lx')})`, () => `${list()} ~> ${partial('lx')} ~> ${partial('lx')}`,
    () => filled((p, a) => `($p := ${p} ~> ${partial('x')}; $p(${a}))`), () => `($p := ${partial('l')} ~> ${partial('lx')}; $p(${list()}))`,
    () => `(${own()})(?, ${argument() || 'nothing'})(${argument()})`, () => `($f := ${own()}; $g := $f(${pick(['?', '?', 'nothing', '1'])}, ?); $g(${argument()}))`,
    () => `($f := ${own()}; ${list()} ~> $f(?, ${expr(0)}))`, () => `$map(${list()}, (${own()})(?, ${expr(0)}))`,
    () => `($f := ${own()}; $f(?, ?)(?, ${expr(0)})(${argument()}))`, () => `items.(${partial('s')}(${pick(['name', 'nothing', 'sub.y'])}))`, () => `items.(${partial('n')}(${pick(['id', 'price', 'nothing'])}))`,
    () => `$reduce(${list()}, $append(?, ?))`, () => `${list()}[${partial('x')}($)]`, () => `$filter(${list()}, ${partial('x')})`,
  ])();

  const pattern = () => pick(['$', 'items', 'items.sub', '**', 'items[0]', 'other', 'nothing', 'obj', '$.items', 'items.sub.list', '*', `items[${condition()}]`, 'sub', 'name', 'text', 'n']);
  const update = () => pick(['{"x": 1}', '{"x": $}', '{"id": id and true}', '{"name": qty > 1 or false}', '{}', '{"id": nothing}', '{"x": $count(items)}', 'nothing', '$', '{"tags": tags[0]}', '{"y": $ ~> |$|{"z": 1}|}', '{"d": price / 2}', '1']);
  const deletion = () => pick(['', '', ', "id"', ', ["id", "name"]', ', nothing', ', []', ', $keys($)[0]', ', 1']);
  const transform = () => `|${pattern()}|${update()}${deletion()}|`;
  const changed = () => pick(['$', '$', 'items', 'items[0]', 'obj', 'other', 'nothing', 'n', '$$', '(items)', '{"items": items}', '[items[0], obj]']);
  const behind = (d) => pick([
    () => ` and ${expr(d)}`, () => ` or ${expr(d)}`, () => ` in ${list()}`, () => ` = ${expr(d)}`, () => ` != ${expr(d)}`, () => ` & "x"`, () => ` ~> $count()`, () => ` ~> $keys()`,
    () => ` ~> ${transform()}`, () => ` ?? ${expr(d)}`, () => ` ?: ${expr(d)}`, () => ` ? ${expr(d)} : 2`, () => ` < 3`, () => ` ~> $lookup("items")`, () => `~> $string`, () => '', () => ' - 1', () => ' * 2',
    () => '[0]', () => '.items', () => '{"a": 1}', () => '^(id)',
  ])();
  const transformUse = (d) => pick([
    () => `${changed()} ~> ${transform()}${behind(d)}`, () => `${changed()} ~> ${transform()}${behind(d)}`, () => `(${changed()} ~> ${transform()})${behind(d)}`,
    () => `($t := ${transform()}; $t(${changed()})${behind(d)})`, () => `${expr(d)} ${pick(['and', 'or', '=', '&', '??'])} ${changed()} ~> ${transform()}${behind(d)}`,
    () => `$map(${list()}, ${transform()})`, () => `[${changed()} ~> ${transform()}, 1]`, () => `{"t": ${changed()} ~> ${transform()}${behind(d)}, "u": 1}`, () => `${list()}.($ ~> ${transform()})`,
  ])();

  const group = () => pick(['{name: id}', '{name: $}', '{name: $count($)}', '{"all": $}', '{"k" & id: price}', '{name: $sum(qty)}', '{$string(id): name}', '{label: id}', '{"a": id, "b": $count($)}', '{name: {"i": id}}', '{"x": nothing}', '{id: 1}', '{}']);
  const groupStart = () => pick(['items', 'items', '$.items', 'other', 'items.sub.list', 'items.tags', 'nothing', 'none', '(items)', 'items[]', 'items#$i', 'items@$v', `items[${condition()}]`, `items^(${order()})`, '[items, other]', 'items.[id, name]', '$', 'obj', 'items.sub']);
  const groupNext = () => pick(['[0]', '[-1]', '.hat', '.hat', '.*', '.$', '.name', '.k1', '.all', '.all.id', '[id = 1]', `[${condition()}]`, `^(${order()})`, '[]', '.$keys($)', '.(hat)', '.{"h": hat}', '.[hat, cap]', '.**', '#$j', '.all#$j.{"j": $j}', '.%', '.hat.i', '.$count($)', '.nothing', '.($)', '.tags', '.all.tags', '@$w.{"w": $w}']);
  const groupUse = () => {
    let e = groupStart() + group();
    if (random(5) === 0) e = `(${e})`;
    for (let i = 1 + random(3); i > 0; i--) e += groupNext();
    return pick([e, e, e, `$count(${e})`, `[${e}]`, `${e} ~> $keys()`, `$string(${e})`, `{"g": ${e}}`, `$map(${e}, ${lambda()})`]);
  };

  const large = () => pick(['9007199254740992', '9007199254740993', '-9007199254740993', '9007199254740991', '1152921504606846977', '123456789012345678901', '1e21', '1e20', '999999999999999900000', '1.5e300',
    '5e-324', '0.1', '1e-7', '123456789.123456789', '4503599627370497.5', '72057594037927937', '-1e16', 'big', 'huge', 'tiny', 'ids', 'ids[0]', '1e15', '100000000000000000000']);
  const computed = (d) => (d <= 0 ? large() : pick([
    () => `${large()} ${pick(['+', '-', '*', '/', '%'])} ${computed(d - 1)}`, () => `(${computed(d - 1)}) ${pick(['+', '*', '-'])} ${pick(['1', '2', '10', '0.1', '3'])}`, () => `-(${computed(d - 1)})`,
    () => `$max([${large()}, ${large()}])`, () => `$min([${large()}, 1])`, () => `$sum([${large()}, ${large()}, 1])`, () => `$abs(${computed(d - 1)})`, () => `$floor(${computed(d - 1)})`,
    () => `$round(${computed(d - 1)}, ${pick(['0', '2', '-2', '-16'])})`, () => `$number($string(${computed(d - 1)}))`, () => power(), () => `$sqrt(${pick(['2', '1e300', '9007199254740993', '0.1'])})`, () => `$average(ids)`,
  ])());
  const power = () => `$power(${pick(['2', '10', '1.07', '1.005', '0.9', '3', '7', '1.5', '-3', '5e-324', '1e300', '9007199254740993', '0.1', '0', '1', 'n', '-1.1'])}, ${pick(['2', '3', '0.5', '-1', '10', '30', '53', '64', '360', '-2', '0.1', '1.5', '0', '22', '33', '-7.25', '1e3', 'n'])})`;
  const largeUse = () => {
    const x = computed(random(3));
    return pick([
      () => x, () => `$string(${x})`, () => `"id-" & (${x})`, () => `{$string(${x}): ${large()}}`, () => `[${x}, ${large()}]`, () => `${x} = ${large()}`, () => `${x} ${pick(['<', '>=', '!='])} ${large()}`,
      () => `${large()} in [${x}, ${large()}]`, () => `$distinct([${x}, ${large()}, ${large()}])`, () => `$sort([${x}, ${large()}, 3])`, () => `$formatNumber(${x}, ${pick(['"0"', '"#,##0.00"', '"0.0e0"', '"#"'])})`,
      () => `$formatBase(${x}, ${pick(['10', '2', '16', '36'])})`, () => `$formatInteger(${x}, ${pick(['"0"', '"#,##0"'])})`, () => `$string([${x}, {"a": ${large()}}])`, () => `items{$string(id + ${large()}): $count($)}`,
      () => `ids[$ = ${large()}]`, () => `$map(ids, function($v){"n" & $v})`, () => `$join([$string(${x}), "b"], "/")`, () => `$length($string(${x}))`, () => `$type(${x})`, () => `ids^(>$)`, () => `{"v": ${x}}.v`, () => `$lookup({"a": ${x}}, "a")`,
    ])();
  };

  return () => pick([partialUse, () => transformUse(1), () => transformUse(0), groupUse, groupUse, largeUse, () => power(), partialUse])();
};

// wrapped is the expression with each partial call of a function of the library written as a
// function with all of its arguments.
export const wrapped = (e, before = '', behind = '') => {
  let out = '', at = 0;
  for (const call of e.matchAll(/\$[a-zA-Z]+\(/g)) {
    if (call.index < at || call[0].length < 4) continue;
    let depth = 1, end = call.index + call[0].length, holes = [];
    for (; end < e.length && depth > 0; end++) {
      if ('([{'.includes(e[end])) depth++;
      if (')]}'.includes(e[end])) depth--;
      if (depth === 1 && e[end] === '?' && /[(,]\s*$/.test(e.slice(0, end)) && /^\s*[,)]/.test(e.slice(end + 1))) holes.push(end);
    }
    if (holes.length === 0) continue;
    const names = holes.map((_, i) => `$hole${i}`);
    let body = '', from = call.index;
    holes.forEach((hole, i) => { body += e.slice(from, hole) + names[i]; from = hole + 1; });
    out += e.slice(at, call.index) + `function(${names.join(', ')}){${before}${body}${e.slice(from, end)}${behind}}`;
    at = end;
  }
  return out + e.slice(at);
};
