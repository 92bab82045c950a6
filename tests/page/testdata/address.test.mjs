import { assert, blur, example, graph, press, shot, status, submit, test, use, watched } from './lib.mjs';

const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash.slice(1)));
const inHash = (page, part) => page.waitForFunction((p) => decodeURIComponent(location.hash).includes(p), part);
const notIn = (page, part) => page.waitForFunction((p) => !decodeURIComponent(location.hash).includes(p), part);
const head = (page, word) => page.waitForFunction((w) => document.querySelector('.step-head')?.innerText.includes(w), word);

test('run, step, tab and tool survive a reload', () => use(graph('frames'), {}, async (page) => {
  assert.equal(await hash(page), '', 'the address of the beginning');
  await submit(page);
  await status(page, 'finished');
  await inHash(page, 'run=');
  await page.click('#step-1');
  await head(page, 'step 1');
  await blur(page);
  await press(page, '2');
  await inHash(page, 'tab=context');
  await press(page, 'r');
  await inHash(page, 'side=runs');
  const before = await hash(page);
  assert.match(before, /^run=[\w-]+&at=1&tab=context&side=runs$/);
  await page.reload();
  await status(page, 'finished');
  await page.waitForSelector('#panel-context .note >> text=What step 1');
  await page.waitForSelector('.runs li.chosen');
  await page.waitForSelector('#step-1[aria-selected=true]');
  assert.equal(await hash(page), before);
  assert.match(await page.title(), /finished · /);
}));

test('back and forward go to tools, runs and frames; steps make no entry', () => use(graph('frames'), {}, async (page) => {
  const entries = () => page.evaluate(() => history.length);
  const begun = await entries();
  await submit(page);
  await status(page, 'finished');
  await inHash(page, 'run=');
  assert.equal(await entries(), begun + 1);
  await blur(page);
  await press(page, 'Home', 'j', 'j', 'k');
  await inHash(page, 'at=1');
  assert.equal(await entries(), begun + 1);
  await page.locator('.unfold').last().click();
  await page.locator('.row.part .row-into').first().click();
  await page.waitForSelector('.trail >> text=item 0');
  await page.waitForFunction((n) => history.length === n, begun + 2);
  const inside = await hash(page);
  assert.match(inside, /at=\d+\.0\/$/);
  await page.reload();
  await page.waitForSelector('.trail >> text=item 0');
  await page.goBack();
  await page.waitForSelector('.shown-tool');
  await notIn(page, '/');
  await page.goBack();
  await page.waitForSelector('.controls-state >> text=no run is open');
  assert.equal(await hash(page), '');
  await page.goForward();
  await status(page, 'finished');
  await page.goForward();
  await page.waitForSelector('.trail >> text=item 0');
  await page.waitForFunction((h) => decodeURIComponent(location.hash.slice(1)) === h, inside);
}));

test('another tool is an entry, and is named above form and graph', () => use(graph('form'), {}, async (page) => {
  await page.click('.tools >> text=other');
  await inHash(page, 'tool=other');
  await page.waitForSelector('#run-form h2 >> text=other');
  await page.waitForSelector('.shown-tool >> text=other');
  await page.reload();
  await page.waitForSelector('#run-form h2 >> text=other');
  await page.goBack();
  await page.waitForSelector('#run-form h2 >> text=order');
  await page.waitForSelector('.shown-tool >> text=order');
}));

test('a link opens the same place in another browser', () => use(graph('loop'), { permissions: ['clipboard-read', 'clipboard-write'] }, async (page, url) => {
  await page.fill('#field-n', '3');
  await submit(page);
  await status(page, 'finished');
  await page.click('#step-2');
  await inHash(page, 'at=2');
  await page.click('[aria-label="Copy a link to this place"]');
  await page.waitForSelector('.notice >> text=link copied');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#token=\w+&run=[\w-]+&at=2$/);
  const other = await page.context().browser().newContext();
  const theirs = await watched(other, url);
  await theirs.goto(link);
  await status(theirs, 'finished');
  await theirs.waitForSelector('#step-2[aria-selected=true]');
  assert.ok(!theirs.url().includes('token'));
  assert.deepEqual(theirs.wrong, []);
  await other.close();
}));

test('a link that cannot be copied is shown', () => use(graph('loop'), {}, async (page) => {
  await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); });
  await press(page, 'l');
  await page.waitForFunction(() => /#token=/.test(document.querySelector('dialog input')?.value));
}));

test('a link to what is gone says so and shows what is there', () => use(graph('loop'), { expected: ['404'] }, async (page, url) => {
  await page.fill('#field-n', '3');
  await submit(page);
  await status(page, 'finished');
  await inHash(page, 'run=');
  const run = await hash(page);
  const base = new URL('/', url).href;
  await page.goto(`${base}#${run}&at=999`);
  await page.waitForSelector('.notice >> text=there is no step 999');
  await status(page, 'finished');
  await notIn(page, '999');
  await page.goto(`${base}#${run}&at=1/4`);
  await page.waitForSelector('.notice >> text=the run has no frame 1');
  await status(page, 'finished');
  await page.goto(`${base}#run=01ARZ3NDEKTSV4RRFFQ69G5FAV&at=2&tab=source`);
  await page.waitForSelector('.notice >> text=the run 01ARZ3NDEKTSV4RRFFQ69G5FAV is not there any more');
  await page.waitForSelector('.controls-state >> text=no run is open');
  await page.waitForSelector('#panel-source');
  await page.waitForSelector('.node');
  await page.goto(`${base}#tool=absent`);
  await page.waitForSelector('.notice >> text=the file has no tool absent');
  await page.waitForSelector('.node');
  await page.goto(`${base}#at=%E0%A4%A&tab=<img>&side=x&run=`); // not made by the page
  await page.waitForSelector('#panel-source', { state: 'detached' });
  await page.waitForSelector('#panel-tools');
}));

test('a paused run that moves through frames makes no entries', () => use(graph('frames'), {}, async (page) => {
  await page.click('#debug-button');
  await status(page, 'paused');
  await inHash(page, 'run=');
  const begun = await page.evaluate(() => history.length);
  for (let i = 0; i < 12 && !await page.locator('.trail li >> nth=1').count(); i++) {
    await press(page, 'F11');
    await page.waitForTimeout(150);
    await status(page, 'paused');
  }
  await inHash(page, '/');
  assert.equal(await page.evaluate(() => history.length), begun);
  const where = await hash(page);
  await page.reload();
  await status(page, 'paused');
  await page.waitForFunction((h) => decodeURIComponent(location.hash.slice(1)) === h, where);
  await page.waitForSelector('.node.current');
}));

test('a narrow window has it all: the pane stays, a run and its step are restored', () => use(graph('loop'), { viewport: { width: 360, height: 740 }, permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
  await page.click('.panebar >> text=Tools');
  await page.fill('#field-n', '3');
  await submit(page);
  await status(page, 'finished');
  await page.click('.panebar >> text=Steps');
  await page.click('#step-2');
  await head(page, 'step 2');
  await inHash(page, 'at=2');
  await page.reload();
  await head(page, 'step 2');
  await page.waitForSelector('.inspector:visible');
  await page.click('[aria-label="Copy a link to this place"]');
  await page.waitForSelector('.notice >> text=link copied');
  await page.click('[aria-label="Keyboard and help"]');
  await page.waitForSelector('dialog kbd');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
}));
