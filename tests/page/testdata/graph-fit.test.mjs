import { assert, blur, graph, press, test, use } from './lib.mjs';
import { chainFile, fanFile } from './graphs.mjs';

const place = (page) => page.locator('.canvas > g').first().getAttribute('transform');
const scale = async (page) => Number((await place(page)).match(/scale\(([\d.e-]+)\)/)[1]);
const small = { width: 1100, height: 420 };
const large = { width: 1440, height: 900 };
// resize waits until the graph has the size of the window, then two frames, in which the view follows.
const resize = async (page, to) => {
  const before = await page.locator('.canvas').evaluate((el) => el.getBoundingClientRect().width + el.getBoundingClientRect().height);
  await page.setViewportSize(to);
  await page.waitForFunction((was) => { const b = document.querySelector('.canvas').getBoundingClientRect(); return b.width + b.height !== was; }, before);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
};

test('a graph is fitted anew when its pane grows, until the user moves it', () => use(graph('frames'), {}, async (page) => {
  const best = await place(page);
  await resize(page, small);
  assert.notEqual(await place(page), best);
  await resize(page, large);
  assert.equal(await place(page), best);
  await blur(page);
  await press(page, '-');
  const chosen = await scale(page);
  await resize(page, { width: 1300, height: 860 });
  assert.equal(await scale(page), chosen, 'what the user has chosen is lost');
  await press(page, 'f');
  await resize(page, large);
  assert.equal(await place(page), best);
}));

test('a graph that was first shown in a small window is not small in a large one', () => use(graph('frames'), { viewport: small }, async (page) => {
  const before = await scale(page);
  await resize(page, large);
  assert.ok(await scale(page) > before, `${before}`);
  const after = await place(page);
  await blur(page);
  await press(page, 'f');
  assert.equal(await place(page), after);
}));

test('a node that calls another tool says so', () => use(graph('frames'), {}, async (page) => {
  await page.waitForSelector('.canvas .sub >> text="calls stop × each"');
  assert.equal(await page.locator('.canvas .sub >> text="calls stop"').count(), 2, 'the branches');
  assert.match(await page.locator('[data-node=stops]').getAttribute('aria-label'), /calls stop/);
}));

// inView is which nodes are in the pane as a whole, and the size of the smallest letters in it, in pixels.
const inView = (page) => page.evaluate(() => {
  const pane = document.querySelector('.canvas').getBoundingClientRect();
  const inside = (el) => {
    const { left, right, top, bottom } = el.getBoundingClientRect();
    return left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom;
  };
  return {
    nodes: [...document.querySelectorAll('.canvas .node')].filter((el) => inside(el.querySelector('.body'))).map((el) => el.dataset.node),
    letters: Math.min(...[...document.querySelectorAll('.canvas text')].map((el) => parseFloat(getComputedStyle(el).fontSize) * el.getScreenCTM().a)),
  };
});

for (const [what, file, all] of [['45 nodes', () => chainFile(43), 45], ['12 ways', fanFile, 16]]) {
  test(`a graph of ${what} begins at its entry where it can be read, and one key shows the whole`, () => use(file(), {}, async (page) => {
    const begun = await inView(page);
    assert.ok(begun.letters > 9.5, `letters of ${begun.letters} pixels`);
    assert.ok(begun.nodes.includes('entry') && begun.nodes.length > 1 && begun.nodes.length < all, `${begun.nodes} in view`);
    await blur(page);
    await press(page, 'f');
    const whole = await inView(page);
    assert.equal(whole.nodes.length, all);
    assert.ok(whole.letters < begun.letters);
  }));
}
