import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, assert, blur, newState, press, test, toolgraph, use } from './lib.mjs';

// The graph file on the page: its findings are those of `toolgraph check`, it can be edited, and it is saved
// only when the user has allowed that.
const loads = `version: "1.0"
server: {name: editing, version: 1.0.0, title: Editing}
tools:
  - name: digest
    description: What is in a text.
    inputSchema:
      type: object
      properties: {text: {type: string}, words: {type: array, items: {type: object, properties: {size: {type: integer}, text: {type: string}}, required: [size, text], additionalProperties: false}}}
      required: [text]
    nodes:
      - {id: entry, type: entry, next: count}
      - {id: count, type: transform, transform: {expr: $length($.entry.text)}, next: exit}
      - {id: exit, type: exit}
`;
// What follows loads, but check has findings in each node.
const doubtful = loads.replace('$length($.entry.text)', '$.entry.text + 1').replace('next: exit}\n      - {id: exit', Array.from({ length: 12 }, (_, i) => (
  `next: n${i}}\n      - {id: n${i}, type: transform, transform: {expr: '[$.entry.none${i}, $.entry.text.size, $.exit]'}, `)).join('') + 'next: exit}\n      - {id: exit');

function fileWith(content) {
  const path = join(newState(), 'graph.yaml');
  writeFileSync(path, content);
  return path;
}
const open = async (page) => {
  await blur(page);
  await press(page, '4');
  await page.waitForSelector('.editor-host[data-ready=yes]');
};
const listed = (page) => page.locator('.findings li').evaluateAll((all) => all.map((li) => li.innerText.replace(/\s+/g, ' ').trim()));
const expected = (path) => JSON.parse(toolgraph(['check', path, '--format', 'json'], { ok: false }));
const one = (f) => `${f.severity === 'error' ? '✖' : '▲'} ${f.severity} ${f.line}:${f.column} ${f.message}${f.hint ? ` ${f.hint}` : ''} [${f.code}]`.replace(/\s+/g, ' ');
const content = (page) => page.locator('.cm-content');
const type = async (page, line, text) => {
  await page.locator('.cm-line').nth(line - 1).click();
  await press(page, 'End', 'End'); // of the row, then of the line
  await page.keyboard.insertText(text); // as it is: brackets are not closed
};

test('all findings of check are shown, of a file that loads and of a broken one', () => {
  const path = fileWith(doubtful);
  const want = expected(path);
  assert.ok(want.length > 30, `check has ${want.length} findings`);
  return use(path, {}, async (page) => {
    await open(page);
    assert.deepEqual(await listed(page), want.map(one));
    assert.match(await page.locator('.findings summary').innerText(), /\d+ errors?, \d+ warnings?/);
    assert.equal(await page.locator('#tab-source .badge').innerText(), String(want.length));
    await page.locator('.findings li').last().locator('.linkish').first().click();
    await page.waitForFunction((line) => document.querySelector('.editor-host').shadowRoot.querySelector('.cm-lineNumbers .cm-activeLineGutter')?.textContent === line, String(want.at(-1).line));
    writeFileSync(path, doubtful.replace('next: n0', 'next: nowhere').replace('type: transform', 'type: tranform'));
    await page.waitForFunction(() => document.querySelector('.rejected'));
    assert.deepEqual(await listed(page), expected(path).map(one));
    await accessible(page, 'findings', '.inspector');
  });
});

test('without --allow-write the file is shown, and nothing changes it', () => {
  const path = fileWith(loads);
  return use(path, { expected: ['403'] }, async (page) => {
    await open(page);
    assert.match(await page.locator('.file-foot').innerText(), /--allow-write/);
    await content(page).click();
    await page.keyboard.type('zzz');
    assert.match(await page.locator('.file-bar').innerText(), /^Read-only/);
    assert.equal(await page.locator('.file-bar .primary').count(), 0);
    const answer = await page.evaluate(() => fetch('/api/source', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{"text": "x", "version": "", "broken": true}' }).then((r) => r.status));
    assert.equal(answer, 403);
    assert.equal(readFileSync(path, 'utf8'), loads);
  });
});

test('findings, the graph and the badge follow what is typed; saving, undoing and reloading', () => {
  const path = fileWith(loads);
  return use(path, { args: ['--allow-write'] }, async (page) => {
    await open(page);
    await type(page, 12, '\n      - {id: added, type: transform, transform: {expr: $.entry.txt}');
    await page.waitForSelector('.findings li.error');
    assert.match(await page.locator('.file-state').innerText(), /Unsaved/);
    const tip = page.locator('.cm-lintRange-error, .cm-lintPoint-error, .cm-lint-marker-error').first();
    await tip.hover();
    await page.waitForSelector('.finding-tip');
    await page.mouse.move(10, 10);
    await page.waitForSelector('.finding-tip', { state: 'detached' });
    await type(page, 13, ', next: exit}');
    await page.locator('.cm-line').nth(11).click();
    await press(page, 'End', 'End');
    for (let i = 0; i < 5; i++) await press(page, 'Backspace');
    await page.keyboard.insertText('added}');
    await page.waitForSelector('.node[data-node=added]');
    assert.match(await page.locator('.graph-unsaved').innerText(), /runs use the saved file/);
    // Of the saved file.
    assert.equal(readFileSync(path, 'utf8'), loads);
    // A reload keeps the draft.
    page.on('dialog', (d) => d.accept());
    page.wrong.length = 0;
    await page.reload();
    page.wrong.splice(0); // the browser has asked, as it should
    await page.waitForSelector('.node');
    await open(page);
    await page.waitForFunction(() => document.querySelector('.file-state')?.innerText.includes('Unsaved'));
    assert.match(await content(page).innerText(), /added/);
    await content(page).focus();
    await press(page, 'Control+s');
    await page.waitForFunction(() => document.querySelector('.file-state')?.innerText === 'Saved');
    assert.match(readFileSync(path, 'utf8'), /next: added\}\n {6}- \{id: added, type: transform, transform: \{expr: \$\.entry\.txt\}, next: exit\}/);
    await page.waitForFunction(() => !document.querySelector('.graph-unsaved') && document.querySelector('.node[data-node=added]'));
    await type(page, 2, ' # more');
    await page.waitForFunction(() => document.querySelector('.file-state')?.innerText.includes('Unsaved'));
    await press(page, 'Control+z');
    await page.waitForFunction(() => document.querySelector('.file-state')?.innerText === 'Saved');
  });
});

test('a file that another program has changed is not overwritten unasked', () => {
  const path = fileWith(loads);
  return use(path, { args: ['--allow-write'] }, async (page) => {
    await open(page);
    await type(page, 2, ' # mine');
    const theirs = loads.replace('What is in a text.', 'Theirs.');
    writeFileSync(path, theirs);
    await page.waitForSelector('text=Another program has changed the file');
    await page.click('text=Show the difference');
    assert.match(await page.locator('.diff').innerText(), /# mine[\s\S]*-.*Theirs\./);
    assert.equal(readFileSync(path, 'utf8'), theirs);
    await page.click('text=Keep my text');
    await page.locator('.file-bar .primary').click();
    await page.waitForFunction(() => document.querySelector('.file-state')?.innerText === 'Saved');
    assert.match(readFileSync(path, 'utf8'), /# mine[\s\S]*What is in a text/);
  });
});

test('a text with errors is saved in a second step only', () => {
  const path = fileWith(loads);
  return use(path, { args: ['--allow-write'], expected: ['has errors'] }, async (page) => {
    await open(page);
    await type(page, 3, '\n  - {name: begun');
    await press(page, 'Control+s');
    await page.waitForSelector('text=Save with errors');
    assert.equal(readFileSync(path, 'utf8'), loads);
    await page.waitForSelector('.findings li.error'); // the check is done, so that nothing changes while axe looks
    await page.waitForSelector('.cm-lint-marker-error');
    await accessible(page, 'a decision', '.inspector');
    await page.click('text=Save with errors');
    await page.waitForSelector('text=The graph is of the last version that was whole; runs use that, too');
    assert.match(readFileSync(path, 'utf8'), /name: begun/);
    assert.ok(await page.locator('.node[data-node=count]').count());
  });
});

// Lines that are wrapped go on where their text begins.
test('wrapped lines keep their indentation, and the file opens at the chosen tool', () => {
  const long = 'words '.repeat(60).trim();
  const tool = (i) => `  - name: tool_${i}
    description: ${long}
    inputSchema: {type: object, properties: {text: {type: string}}}
    # A remark. ${long}
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit}
`;
  const path = fileWith(`version: "1.0"\nserver: {name: wraps, version: 1.0.0}\ntools:\n${Array.from({ length: 12 }, (_, i) => tool(i)).join('')}`);
  const rows = (page, with_) => page.evaluate((part) => { // the left edge of each row of the text of a line, and the width of a character
    const line = [...document.querySelector('.editor-host').shadowRoot.querySelectorAll('.cm-line')].find((l) => l.textContent.includes(part));
    const range = document.createRange();
    range.selectNodeContents(line);
    const lefts = new Map();
    for (const { left, top, width } of range.getClientRects()) if (width > 1) lefts.set(Math.round(top), Math.min(left, lefts.get(Math.round(top)) ?? Infinity));
    const one = document.createRange();
    const text = document.createTreeWalker(line, NodeFilter.SHOW_TEXT).nextNode();
    one.setStart(text, 0);
    one.setEnd(text, 1);
    return { lefts: [...lefts.values()], ch: one.getBoundingClientRect().width };
  }, with_);
  const toolInSight = (page, name) => page.waitForFunction((wanted) => {
    const host = document.querySelector('.editor-host');
    const line = [...host.shadowRoot.querySelectorAll('.cm-line')].find((l) => l.textContent === `  - name: ${wanted}`);
    const { top } = host.getBoundingClientRect();
    const y = line?.getBoundingClientRect().top - top;
    return y >= 0 && y < 120;
  }, name);
  return use(path, { args: ['--allow-write'] }, async (page) => {
    await page.click('.tools [data-tool=tool_7]');
    await page.waitForSelector('.shown-tool h2 >> text=tool_7');
    await open(page);
    await toolInSight(page, 'tool_7');
    for (const [part, indent] of [['description:', 4], ['# A remark', 6]]) {
      const { lefts, ch } = await rows(page, part);
      assert.ok(lefts.length > 3, `${part} is not wrapped`);
      for (const left of lefts.slice(1)) assert.ok(Math.abs(left - lefts[0] - indent * ch) < 1.5, `${part}: ${lefts}, a character has ${ch}`);
    }
    await page.click('.tools [data-tool=tool_3]'); // the file follows
    await toolInSight(page, 'tool_3');
    // What is typed does not move the text away.
    await page.locator('.cm-line').filter({ hasText: '- name: tool_3' }).click();
    await press(page, 'End');
    await page.keyboard.insertText('\n    title: Three');
    await page.waitForSelector('.graph-unsaved');
    await toolInSight(page, 'tool_3');
    page.on('dialog', (d) => d.accept());
  });
});

test('a graph that is older than the text says so', () => {
  const path = fileWith(loads);
  const mark = (page, about) => page.waitForSelector(`.graph-unsaved.behind >> text=The ${about}`);
  const gone = (page) => page.waitForSelector('.graph-unsaved.behind', { state: 'detached' });
  return use(path, { args: ['--allow-write'] }, async (page) => {
    await open(page);
    assert.equal(await page.locator('.graph-unsaved').count(), 0);
    await type(page, 12, '\n      - {id: added, type: trans');
    await mark(page, 'text has errors · the graph is of the last version that was whole');
    await accessible(page, 'an older graph', '.graph');
    await page.locator('.cm-content').focus();
    await press(page, 'Control+z');
    await page.waitForFunction(() => document.querySelector('.file-state')?.innerText === 'Saved');
    await gone(page);
    writeFileSync(path, loads.replace('type: transform', 'type: tranform'));
    await mark(page, 'file has errors · graph and runs are of the last version that was whole');
    await page.click('#tab-source');
    await page.click('.inspector [aria-label="Close this pane"]'); // also beside no text
    await mark(page, 'file has errors');
    writeFileSync(path, loads);
    await gone(page);
    page.on('dialog', (d) => d.accept());
  });
});
