// The time of a run: its axis, lanes and totals.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at, axisOf, common, ticks, timeAt } from '../../../internal/debugger/web/src/lib/axis.js';
import { accessible, assert, blur, newState, press, STATE, status, submit, test, text, toolgraph, use } from './lib.mjs';
import { entry, exit, file, set } from './graphs.mjs';

const many = () => file('many', {
  each: [entry('all'), "{id: all, type: graph, tool: one, forEach: {items: '[1..200]', maxParallel: 8}, args: {n: {expr: $item}}, onError: {value: null}, next: sum}", set('sum', 'exit', '$count($.all)'), exit],
  one: [entry('add'), set('add', 'exit', '$.entry.n = 7 ? $error("no seven") : $sum([1..$.entry.n])'), exit],
});
const run = async (page) => {
  await submit(page);
  await status(page, 'finished');
};
const span = (page) => page.getAttribute('.axis-times', 'aria-valuetext');
const settled = (page) => page.waitForFunction(() => document.querySelectorAll('.lane-bar').length > 0);

test('the axis zooms by the wheel, by keys and by a drag, and shows all again; what is beyond has no bar', () => use(many(), { state: newState() }, async (page) => {
  await run(page);
  const whole = await span(page);
  const box = await page.locator('.axis-times').boundingBox();
  const bars = () => page.locator('.row .bar .took').count();
  const all = await bars();
  await page.mouse.move(box.x + 4, box.y + 8);
  await page.mouse.wheel(0, -3000);
  await page.waitForFunction((was) => document.querySelector('.axis-times').ariaValueText !== was, whole);
  assert.ok(await bars() < all, 'the last steps are still drawn');
  assert.equal(await text(page, '.zoomed .mono'), await span(page));
  await page.click('.zoomed >> text=All');
  assert.equal(await span(page), whole);
  await page.mouse.move(box.x + box.width * 0.25, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 8, { steps: 4 });
  await page.waitForSelector('.picking');
  await page.mouse.up();
  await page.waitForSelector('.zoomed');
  const now = await page.locator('.axis-times').evaluate((el) => Number(el.ariaValueNow) / Number(el.ariaValueMax));
  assert.ok(now > 0.2 && now < 0.3, `begins at ${now} of the whole`);
  await page.focus('.axis-times');
  await press(page, '+', 'ArrowRight', '-', '0');
  assert.equal(await span(page), whole);
  await press(page, 'End', '+');
  await page.waitForSelector('.zoomed');
  const labels = await page.locator('.axis-times span').evaluateAll((spans) => spans.map((s) => s.getBoundingClientRect()).map(({ left, right }) => [left, right]));
  for (const [i, [left]] of labels.entries()) assert.ok(!i || left >= labels[i - 1][1], 'labels of the axis touch');
  await press(page, 'Escape');
  await page.waitForSelector('.zoomed', { state: 'detached' });
}));

test('lanes: what runs at the same time is beside each other; a bar leads to its step, many at once to those', () => use(many(), { state: newState() }, async (page) => {
  await run(page);
  await page.click('.views >> text=Lanes');
  await settled(page);
  await page.waitForFunction(() => / lanes;/.test(document.querySelector('.lanes-said').textContent));
  const lanes = Number((await text(page, '.lanes-said')).match(/^(\d+) lanes/)[1]);
  assert.ok(lanes >= 3 && lanes <= 1 + 2 * 8, `${lanes} lanes`);
  assert.equal(await page.locator('.lane-bar.failed, .lane-bar.handled').count() > 0, true);
  await accessible(page, 'lanes');
  await page.focus('.lanes-all');
  await press(page, 'ArrowRight', 'ArrowRight');
  assert.match(await text(page, '.lanes-said'), /^(all|entry|sum|exit)/);
  await press(page, 'ArrowDown');
  const inside = await text(page, '.lanes-said');
  assert.match(inside, /all \d+: took|steps from all \d+ on/);
  await press(page, 'ArrowUp', 'Enter');
  await page.waitForFunction(() => /all/.test(document.querySelector('.step-head')?.innerText));
  await press(page, 'ArrowDown');
  for (let i = 0; i < 200 && !/steps from/.test(await text(page, '.lanes-said')); i++) await press(page, i % 40 === 39 ? 'ArrowDown' : 'ArrowRight');
  assert.match(await text(page, '.lanes-said'), /\d+ steps from /);
  await press(page, 'Enter'); // comes nearer
  await page.waitForSelector('.zoomed');
  await page.reload();
  await page.waitForSelector('.lanes');
  assert.match(page.url(), /time=lanes/);
}));

test('totals: each node with its count, its p50 and p95 and its share of the run, also as a tint of the graph', () => use(many(), { state: newState() }, async (page) => {
  await run(page);
  await page.click('.views >> text=Totals');
  await page.locator('.totals tbody tr', { hasText: 'sum' }).waitFor();
  const rows = await page.locator('.totals table').evaluate((table) => {
    const heads = [...table.tHead.rows[0].cells].map((th) => th.innerText.replace(/ [▾▴]/, ''));
    return Object.fromEntries([...table.tBodies[0].rows].map((tr) => [tr.cells[0].innerText, ['ran', 'parts', 'failed'].map((name) => tr.cells[heads.indexOf(name)].innerText)]));
  });
  assert.deepEqual(rows, { all: ['1', '200', ''], entry: ['1', '', ''], exit: ['1', '', ''], sum: ['1', '', ''], 'one:add': ['200', '', '1'], 'one:entry': ['200', '', ''], 'one:exit': ['199', '', ''] });
  assert.match(await page.locator('.totals tbody th').first().innerText(), /^(all|one:add)$/, 'the longest is not first');
  await page.click('.totals thead >> text=node');
  assert.equal(await page.locator('.totals tbody th').first().innerText(), 'all');
  await page.click('.totals thead >> text=node');
  assert.equal(await page.locator('.totals tbody th').first().innerText(), 'sum');
  await page.check('.totals input');
  await page.waitForSelector('.canvas.tinted');
  assert.match(await page.locator('[data-node=all]').getAttribute('aria-label'), /\d+ % of the time/);
  await accessible(page, 'totals');
  await page.locator('.totals tbody tr', { hasText: 'sum' }).getByTitle('List its steps').click();
  await page.waitForFunction(() => document.querySelectorAll('.timeline .row').length === 1);
  await page.reload();
  await page.waitForSelector('.canvas.tinted');
}));

test('a time in which nothing ran is folded on the axis, and can be shown', () => use(file('idle', {
  asks: [entry('question'), '{id: question, type: ask, message: "Go on?", next: after}', set('after', 'exit', '$sum([1..1000])'), exit],
}), { state: newState() }, async (page) => {
  await submit(page);
  await status(page, 'waiting');
  await page.waitForTimeout(1500); // the user thinks
  await page.click('.question:not([hidden]) [type=submit]');
  await status(page, 'finished');
  await page.waitForSelector('.chip >> text=/idle/');
  await page.waitForSelector('.axis .folded');
  const waited = () => page.locator('.row', { hasText: 'question' }).locator('.held').evaluate((bar) => bar.getBoundingClientRect().width / bar.parentElement.clientWidth);
  const folded = await waited();
  await page.click('.chip >> text=/idle/');
  await page.waitForSelector('.axis .folded', { state: 'detached' });
  assert.ok(folded < 0.1 && await waited() > 0.8, `the wait took ${folded} of the folded axis`);
  await blur(page);
}));

// In a list of numbers drawn by a seed: an axis leads from times to places and back, whatever is folded; its labels do not touch.
test('an axis keeps the order of times, and its labels do not touch', () => {
  let state = 7;
  const chance = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  for (let i = 0; i < 500; i++) {
    const to = 10 ** (chance() * 9 - 2);
    const from = chance() < 0.5 ? 0 : to * chance() * 0.9;
    const idle = [];
    for (let time = 0; chance() < 0.7 && time < to;) {
      const since = time + chance() * to * 0.3;
      time = since + chance() * to * 0.3;
      idle.push([since, time]);
    }
    const axis = axisOf({ from, to }, idle);
    assert.equal(at(axis, from), 0);
    assert.equal(at(axis, to), 100);
    let before = 0;
    for (let k = 1; k < 20; k++) {
      const time = from + ((to - from) * k) / 20;
      const place = at(axis, time);
      assert.ok(place >= before - 1e-9 && place <= 100 + 1e-9, `${time} is at ${place} after ${before}`);
      assert.ok(Math.abs(timeAt(axis, place) - time) <= (to - from) * 1e-6, `${time} is at ${place}, and there is ${timeAt(axis, place)}`);
      before = place;
    }
    for (const { from: a, to: b, left, width } of axis.folds) assert.ok(b > a && left >= -1e-9 && left + width <= 100 + 1e-9);
    const width = 60 + chance() * 1500;
    const labels = ticks(axis, width);
    assert.ok(labels.length <= 16 && (labels.length > 0 || width < 160 || axis.folds.length > 0 || from > 0), `${labels.length} labels on ${width} pixels`);
    for (const [n, { at: left, text: label }] of labels.entries()) {
      const right = n + 1 < labels.length ? (labels[n + 1].at / 100) * width : width;
      assert.ok((left / 100) * width + label.length * 6 < right, `${label} touches what follows it`);
    }
  }
  assert.deepEqual(common([[0, 5], [7, 9]], [[1, 2], [4, 8]]), [[1, 2], [4, 5], [7, 8]]);
});

// What is drawn of 10,000 parts is bounded by what can be seen, near and far.
test('10,000 parts are as many bars as can be seen', () => {
  const path = join(STATE, 'crowd.yaml');
  writeFileSync(path, `version: "1.0"
server: {name: crowd, version: 1.0.0}
executionLimits: {maxNodeExecutions: 100000}
tools:
  - name: crowd
    description: Calls a graph for each of 10,000 items.
    inputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: all}
      - {id: all, type: graph, tool: one, forEach: {items: '[1..10000]', maxParallel: 16}, args: {n: {expr: $item}}, next: exit}
      - {id: exit, type: exit}
  - name: one
    description: Adds one.
    inputSchema: {type: object, properties: {n: {type: integer}}}
    nodes: [{id: entry, type: entry, next: add}, {id: add, type: transform, transform: {expr: $.entry.n + 1}, next: exit}, {id: exit, type: exit}]
`);
  const state = newState();
  toolgraph(['run', path, 'crowd'], { state });
  return use(path, { state }, async (page) => {
    await press(page, 'r');
    await page.click('.runs li button');
    await page.click('.views >> text=Lanes');
    await settled(page);
    const drawn = () => page.locator('.lanes svg').evaluate((svg) => ({ elements: svg.querySelectorAll('*').length, bars: [...svg.querySelectorAll('.lane-bar')].reduce((n, path) => n + path.getAttribute('d').split('M').length - 1, 0) }));
    const width = await page.locator('.lanes-draw').evaluate((el) => el.clientWidth);
    const lanes = await page.locator('.lanes svg').evaluate((svg) => svg.clientHeight / 18);
    for (let i = 0; i < 12; i++) {
      const { elements, bars } = await drawn();
      assert.ok(elements < 500 && bars <= lanes * (width / 2 + 2), `${elements} elements, ${bars} bars in ${lanes} lanes`);
      await page.focus('.lanes-all');
      await press(page, '+');
      await page.waitForTimeout(250);
    }
    const { bars } = await drawn();
    assert.ok(bars > 0, 'nothing is seen from near');
    await press(page, '0');
    await page.click('.views >> text=Totals');
    assert.match(await text(page, '.totals tbody tr'), /all.*10,000/s);
  });
});
