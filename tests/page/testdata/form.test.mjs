import { accessible, assert, blur, graph, press, status, submit, test, use } from './lib.mjs';

const BIG = '9007199254740993';
const args = (page) => page.evaluate(async () => {
  const { runs } = await (await fetch('/api/runs')).json();
  return (await fetch(`/api/runs/${runs[0].id}/whole?of=args`)).text();
});
const ran = async (page, key = 'Control+Enter') => {
  await press(page, key);
  await status(page, 'finished');
};
const raw = (page) => page.locator('#run-form .form-head .switch input');
const textOf = (page) => page.inputValue('#field-json');

test('large integers keep their digits: as JSON, back, and when a run is repeated', () => use(graph('form'), {}, async (page) => {
  assert.equal(await page.inputValue('#field-limit'), BIG, 'the default');
  await page.fill('#field-id', BIG);
  await raw(page).check();
  assert.match(await textOf(page), new RegExp(`"id": ${BIG}`));
  await raw(page).uncheck();
  assert.equal(await page.inputValue('#field-id'), BIG);
  await page.selectOption('#field-size', { label: BIG });
  await ran(page);
  assert.deepEqual((await args(page)).match(/\d{16}/g), [BIG, BIG, BIG]);
  await page.fill('#field-id', '1');
  await page.click('text=Run again');
  await page.waitForFunction((n) => document.querySelector('#field-id').value === n, BIG);
  await raw(page).check();
  assert.deepEqual((await textOf(page)).match(/\d{16}/g), [BIG, BIG, BIG]);
  await ran(page);
  assert.deepEqual((await args(page)).match(/\d{16}/g), [BIG, BIG, BIG]);
}));

test('a wrong field survives JSON and back, and wrong JSON stays', () => use(graph('form'), {}, async (page) => {
  await page.fill('#field-id', '12x');
  await page.fill('#field-note', 'hello');
  await raw(page).check();
  assert.match(await textOf(page), /"id": "12x"/);
  await page.waitForSelector('.wrong >> text=id: expected a number, found "12x"');
  await raw(page).uncheck();
  assert.equal(await page.inputValue('#field-id'), '12x');
  await page.waitForSelector('#field-id-wrong >> text=expected a number');
  await raw(page).check();
  await page.fill('#field-json', (await textOf(page)).replace('hello', 'bye'));
  await raw(page).uncheck();
  assert.equal(await page.inputValue('#field-id'), '12x', 'another field was changed');
  assert.equal(await page.inputValue('#field-note'), 'bye');
  await raw(page).check();
  await page.fill('#field-json', '{"id": 1,\n "note": hello}');
  await raw(page).click();
  await page.waitForSelector('.wrong >> text=line 2, column 10: expected a value, found "hello"; text needs double quotes');
  assert.equal(await raw(page).isChecked(), true);
  assert.match(await textOf(page), /hello/);
}));

test('items are added, moved and removed by keyboard, and findings are at the item', () => use(graph('form'), {}, async (page) => {
  await page.fill('#field-id', '1');
  await page.focus('[aria-label="add tags"]');
  await press(page, 'Enter');
  await page.focus('#field-tags-0');
  await page.keyboard.type('a');
  for (const word of ['b', 'c']) {
    await page.focus('[aria-label="Add item to tags"]');
    await press(page, 'Enter');
    await page.waitForFunction(() => /^field-tags-\d$/.test(document.activeElement.id) && document.activeElement.value === '');
    await page.keyboard.type(word);
  }
  await page.focus('[aria-label="Move item 2 up"]');
  await press(page, 'Enter');
  await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') === 'Move item 1 up');
  await press(page, 'Enter');
  await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') === 'Move item 0 down');
  await page.focus('[aria-label="Remove item 1"]');
  await press(page, 'Enter');
  await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') === 'Remove item 1');
  await page.click('[aria-label="add lines"]');
  await page.click('[aria-label="Add item to lines"]');
  await page.fill('#field-lines-0-sku', 'x');
  await page.fill('#field-lines-0-count', '2');
  await page.fill('#field-lines-1-sku', 'y');
  await page.fill('#field-lines-1-count', '0');
  await press(page, 'Control+Enter');
  await page.waitForSelector('#field-lines-1-count-wrong >> text=at least 1');
  await page.waitForFunction(() => document.activeElement.id === 'field-lines-1-count');
  await accessible(page, 'a form with lists', '.side');
  await page.fill('#field-lines-1-count', '3');
  await ran(page);
  assert.deepEqual(JSON.parse(await args(page)), { id: 1, size: 'small', tags: ['c', 'b'], lines: [{ sku: 'x', count: 2 }, { sku: 'y', count: 3 }], limit: 9007199254740992 });
}));

test('dates, null, several lines, forms of oneOf, properties of any name, recursion', () => use(graph('form'), {}, async (page) => {
  await page.fill('#field-id', '1');
  await page.focus('#field-note');
  await page.keyboard.type('one');
  await press(page, 'Shift+Enter');
  await page.keyboard.type('two');
  await page.fill('#field-day', '2026-02-03');
  await page.selectOption('#field-express', 'false');
  await page.check('[aria-label="discount is null"]');
  await page.selectOption('#field-size', '');
  await page.click('text=Default: >> nth=0 >> button');
  await page.check('.choices >> text=green');
  await page.click('[aria-label="add address"]');
  await page.fill('#field-address-city', 'Oslo');
  await page.click('[aria-label="add labels"]');
  for (const [key, value] of [['a', '1'], ['b', '2']]) {
    await page.click('[aria-label="Add property to labels"]');
    await page.waitForFunction(() => document.activeElement.placeholder === 'name' && document.activeElement.value === '');
    await page.keyboard.type(key);
    await page.fill(`#field-labels-${key}`, value);
  }
  await page.click('[aria-label="Add property to labels"]');
  await page.waitForFunction(() => document.activeElement.placeholder === 'name' && document.activeElement.value === '');
  await page.keyboard.type('a');
  await press(page, 'Control+Enter');
  await page.waitForSelector('.pair >> text=is given twice');
  await page.click('[aria-label="Remove a"] >> nth=1');
  await page.click('[aria-label="add tree"]');
  await page.fill('#field-tree-name', 'root');
  await page.click('[aria-label="add children"]');
  await page.fill('#field-tree-children-0-name', 'leaf');
  await page.click('[aria-label="add payment"]');
  await page.waitForSelector('#field-payment-number'); // the first form is there at once
  await page.selectOption('#field-payment-kind', { label: 'transfer' });
  await page.fill('#field-payment-iban', 'NO93');
  await page.selectOption('#field-payment-kind', { label: 'card' });
  await page.selectOption('#field-payment-kind', { label: 'transfer' });
  assert.equal(await page.inputValue('#field-payment-iban'), 'NO93', 'what was typed into the other form');
  await page.fill('#field-any', '{"deep": [1.50]}');
  await ran(page);
  assert.deepEqual(JSON.parse(await args(page)), {
    id: 1, note: 'one\ntwo', day: '2026-02-03', express: false, discount: null, size: 'small', colours: ['green'], address: { city: 'Oslo' }, labels: { a: 1, b: 2 },
    tree: { name: 'root', children: [{ name: 'leaf' }] }, payment: { kind: 'transfer', iban: 'NO93' }, any: { deep: [1.5] }, limit: 9007199254740992,
  });
  await page.click('[aria-label="tree as JSON"]');
  await page.fill('#field-tree', '{"name": "other"}');
  await page.click('text=as fields');
  assert.equal(await page.inputValue('#field-tree-name'), 'other');
}));

test('the draft of a form survives a reload, and can be reset', () => use(graph('form'), {}, async (page) => {
  await page.fill('#field-id', '12x');
  await page.click('[aria-label="add tags"]');
  await page.fill('#field-tags-0', 'kept');
  await page.reload(); // at once
  await page.waitForSelector('.node');
  assert.equal(await page.inputValue('#field-id'), '12x');
  assert.equal(await page.inputValue('#field-tags-0'), 'kept');
  await page.click('[aria-label="Add item to tags"]');
  assert.equal(await page.locator('#field-tags-1').count(), 1, 'ids of items are given twice');
  await page.click('#run-form >> text=Reset');
  assert.equal(await page.inputValue('#field-id'), '');
}));

test('Run and Debug stay in sight, and the tool is named above its form', () => use(graph('form'), { viewport: { width: 1440, height: 700 } }, async (page) => {
  for (const top of [0, 300, 5000]) {
    await page.evaluate((y) => document.querySelector('.side-body').scrollTo(0, y), top);
    const boxes = await page.evaluate(() => ['#run-form [type=submit]', '#debug-button'].map((s) => document.querySelector(s)).map((b) => {
      const { left, top: y, width, height } = b.getBoundingClientRect();
      return b.contains(document.elementFromPoint(left + width / 2, y + height / 2));
    }));
    assert.deepEqual(boxes, [true, true], `at ${top}`);
  }
  assert.equal(await page.textContent('#run-form h2'), 'order');
  await blur(page);
  await page.click('.tools >> text=other');
  await page.waitForFunction(() => document.querySelector('#run-form h2').textContent === 'other');
  await submit(page);
  await status(page, 'finished');
}));
