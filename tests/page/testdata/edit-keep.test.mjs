import { accessible, assert, blur, graph, newState, press, test, toolgraph, use } from './lib.mjs';

const gone = (page) => page.waitForSelector('dialog', { state: 'detached' });

test('a condition that was not saved is there again after Escape', () => use(graph('loop'), {}, async (page) => {
  const open = async (node = 'add') => {
    await page.focus(`[data-node=${node}]`);
    await press(page, 'c');
    await page.waitForSelector('dialog[open]');
  };
  const value = () => page.inputValue('dialog input.mono');
  await open();
  await page.fill('dialog input.mono', '$.add >');
  await page.click('dialog input[type=checkbox]');
  await press(page, 'Escape', 'Escape');
  await gone(page);
  await open('more');
  assert.equal(await value(), '', 'another node has it');
  await press(page, 'Escape', 'Escape');
  await gone(page);
  await open();
  assert.equal(await value(), '$.add >');
  assert.equal(await page.isChecked('dialog input[type=checkbox]'), false);
  await page.waitForSelector('dialog >> text=This is the text that was not saved');
  await accessible(page, 'the dialog', 'dialog');
  await page.click('dialog >> text=Discard it');
  assert.equal(await value(), '');
  assert.equal(await page.isChecked('dialog input[type=checkbox]'), true);
  await page.fill('dialog input.mono', '$.add > 2');
  await press(page, 'Enter');
  await gone(page);
  await open();
  assert.equal(await value(), '$.add > 2');
  assert.equal(await page.locator('dialog .note').count(), 0, 'what was saved is called unsaved');
}));

test('changes of "Run again from here" are there again after Escape', () => {
  const state = newState();
  toolgraph(['run', graph('values'), 'values'], { state });
  return use(graph('values'), { state }, async (page) => {
    await press(page, 'r');
    await page.locator('.runs button').first().click();
    await page.waitForFunction(() => document.querySelectorAll('.timeline [role=treeitem]').length > 4);
    await page.locator('.timeline [role=treeitem]').nth(3).click();
    const open = async () => {
      await page.click('.inspector >> text=Run again from here');
      await page.waitForSelector('dialog select');
    };
    const chosen = async () => {
      await page.selectOption('dialog select', 'entry');
      await page.waitForFunction(() => document.querySelector('dialog textarea')?.value);
    };
    await open();
    await chosen();
    const was = await page.inputValue('dialog textarea');
    await press(page, 'Escape', 'Escape');
    await gone(page);
    await open();
    assert.equal(await page.locator('dialog .note').count(), 0, 'nothing was changed');
    await chosen();
    await page.fill('dialog textarea', '{"n": ');
    await press(page, 'Escape', 'Escape');
    await gone(page);
    await open();
    assert.equal(await page.inputValue('dialog textarea'), '{"n": ');
    await page.waitForSelector('dialog >> text=These are changes that no run was made with');
    await accessible(page, 'the dialog', 'dialog');
    await page.click('dialog >> text=Discard them');
    await chosen();
    assert.equal(await page.inputValue('dialog textarea'), was);
  });
});
