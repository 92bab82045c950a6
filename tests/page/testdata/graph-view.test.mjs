import { accessible, assert, blur, graph, press, shot, status, submit, test, use } from './lib.mjs';
import { chainFile, fanFile } from './graphs.mjs';

const place = (page) => page.locator('.canvas > g').first().getAttribute('transform');
const scale = async (page) => Number((await place(page)).match(/scale\(([\d.e-]+)\)/)[1]);
const moved = (page, before) => page.waitForFunction((was) => document.querySelector('.canvas > g').getAttribute('transform') !== was, before);
const letters = (page) => page.evaluate(() => [...document.querySelectorAll('.canvas text')].map((el) => parseFloat(getComputedStyle(el).fontSize) * el.getScreenCTM().a));

test('from far away labels give way to shapes with short names, and come back', () => use(graph('wide'), {}, async (page) => {
  await submit(page);
  await status(page, 'finished');
  assert.ok(await page.locator('.canvas .edge.label').count() > 100);
  await blur(page);
  await press(page, 'f');
  await page.waitForSelector('.canvas.far');
  assert.equal(await page.locator('.canvas .edge.label, .canvas .sub, .canvas .mark').count(), 0);
  assert.equal(await page.locator('.canvas .node .body').count(), 300);
  const seen = await page.evaluate(() => {
    const pane = document.querySelector('.canvas').getBoundingClientRect();
    return [...document.querySelectorAll('.canvas .node .body')].filter((el) => {
      const { left, right, top, bottom } = el.getBoundingClientRect();
      return left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom;
    }).length;
  });
  assert.equal(seen, 300);
  const sizes = await letters(page);
  assert.ok(sizes.length > 50 && Math.min(...sizes) >= 7, `${sizes.length} words, the smallest of ${Math.min(...sizes)} pixels`);
  const far = await scale(page);
  for (let i = 0; i < 12; i++) await press(page, '-');
  assert.ok(await scale(page) > far * 0.85, 'the graph can be made smaller than is of use');
  await press(page, '0');
  await page.waitForSelector('.canvas:not(.far) .edge.label');
  assert.equal(await scale(page), 1);
  await shot(page, 'large');
}));

test('a large graph has a map: its frame is dragged and moved by the keyboard', () => use(chainFile(200), {}, async (page) => {
  const map = page.locator('.minimap');
  assert.match(await map.getAttribute('aria-label'), /^overview: \d+ of 202 nodes are shown/);
  const box = await map.locator('svg').boundingBox();
  const before = await place(page);
  await page.mouse.move(box.x + 3, box.y + 3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 4, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await moved(page, before);
  const inPane = (id) => page.evaluate((of) => {
    const pane = document.querySelector('.canvas').getBoundingClientRect();
    const { left, right } = document.querySelector(`[data-node=${of}]`).getBoundingClientRect();
    return right > pane.left && left < pane.right;
  }, id);
  assert.ok(!(await inPane('entry')) && await inPane('exit'), 'the drag has not led to the end');
  const dragged = await place(page);
  await map.focus();
  await press(page, 'ArrowLeft', 'ArrowUp');
  await moved(page, dragged);
  const [x, y] = dragged.match(/-?[\d.]+/g).map(Number);
  const [nx, ny] = (await place(page)).match(/-?[\d.]+/g).map(Number);
  assert.ok(nx > x && ny > y, 'the arrows move the view');
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await accessible(page, colorScheme, '.graph');
  }
}));

test('a small graph has no map', () => use(graph('loop'), {}, async (page) => {
  assert.equal(await page.locator('.canvas .node').count(), 6);
  assert.equal(await page.locator('.minimap').count(), 0);
}));

test('the view stays while stepping, and follows what runs out of it', () => use(chainFile(60), {}, async (page) => {
  await page.click('#debug-button');
  await status(page, 'paused');
  await page.waitForSelector('.node.current[data-node=entry]');
  await blur(page);
  await press(page, '-');
  const before = await place(page);
  await press(page, 'F10');
  await page.waitForSelector('.node.current[data-node=step_1]');
  await press(page, 'F10');
  await page.waitForSelector('.node.current[data-node=step_2]');
  assert.equal(await place(page), before);
  await press(page, 'k', 'k');
  await page.waitForSelector('.node.current[data-node=entry]');
  assert.equal(await place(page), before);
  await press(page, '0');
  await page.focus('[data-node=step_60]');
  await press(page, 'u');
  await page.waitForSelector('.node.current[data-node=step_60]');
  await blur(page);
  await press(page, 'Home'); // to the first step, far from the last
  await page.waitForSelector('.node.current[data-node=entry]');
  const pane = await page.locator('.canvas').boundingBox();
  const node = await page.locator('[data-node=entry] .body').last().boundingBox();
  assert.ok(node.x >= pane.x && node.x + node.width <= pane.x + pane.width && node.y >= pane.y && node.y + node.height <= pane.y + pane.height, 'the current node is out of view');
  assert.equal(await scale(page), 1);
}));

test('each tool keeps its place', () => use(graph('frames'), {}, async (page) => {
  await blur(page);
  await press(page, '+', '+');
  await page.locator('.canvas').dispatchEvent('wheel', { deltaX: 30, deltaY: 20 });
  const before = await place(page);
  await page.focus('[data-node=sides]');
  await page.focus('[data-node=stops]');
  const focused = await place(page);
  await press(page, 'i'); // not called yet: its graph is drawn
  await page.waitForSelector('[data-node=twice]');
  assert.notEqual(await place(page), before);
  await page.locator('.tools [role=option], .tools button, .tools li').first().click();
  await page.waitForSelector('[data-node=sides]');
  assert.equal(await place(page), focused);
}));

test('the wheel enlarges, two fingers on a trackpad move, a touch drags', () => use(fanFile(), { hasTouch: true }, async (page) => {
  const pane = await page.locator('.canvas').boundingBox();
  const [x, y] = [pane.x + 20, pane.y + pane.height / 2];
  const first = await scale(page);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -120);
  await page.waitForFunction((k) => Number(document.querySelector('.canvas > g').getAttribute('transform').match(/scale\(([\d.e-]+)/)[1]) > k, first);
  const larger = await scale(page);
  const before = await place(page);
  await page.mouse.wheel(10, 20);
  await moved(page, before);
  assert.equal(await scale(page), larger);
  const now = await place(page);
  const client = await page.context().newCDPSession(page);
  const touch = (type, ...points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([px, py]) => ({ x: px, y: py })) });
  const node = await page.locator('[data-node=which]').boundingBox(); // also on a node
  await touch('touchStart', [node.x + 30, node.y + 10]);
  await touch('touchMove', [node.x + 60, node.y + 50]);
  await touch('touchMove', [node.x + 90, node.y + 90]);
  await touch('touchEnd');
  await moved(page, now);
  assert.equal(await page.locator('.node-tip').count(), 0);
}));
