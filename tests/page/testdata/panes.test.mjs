import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, assert, blur, graph, newState, press, status, submit, test, use } from './lib.mjs';

const size = (page, name) => page.evaluate((n) => {
  const { width, height } = document.querySelector(`.${n}`).getBoundingClientRect();
  return Math.round(n === 'timeline' ? height : width);
}, name);
const divider = (name) => `.divider.of-${name}`;
// opened runs the tool, so that there are all panes.
const opened = async (page) => {
  await submit(page);
  await status(page, 'finished');
};
const tabsOf = (page) => page.locator('.inspector [role=tab]').evaluateAll((all) => all.map((tab) => tab.id.replace('tab-', '')));
const atBound = (page, name, bound) => page.waitForFunction(([n, b, at]) => {
  const { width, height } = document.querySelector(`.${n}`).getBoundingClientRect();
  const el = document.querySelector(at);
  return Math.abs(Number(el.getAttribute(`aria-${b}`)) - (n === 'timeline' ? height : width)) <= 1 && el.getAttribute('aria-valuenow') === el.getAttribute(`aria-${b}`);
}, [name, bound, divider(name)]);
const settled = (page, name, want) => page.waitForFunction(([n, w, at]) => {
  const { width, height } = document.querySelector(`.${n}`).getBoundingClientRect();
  const now = Math.round(n === 'timeline' ? height : width);
  return Math.abs(now - w) <= 1 && Math.abs(Number(document.querySelector(at).getAttribute('aria-valuenow')) - w) <= 1;
}, [name, want, divider(name)]);

// Without a run there is nothing to list and nothing to inspect: the graph has the room.
for (const [width, height] of [[1440, 900], [1024, 768]]) {
  test(`no run is open, ${width} wide: the graph has the window beside the tools`, () => use(graph('loop'), { viewport: { width, height } }, async (page) => {
    const boxes = () => page.evaluate(() => Object.fromEntries(['side', 'graph', 'timeline', 'inspector'].map((name) => {
      const box = document.querySelector(`.${name}`)?.getBoundingClientRect();
      return [name, box && [box.left, box.right, box.bottom].map(Math.round)];
    })));
    const bare = await boxes();
    assert.deepEqual([bare.timeline, bare.inspector], [undefined, undefined]);
    assert.deepEqual(bare.graph, [bare.side[1], width, height], 'the graph ends where the window does');
    assert.equal(await page.locator('.empty').count(), 0, 'an empty box');
    assert.equal(await page.locator('.divider').count(), 1);
    await accessible(page, 'no run');
    await blur(page);
    await press(page, '2', '3');
    await page.waitForSelector('.notice >> text=no run is open');
    assert.deepEqual(await boxes(), bare);

    await page.click('.shown-tool >> text=File');
    await page.waitForSelector('.editor-host[data-ready=yes]');
    assert.deepEqual(await tabsOf(page), ['source']);
    await accessible(page, 'the file without a run', '.inspector');
    await page.click('.inspector [aria-label="Close this pane"]');
    assert.deepEqual(await boxes(), bare);
    await page.click('[data-node=exit]');
    await page.waitForSelector('.inspector .step-head >> text=not run');
    assert.deepEqual(await tabsOf(page), ['step', 'source']);
    const [left, right] = (await boxes()).graph;
    const node = await page.locator('[data-node=exit]').boundingBox();
    assert.ok(node.x >= left && node.x + node.width <= right, 'the node that was chosen is covered');
    await page.click('.inspector [aria-label="Close this pane"]');

    await opened(page);
    assert.deepEqual(await tabsOf(page), ['step', 'context', 'try', 'source']);
    const all = await boxes();
    assert.ok(all.timeline && all.inspector[0] >= all.graph[1] && all.graph[2] < height);
    assert.equal(await page.locator('.divider').count(), 3);
  }));
}

test('no run is open in a narrow window: there is no pane of steps', () => use(graph('loop'), { viewport: { width: 390, height: 844 } }, async (page) => {
  const buttons = () => page.locator('.panebar button').allTextContents();
  assert.deepEqual(await buttons(), ['Tools & runs', 'Graph', 'File']);
  await accessible(page, 'no run, narrow');
  await page.click('.panebar >> text=File');
  await page.waitForSelector('.editor-host[data-ready=yes]');
  await page.click('.inspector [aria-label="Close this pane"]');
  await page.waitForSelector('.canvas:visible');
  await page.click('[data-node=exit]');
  await page.waitForSelector('.inspector:visible >> text=not run');
  assert.deepEqual(await buttons(), ['Tools & runs', 'Graph', 'Node']);
  await page.click('.panebar >> text=Tools');
  await opened(page);
  assert.deepEqual(await buttons(), ['Tools & runs', 'Graph', 'Steps', 'Inspect']);
  await page.click('.panebar >> text=Steps');
  await page.waitForSelector('.timeline:visible');
}));

test('panes are resized by keys, remembered, and reset by a double click', () => use(graph('loop'), {}, async (page) => {
  await opened(page);
  for (const [name, larger, smaller] of [['side', 'ArrowRight', 'ArrowLeft'], ['inspector', 'ArrowLeft', 'ArrowRight'], ['timeline', 'ArrowUp', 'ArrowDown']]) {
    const usual = await size(page, name);
    await settled(page, name, usual);
    await page.focus(divider(name));
    await press(page, larger, 'Shift+' + larger);
    await settled(page, name, usual + 80);
    await press(page, smaller);
    await settled(page, name, usual + 64);
    await page.reload();
    await page.waitForSelector('.node');
    await settled(page, name, usual + 64);
    await page.focus(divider(name));
    await press(page, 'Home');
    await atBound(page, name, 'valuemin');
    await press(page, 'End');
    await atBound(page, name, 'valuemax');
    assert.ok(await page.evaluate(() => document.querySelector('.graph').clientWidth >= 300 && document.querySelector('.graph').clientHeight >= 120), 'the graph has no room');
    await page.dblclick(divider(name));
    await settled(page, name, usual);
    await page.waitForTimeout(500); // a single click would widen it
    await settled(page, name, usual);
    await page.focus(divider(name));
    await press(page, 'Enter');
    await atBound(page, name, 'valuemax');
    await press(page, 'Enter');
    await settled(page, name, usual);
  }
  await accessible(page, 'dividers', '.app > .side');
}));

test('panes are resized by the mouse: dragged, or with a click', () => use(graph('loop'), {}, async (page) => {
  await opened(page);
  for (const [name, dx, dy] of [['side', 60, 0], ['inspector', -60, 0], ['timeline', 0, -60]]) {
    const usual = await size(page, name);
    const { x, y, width, height } = await page.locator(divider(name)).boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + dx / 2, y + height / 2 + dy / 2);
    await page.mouse.move(x + width / 2 + dx, y + height / 2 + dy);
    await page.mouse.up();
    await settled(page, name, usual + 60);
    await page.waitForTimeout(450);
    await settled(page, name, usual + 60); // to drag is no click
    await page.dblclick(divider(name));
    await settled(page, name, usual);
    await page.click(divider(name));
    await page.waitForFunction(([n, w]) => document.querySelector(`.${n}`).getBoundingClientRect()[n === 'timeline' ? 'height' : 'width'] > w + 60, [name, usual]);
    await page.dblclick(divider(name));
    await settled(page, name, usual);
  }
}));

test('a narrow window has no dividers, and sizes of a wide one do no harm', () => use(graph('loop'), {}, async (page) => {
  await opened(page);
  await page.focus(divider('side'));
  await press(page, 'End');
  await page.setViewportSize({ width: 1000, height: 700 });
  assert.ok(await size(page, 'centre') >= 240 && await page.evaluate(() => document.documentElement.scrollWidth) === 1000);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.equal(await page.locator('.divider:visible').count(), 0);
  for (const name of ['Tools', 'Graph', 'Steps', 'Inspect']) {
    await page.click(`.panebar >> text=${name}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, name);
  }
}));

// A file of 100 tools, each with a title: the list has the column down to the form, however many tools there are.
const listed = (page) => page.locator('.tools [role=option]').evaluateAll((all) => all.map((b) => b.dataset.tool));
const heights = (page) => page.evaluate(() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const { top, bottom, height } = box('.tools');
  return { height, above: top - box('.tool-search').bottom, below: box('#run-form').top - bottom, foot: innerHeight - box('#run-form').bottom, body: box('.side-body').height };
});
function fileOf(tools) {
  const path = join(newState(), 'many.yaml');
  const fields = (i) => (i === 100 ? `{${Array.from({ length: 20 }, (_, n) => `field_${n}: {type: string}`).join(', ')}}` : '{word: {type: string}}');
  writeFileSync(path, `version: "1.0"\nserver: {name: many, version: 1.0.0}\ntools:\n${Array.from({ length: tools }, (_, i) => `  - name: job_${i + 1}
    title: ${i === 41 ? 'Send the Weekly Letter' : `Title of ${i + 1}`}
    description: Returns its arguments.
    inputSchema: {type: object, properties: ${fields(i + 1)}}
    nodes: [{id: in, type: entry, next: out}, {id: out, type: exit}]`).join('\n')}\n`);
  return path;
}

test('100 tools have the height of the column, and are found by a name or title that is typed', () => use(fileOf(100), {}, async (page) => {
  const short = await heights(page);
  assert.ok(Math.abs(short.above) <= 1 && Math.abs(short.below) <= 1 && Math.abs(short.foot) <= 1, JSON.stringify(short));
  assert.ok(short.height > short.body * 0.55, 'the list leaves room unused');
  await blur(page);
  await press(page, 't');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'find-tool');
  await page.keyboard.type('weekly l');
  assert.deepEqual(await listed(page), ['job_42']);
  await press(page, 'Enter');
  await page.waitForSelector('#run-form h2 >> text=job_42');
  await press(page, 'Escape');
  assert.equal((await listed(page)).length, 100);
  await press(page, 'ArrowDown', 'ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.tool), 'job_2');
  await page.keyboard.type('b_100'); // from the list; none of it is a key of the page
  assert.deepEqual([await page.inputValue('#find-tool'), ...await listed(page)], ['b_100', 'job_100']);
  await press(page, 'Enter');
  await page.waitForSelector('#field-field_19');
  await press(page, 'Escape', 'ArrowDown', 'ArrowUp');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'find-tool');
  const long = await heights(page); // of a form that is longer than the column
  assert.ok(Math.abs(long.height - long.body * 0.4) <= 2, JSON.stringify(long));
  await page.waitForFunction(() => {
    const list = document.querySelector('.tools').getBoundingClientRect();
    const { top, bottom } = document.querySelector('.tools [aria-selected=true]').getBoundingClientRect();
    return top >= list.top - 1 && bottom <= list.bottom + 1;
  });
  await accessible(page, '100 tools', '.side');
}));

test('few tools have no search field, and no key is taken from the page', () => use(fileOf(8), {}, async (page) => {
  assert.equal((await listed(page)).length, 8);
  assert.equal(await page.locator('#find-tool').count(), 0);
  await page.focus('.tools [role=option]');
  await press(page, 'r');
  await page.waitForSelector('#panel-runs');
}));

test('many tools are searched and walked by keys, and the chosen one stays in sight', () => use(graph('tools'), {}, async (page) => {
  await page.waitForSelector('#find-tool');
  await page.fill('#find-tool', 'number 47');
  await page.waitForFunction(() => document.querySelectorAll('.tools [role=option]').length === 1);
  await press(page, 'Enter');
  await page.waitForSelector('#run-form h2 >> text=tool_47');
  await press(page, 'Escape');
  await page.waitForFunction(() => document.querySelectorAll('.tools [role=option]').length === 60);
  const inSight = () => page.evaluate(() => {
    const list = document.querySelector('.tools').getBoundingClientRect();
    const { top, bottom } = document.querySelector('.tools [aria-selected=true]').getBoundingClientRect();
    return top >= list.top - 1 && bottom <= list.bottom + 1;
  });
  assert.ok(await inSight(), 'after a search');
  await page.reload();
  await page.waitForSelector('#run-form h2 >> text=tool_47');
  assert.ok(await inSight(), 'after a reload');
  await page.focus('#find-tool');
  await press(page, 'Tab', 'ArrowDown', 'ArrowDown', 'Enter');
  await page.waitForSelector('#run-form h2 >> text=tool_49');
  assert.ok(await inSight(), 'after arrows');
  await press(page, 'Tab'); // past all the others
  assert.ok(await page.evaluate(() => document.activeElement.closest('#run-form') !== null));
  await page.setViewportSize({ width: 360, height: 740 });
  await page.click('.panebar >> text=Graph');
  await page.click('.panebar >> text=Tools');
  assert.ok(await inSight(), 'in a narrow window');
  assert.ok(await page.locator('#run-form [type=submit]').evaluate((b) => b.getBoundingClientRect().bottom < innerHeight), 'Run is out of sight');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.fill('#find-tool', 'absent');
  await page.click('text=Show all');
  await accessible(page, 'tools', '.side');
  await page.fill('#field-word', 'x');
  await blur(page);
  await submit(page);
  await status(page, 'finished');
}));
