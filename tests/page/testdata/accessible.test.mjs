import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, assert, blur, example, graph, newState, press, status, submit, test, use } from './lib.mjs';

// Every view of the page, in both themes and in a narrow window: no violation of WCAG 2.2 AA, and nothing that
// cannot be read at 200 %.
const views = [
  ['wide', { viewport: { width: 1440, height: 900 } }],
  ['narrow', { viewport: { width: 360, height: 740 } }],
  ['zoomed', { viewport: { width: 720, height: 450 } }], // 1440 × 900 at 200 %
];

for (const colorScheme of ['light', 'dark']) {
  for (const [name, view] of views) {
    test(`${name}, ${colorScheme}: a run and all of its tabs`, () => use(example('03-collect-todos'), { colorScheme, ...view }, async (page) => {
      const to = async (pane) => {
        if (name === 'wide') return;
        await page.click(`.panebar >> text=${pane}`);
      };
      const check = (where) => accessible(page, `${name}, ${colorScheme}, ${where}`);
      await check('start');
      await press(page, '4');
      await page.waitForSelector('.editor-host[data-ready=yes]');
      await check('the file, without a run');
      await page.click('.inspector [aria-label="Close this pane"]');
      await to('Tools');
      await page.fill('#field-directory', 'data/notes');
      await page.fill('#field-pattern', '*.md');
      await check('form');
      await submit(page);
      await status(page, 'finished');
      for (const pane of ['Graph', 'Steps', 'Inspect']) {
        await to(pane);
        await check(pane);
      }
      for (const tab of ['2', '3', '4', '1']) {
        await blur(page);
        await press(page, tab);
        await page.waitForTimeout(300); // what is evaluated or loaded
        await check(`tab ${tab}`);
      }
      await blur(page);
      await press(page, 'r');
      await to('Tools');
      await page.waitForSelector('.runs li');
      await check('runs');
      await press(page, '?');
      await page.waitForSelector('dialog[open]');
      await check('help');
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, 'the page scrolls sideways');
    }));
  }
  test(`${colorScheme}: a question, and a refused form`, () => use(graph('ask'), { colorScheme }, async (page) => {
    await submit(page);
    await status(page, 'waiting');
    await page.click('.question:not([hidden]) [type=submit]');
    await page.waitForSelector('.question .wrong');
    await accessible(page, 'question');
  }));
  test(`${colorScheme}: the list of breakpoints, and a question about a call`, () => use(graph('ask'), { colorScheme }, async (page) => {
    await page.focus('[data-node=list]');
    await press(page, 'c');
    await page.fill('dialog input.mono', 'false');
    await press(page, 'Enter');
    await page.waitForSelector('[data-stop=list].conditional');
    await blur(page);
    await press(page, 'B');
    await page.waitForSelector('.breakpoints tbody tr');
    await accessible(page, 'breakpoints');
    await press(page, 'Escape');
    await submit(page);
    await page.selectOption('.question select', 'true');
    await page.click('.question [type=submit]');
    await page.waitForSelector('.inspector >> text=Its call is in the question');
    await accessible(page, 'a question about a call');
  }));
  test(`${colorScheme}: a graph that is older than the text`, () => {
    const path = join(newState(), 'graph.yaml');
    copyFileSync(graph('loop'), path);
    return use(path, { colorScheme, args: ['--allow-write'] }, async (page) => {
      await blur(page);
      await press(page, '4');
      await page.waitForSelector('.editor-host[data-ready=yes]');
      await page.locator('.cm-content').focus();
      await page.keyboard.insertText('oops\n');
      await page.waitForSelector('.graph-unsaved.behind');
      await accessible(page, 'an older graph');
      page.on('dialog', (d) => d.accept());
    });
  });
  test(`${colorScheme}: parts, a handled failure, a pause and an edit`, () => use(graph('frames'), { colorScheme }, async (page) => {
    await page.click('#debug-button');
    await status(page, 'paused');
    await accessible(page, 'paused');
    await press(page, 'F10');
    await page.waitForSelector('.node.current[data-node=sides]');
    await press(page, 'F10');
    await page.waitForSelector('.node.current[data-node=stops]');
    await page.locator('.row').first().click();
    await page.click('.inspector >> text=Edit');
    await page.waitForSelector('dialog textarea');
    await accessible(page, 'edit');
  }));
}
