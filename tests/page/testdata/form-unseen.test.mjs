import { accessible, assert, blur, graph, press, status, test, use } from './lib.mjs';

const NAME = 'evil\u202Egnp.exe';
const SHOWN = 'Contains U+202E: evil\\u202Egnp.exe';
// said is the description of a field, as a screen reader has it.
const said = (page, selector) => page.locator(selector).first().evaluate((el) => (el.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim());

// A field can draw text only as it is: below it stands what it holds.
test('characters that are not seen are named below the field that holds them', () => use(graph('form'), {}, async (page) => {
  const field = async (selector, text = NAME, want = SHOWN) => {
    await page.locator(selector).first().fill(text);
    await page.waitForSelector('.unseen-note');
    assert.ok((await said(page, selector)).includes(want), `${selector}: ${await said(page, selector)}`);
  };
  await field('#field-note');
  await accessible(page, 'the form', '#run-form');
  await page.fill('#field-note', 'plain \u{1F469}\u200D\u{1F4BB}');
  await page.waitForSelector('.unseen-note', { state: 'detached' });
  await field('#field-note', `${NAME}\u200B`, 'Contains U+202E, U+200B: evil\\u202Egnp.exe\\u200B');
  await field('#field-any', `"${NAME}"`, 'Contains U+202E: "evil\\u202Egnp.exe"');
  await page.fill('#field-any', '');
  await page.fill('#field-note', '');
  await page.click('[aria-label="add labels"]');
  const row = '[aria-label="name of the property"]';
  if (!await page.locator(row).count()) await page.click('[aria-label="Add property to labels"]');
  await field(row);
  await page.locator('#run-form .form-head .switch input').check();
  await field('#field-json', `{"id": 1, "note": "${'x'.repeat(500)}${NAME}${'y'.repeat(500)}"}`, 'evil\\u202Egnp.exeyyy');
  assert.ok((await page.locator('.unseen-note').textContent()).length < 220, 'the note repeats a long text');
  await page.fill('#field-json', '{"id": 1}');
  await press(page, 'Control+Shift+Enter');
  await status(page, 'paused');
  await blur(page);
  await press(page, 'F10');
  await page.waitForSelector('.node.current[data-node=same]');
  await page.click('#step-0');
  await page.click('.inspector >> text=Edit');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value.includes('{'));
  await field('dialog textarea');
  await press(page, 'Escape', 'Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  await blur(page);
  await press(page, '3');
  await field('#try-source');
  await page.focus('[data-node=same]');
  await press(page, 'c');
  await field('dialog input.mono', '$.in.note = "\u2066"', 'Contains U+2066: $.in.note = "\\u2066"');
}));
