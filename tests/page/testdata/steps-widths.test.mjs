import { assert, blur, newState, press, status, submit, test, use } from './lib.mjs';
import { entry, exit, file, set } from './graphs.mjs';

const mixed = () => file('mixed', {
  mixed: [entry('first'), set('first', 'stops'), "{id: stops, type: graph, tool: stop, forEach: {items: '[1..8]'}, args: {n: {expr: $item}}, next: exit}", exit],
  stop: [entry('check'), set('check', 'exit'), exit],
});

// In each row the parts of it begin below those of the others, and the value has room.
for (const [width, least] of [[1440, 150], [1024, 150], [360, 60]]) {
  test(`the rows of runs and steps at ${width} pixels`, () => use(mixed(), { state: newState(), viewport: { width, height: 768 } }, async (page) => {
    if (width < 760) await page.click('.panebar button >> nth=0');
    await submit(page);
    await status(page, 'finished');
    if (width < 760) await page.click('.panebar button >> nth=0');
    await blur(page);
    await press(page, 'r');
    await page.waitForSelector('.runs .run-line:last-child');
    const lines = await page.locator('.runs .run-line:last-child > span').evaluateAll((all) => all.map((span) => span.getBoundingClientRect().height));
    assert.ok(lines.length === 2 && lines.every((height) => height < 24), `time and count are ${lines} pixels high`);
    if (width < 760) await page.click('.panebar button >> text=Steps');
    await page.waitForFunction(() => document.querySelectorAll('.timeline .row .row-value:not(:empty)').length === 4);
    const rows = await page.locator('.timeline .row').evaluateAll((all) => all.map((row) => ['.row-node', '.row-value'].map((part) => row.querySelector(part).getBoundingClientRect()).map(({ left, width: wide }) => ({ left, wide }))));
    for (const [name, value] of rows) {
      assert.equal(name.left, rows[0][0].left, 'a name is beside the others');
      assert.ok(value.left > name.left + 60 && value.wide >= least, `the value begins at ${value.left} and is ${value.wide} wide`);
    }
  }));
}
