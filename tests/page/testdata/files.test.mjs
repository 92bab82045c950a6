import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { assert, graph, newState, press, test, use } from './lib.mjs';

// The files of a directory each have their page: a list leads to the others, and each has its own tools and runs.
test('several graph files', async () => {
  const dir = join(newState(), 'graphs');
  mkdirSync(join(dir, 'more'), { recursive: true });
  cpSync(graph('loop'), join(dir, 'loop.yaml'));
  cpSync(graph('steps'), join(dir, 'more', 'steps.yaml'));
  await use(dir, {}, async (page, url) => {
    const tools = () => page.locator('.tools [data-tool]').evaluateAll((all) => all.map((b) => b.dataset.tool));
    assert.equal(new URL(page.url()).pathname, '/loop/');
    const first = await tools();
    await press(page, 'Control+Enter');
    await page.waitForSelector('.controls .status');
    await page.getByLabel('graph file').selectOption({ label: 'more/steps' });
    await page.waitForURL('**/more/steps/**');
    await page.waitForSelector('.node');
    assert.notDeepEqual(await tools(), first);
    await page.goBack();
    await page.waitForURL('**/loop/**');
    await page.waitForSelector('.node');
    assert.deepEqual(await tools(), first);
    assert.equal(await page.getByLabel('graph file').inputValue(), '/loop/');
    await page.goto(new URL('/more/steps/', url).href); // the session is that of all
    await page.waitForSelector('.node');
    await press(page, '4'); // the editor is loaded from beside the page
    await page.waitForSelector('.cm-editor');
  });
});
