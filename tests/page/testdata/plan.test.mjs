import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, assert, graph, newState, press, shot, status, submit, test, text, toolgraph, use } from './lib.mjs';

const steps = [
  { id: 'found', call: 'files.find_files', args: { path: '.', pattern: '*.test.yaml' } },
  { id: 'texts', each: 'found.entries[[0..2]]', as: 'file', call: 'files.read_file', args: { path: { expr: '$file.name' } }, onError: 'skip' },
  { id: 'total', expr: '$sum(texts.size)' },
  { id: 'note', if: 'total > 0', call: 'notes.say', args: { text: { expr: '"read " & total & " bytes"' } } },
];
const plan = { steps, return: '{"files": $count(texts), "note": note}' };
const show = (p) => JSON.stringify(p, null, 1).replace(/\n {3,}/g, ' ').replace(/\n {2}\}/g, ' }');
const area = '#run-form .field textarea >> nth=0';

const paste = async (page, p) => {
  await page.click('[data-tool=run_plan]');
  await page.fill(area, typeof p === 'string' ? p : show(p));
};
const check = async (page, verdict) => {
  await page.click('#check-button');
  await page.waitForSelector(`.plan-verdict >> text=${verdict}`);
};
const label = (page, node) => page.getAttribute(`[data-node="${node}"]`, 'aria-label');

// What is wrong is listed with its paths, which lead to the text; a plan that can run shows its calls, flows and drawing.
test('a plan is pasted and checked', () => use(graph('plan'), { state: newState(), viewport: { width: 1440, height: 1000 } }, async (page) => {
  await paste(page, show(plan).replace('files.read_file', 'files.read_fil').replace('"pattern":', '"pattrn":'));
  await check(page, 'The plan cannot run');
  const found = await page.locator('[aria-label="findings in the plan"] li').allInnerTexts();
  assert.match(found[0], /steps\[0\]\.args\.pattrn[\s\S]*pattern/);
  assert.match(found[1], /steps\[1\]\.call[\s\S]*did you mean "files\.read_file"\?[\s\S]*\[unknown-tool\]/);
  await accessible(page, 'findings of a plan');
  await page.click('.plan-report >> text=steps[1].call');
  assert.equal(await page.evaluate(() => document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), '"files.read_fil"');
  await page.keyboard.type('"files.read_file"');
  await page.waitForSelector('.plan-report >> text=The plan has changed since this check.');

  await page.fill(area, show(steps)); // the list alone
  await check(page, 'The plan can run');
  await paste(page, plan);
  await check(page, 'The plan can run');
  assert.deepEqual(await page.locator('[aria-label="calls of the plan"] li').evaluateAll((all) => all.map((li) => li.innerText.replace(/\s+/g, ' ').trim())),
    ['found read files.find_files', 'texts read perhaps files.read_file', 'note effect unknown asks perhaps notes.say']);
  assert.match(await text(page, '[aria-label="flows of the plan"]'), /files\s*→\s*notes\.say/);
  await page.waitForSelector('[data-node=note]');
  assert.match(await label(page, 'texts'), /for each item, skipped on error/);
  assert.equal(await text(page, '.graph-unsaved'), 'Checked plan · not run');
  await accessible(page, 'a checked plan');
  await shot(page, 'plan');
  await page.reload();
  await page.waitForSelector('[data-tool=run_plan]');
  await page.click('[data-tool=run_plan]');
  assert.equal(await page.inputValue(area), show(plan));
}));

// It runs as a tool does: breakpoints at its steps, a question, items, time travel; afterwards it is a recorded run, drawn again.
test('a plan is debugged', () => {
  const file = join(newState(), 'plan.yaml');
  writeFileSync(file, readFileSync(graph('plan')));
  return use(file, { state: newState(), viewport: { width: 1440, height: 1000 } }, async (page) => {
    await paste(page, plan);
    await check(page, 'The plan can run');
    await page.focus('[data-node=total]');
    await press(page, 'b');
    await page.waitForFunction(() => /breakpoint/.test(document.querySelector('[data-node=total]').getAttribute('aria-label')));
    await submit(page);
    await status(page, 'paused');
    await page.waitForSelector('[data-node=texts].ran');
    assert.match(await label(page, 'texts'), /ran once, 3 parts/);
    await press(page, 'F8');
    await status(page, 'waiting');
    assert.match(await text(page, '.question h2'), /Allow the call of notes\.say\?/);
    await page.click('.question [type=submit]');
    await status(page, 'finished');
    await page.waitForSelector('[data-node=note].ran');
    await page.focus('[data-node=texts]');
    await press(page, 'Enter');
    await page.waitForFunction(() => /for/.test(document.querySelector('[aria-label^="Output"]')?.innerText ?? '') || document.querySelector('.step-head')?.innerText.includes('step 1.texts'));
    assert.equal(await page.locator('.badge >> text=older graph').count(), 0);

    await page.click('[data-tool=double]');
    await page.waitForSelector('[data-node=twice]');
    await page.click('text=Runs');
    await page.click('.runs button >> nth=0');
    await page.waitForSelector('[data-node=note].ran');
    await page.reload();
    await page.waitForSelector('[data-node=note].ran');
    await page.click('text=Replay >> nth=0');
    await status(page, 'paused');
    await press(page, 'F8');
    await page.waitForSelector('.origin >> text=the same');
    await page.waitForSelector('[data-node=note].ran');
    await page.click('text=Runs');
    await page.click('.runs button >> nth=-1');
    await page.waitForSelector('.origin >> text=the same', { state: 'detached' }); // the run that was replayed is open
    await page.waitForSelector('.controls .status.finished');
    await page.focus('[data-node=note]');
    await press(page, 'Enter');
    await page.waitForSelector('.step-head >> text=note');
    await press(page, 'a');
    await page.click('dialog .primary');
    await status(page, 'waiting'); // the calls before are not made again
    await page.waitForSelector('[data-node=texts].ran');
    await page.click('.question [type=submit]');
    await status(page, 'finished');
    await page.waitForSelector('.origin >> text=from');
    await page.click('text=Run again …');
    await page.waitForFunction((p) => JSON.stringify(JSON.parse(document.querySelector('#run-form textarea')?.value ?? 'null')) === p, JSON.stringify(plan));
  });
});

// A file that has no plan any more says so at the runs of plans.
test('the plan of a file is gone', () => {
  const [file, state, pasted] = [join(newState(), 'plan.yaml'), newState(), join(newState(), 'plan.json')];
  writeFileSync(file, readFileSync(graph('plan')));
  writeFileSync(pasted, JSON.stringify(plan));
  toolgraph(['plan', file, pasted, '--yes'], { state });
  writeFileSync(file, readFileSync(graph('plan'), 'utf8').replace(/plan:\n.*\n/, ''));
  return use(file, { state }, async (page) => {
    assert.equal(await page.locator('[data-tool=run_plan]').count(), 0);
    await press(page, 'r');
    await page.click('.runs button >> nth=0');
    await page.waitForSelector('.note >> text=The file has no plan any more, so the steps of this run are not drawn.');
    await page.waitForSelector('[data-node=twice]'); // the tool that was shown
    assert.match(await text(page, '[aria-label^="Result"]'), /1298/);
  });
});

// With mocks no server is called: of a plan, and of a tool of the file.
test('a plan is tried with mocks', () => use(graph('plan'), { state: newState() }, async (page) => {
  await paste(page, plan);
  await check(page, 'The plan can run');
  await page.click('text=with mocks');
  await page.click('text=one for each call');
  const filled = JSON.parse(await page.inputValue('#mocks'));
  assert.deepEqual(filled, { found: { result: null }, texts: { result: null }, note: { result: null } });
  await page.fill('#mocks', '{"fund": {"result": 1}}');
  await submit(page);
  await page.waitForSelector('#mocks-wrong >> text=did you mean "found"?');
  await page.fill('#mocks', JSON.stringify({ found: { result: { entries: [{ name: 'a' }, { name: 'b' }] } }, texts: { sequence: [{ result: { size: 3 } }, { error: 'gone' }] }, note: { result: 'noted' } }));
  await submit(page);
  await status(page, 'finished');
  await page.waitForSelector('.timeline-head .badge >> text=with mocks');
  await page.waitForSelector('[data-node=note].ran');
  assert.match(await text(page, '[aria-label^="Result"]'), /noted/);
  assert.equal(await page.locator('text=Replay').count(), 0);
  await accessible(page, 'a run with mocks');

  await page.click('[data-tool=double]');
  await page.click('text=with mocks');
  await page.fill('#mocks', '{"first": {"result": {"n": 21}}}');
  await submit(page);
  await page.waitForFunction(() => /42/.test(document.querySelector('[aria-label^="Result"]')?.innerText));
}));
