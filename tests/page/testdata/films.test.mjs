import { accessible, graph, newState, press, status, submit, test, toolgraph, use } from './lib.mjs';
import { film } from './pictures.mjs';

// The films of the README: five seconds each.

test('a failed run is run again from a step with another value', () => {
  const state = newState();
  const run = (customer) => toolgraph(['run', graph('orders'), 'place_order', `customer=${customer}`, 'amount=90'], { state, ok: false });
  run('frames');
  run('absent');
  return use(graph('orders'), { state, viewport: { width: 1200, height: 750 } }, async (page) => {
    const { frame, end } = film(page, 'film-again');
    await press(page, 'r');
    await page.waitForSelector('.runs li');
    await frame(700);
    await page.locator('.runs li button').first().click();
    await page.waitForSelector('.step-head >> text=read');
    await frame(1200);
    await press(page, 'a');
    await page.waitForSelector('dialog select');
    await page.selectOption('dialog select', 'entry');
    await page.waitForFunction(() => document.querySelector('dialog textarea')?.value.includes('absent'));
    await frame(800);
    await page.fill('dialog textarea', '{\n  "customer": "frames",\n  "amount": 90\n}');
    await frame(1000);
    await page.click('dialog .primary');
    await status(page, 'finished');
    await page.waitForSelector('.node.ran[data-node=exit]');
    await frame(1300);
    end();
  });
});

test('a plan is pasted, checked and run', () => use(graph('plan'), { state: newState(), viewport: { width: 1200, height: 750 } }, async (page) => {
  const plan = {
    steps: [
      { id: 'notes', call: 'files.find_files', args: { path: 'data/notes', pattern: '*.md' } },
      { id: 'texts', each: 'notes.entries', as: 'note', call: 'files.read_file', args: { path: { expr: '"data/notes/" & $note.name' } } },
    ],
    return: '{"files": $count(texts), "bytes": $sum(texts.size)}',
  };
  const { frame, end } = film(page, 'film-plan');
  await page.click('[data-tool=run_plan]');
  await page.fill('#run-form .field textarea >> nth=0', JSON.stringify(plan, null, 1).replace(/\n {3,}/g, ' ').replace(/\n {2}\}/g, ' }'));
  await page.locator('#run-form .field textarea').first().evaluate((area) => { area.scrollTop = 0; });
  await frame(1000);
  await page.click('#check-button');
  await page.waitForSelector('.plan-verdict >> text=The plan can run');
  await page.waitForSelector('[data-node=texts]');
  await frame(1700);
  await submit(page);
  await status(page, 'finished');
  await page.waitForSelector('[data-node=texts].ran');
  await frame(800);
  await page.click('[data-node=texts]');
  await page.waitForSelector('.step-head >> text=texts');
  await frame(1500);
  await accessible(page, 'a run of a plan');
  end();
}));
