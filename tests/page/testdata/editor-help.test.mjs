import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, assert, blur, newState, press, shot, test, use } from './lib.mjs';

// What the editor of the graph file knows: candidates at the cursor, descriptions under the mouse, the way to
// the graph and back, and all of that by keyboard alone.
const file = `version: "1.0"
server: {name: editing, version: 1.0.0, title: Editing}
mcpServers:
  files: {command: toolgraph, args: [demo-server, .]}
tools:
  - name: largest
    description: The largest files below a directory.
    inputSchema: {type: object, properties: {directory: {type: string, description: where to look}}, required: [directory]}
    nodes:
      - {id: entry, type: entry, next: find}
      - id: find
        type: mcp
        server: files
        tool: find_files
        args: {path: {expr: $.entry.directory}}
        next: pick
      - id: pick
        type: transform
        transform:
          expr: |
            $.entry.directory
        next: exit
      - {id: exit, type: exit}
`;
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
const toLine = async (page, part) => {
  await page.locator('.cm-line', { hasText: part }).last().click();
  await press(page, 'End', 'End');
};
const list = async (page) => {
  await page.waitForSelector('.cm-tooltip-autocomplete li');
  await page.waitForTimeout(150); // a list that has just opened takes no key yet
  return page.locator('.cm-tooltip-autocomplete li .cm-completionLabel').allInnerTexts();
};

for (const scheme of ['light', 'dark']) {
  test(`keys, nodes, tools, arguments and typed fields are offered while typing, ${scheme}`, () => use(fileWith(file), { args: ['--allow-write'], colorScheme: scheme }, async (page) => {
    await open(page);
    await toLine(page, 'next: pick');
    await press(page, 'Control+Shift+ArrowLeft');
    await page.keyboard.type('e');
    assert.ok((await list(page)).includes('exit'));
    await press(page, 'Escape', 'Control+z');
    await toLine(page, '$.entry.directory');
    await page.keyboard.type(' & $.entry.');
    assert.deepEqual(await list(page), ['directory']);
    assert.match(await page.locator('.cm-completionDetail').first().innerText(), /string/);
    if (scheme === 'light') await shot(page, 'editing');
    await accessible(page, 'candidates', '.inspector');
    await press(page, 'Enter');
    await page.keyboard.type(' & $exec');
    assert.ok((await list(page)).includes('$executionCount'));
    assert.match(await page.locator('.cm-completionDetail').first().innerText(), /id: string/);
    await press(page, 'Enter');
    await page.keyboard.type('"');
    assert.deepEqual((await list(page)).sort(), ['entry', 'exit', 'find', 'pick']);
    await page.keyboard.type('fi');
    await page.waitForTimeout(150); // a list that has just opened takes no key yet
    await press(page, 'Enter');
    assert.match(await page.locator('.cm-content').innerText(), /\$\.entry\.directory & \$\.entry\.directory & \$executionCount\("find"/);
  }));
}

test('a key of a node is chosen, and its values follow', () => use(fileWith(file), { args: ['--allow-write'] }, async (page) => {
  await open(page);
  await toLine(page, 'tool: find_files');
  await press(page, 'Enter');
  await page.keyboard.type('onCr');
  assert.equal((await list(page))[0], 'onCrash');
  await page.waitForSelector('.cm-completionInfo');
  await press(page, 'Enter');
  await page.waitForFunction(() => {
    const labels = [...document.querySelector('.editor-host').shadowRoot.querySelectorAll('.cm-completionLabel')].map((l) => l.textContent);
    return labels.join() === 'rerun,stop';
  });
  await page.waitForTimeout(150);
  await press(page, 'ArrowDown', 'Enter');
  assert.match(await page.locator('.cm-content').innerText(), /onCrash: stop/);
}));

test('words are described under the mouse', () => use(fileWith(file), { args: ['--allow-write'] }, async (page) => {
  await open(page);
  for (const [line, word, want] of [['$.entry.directory', 'directory', /string/], ['tool: find_files', 'tool', /The tool to call/], ['id: find', 'find', /output/]]) {
    const box = await page.locator('.cm-line', { hasText: line }).last().evaluate((el, text) => {
      const walk = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const at = node.textContent.lastIndexOf(text);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + text.length);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
      return null;
    }, word);
    await page.mouse.move(10, 10);
    await page.waitForSelector('.described', { state: 'detached' });
    await page.mouse.move(box.x - 1, box.y);
    await page.mouse.move(box.x, box.y);
    await page.waitForSelector('.described');
    assert.match(await page.locator('.described').innerText(), want);
  }
}));

test('by keyboard alone: to the file, to a line of a node, to a change that is saved, and out again', () => {
  const path = fileWith(file);
  return use(path, { args: ['--allow-write'] }, async (page) => {
    await blur(page);
    await page.focus('[data-node=pick]');
    await press(page, 'l');
    await page.waitForSelector('.editor-host[data-ready=yes]');
    await page.waitForFunction(() => document.querySelector('.editor-host').shadowRoot.querySelector('.cm-lineNumbers .cm-activeLineGutter')?.textContent === '17');
    await press(page, 'Alt+Enter');
    await page.waitForFunction(() => document.activeElement?.dataset.node === 'pick');
    await press(page, 'l');
    await page.waitForFunction(() => document.activeElement?.classList.contains('editor-host'));
    await press(page, 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'End', 'End');
    await page.keyboard.type(' & "!');
    await press(page, 'Control+s');
    await page.waitForFunction(() => document.querySelector('.file-state')?.innerText === 'Saved');
    assert.match(readFileSync(path, 'utf8'), /\$\.entry\.directory & "!"\n/);
    // Letters are text here, and no keys of the page; Tab indents, and leaves after Escape.
    assert.ok(await page.locator('#tab-source[aria-selected=true]').count());
    await press(page, 'Escape', 'Tab');
    await page.waitForFunction(() => !document.activeElement?.classList.contains('editor-host'));
    await press(page, '?');
    assert.match(await page.locator('dialog').innerText(), /leave the editor/);
  });
});

test('a window of 360 pixels', () => use(fileWith(file.replace('$.entry.directory\n        next: exit', '$.entry.dir\n        next: exit')), { args: ['--allow-write'], viewport: { width: 360, height: 740 } }, async (page) => {
  await open(page);
  await toLine(page, '$.entry.dir');
  await page.keyboard.type(' & $.');
  await list(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} pixels wide`);
  await accessible(page, 'a narrow window', '.inspector');
}));
