import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, blur, newState, press, test, use } from './lib.mjs';

const nodes = Array.from({ length: 14 }, (_, i) => `      - {id: n${i}, type: transform, transform: {expr: '[$.entry.none${i}, $.entry.text.size, $.exit]'}, next: ${i < 13 ? `n${i + 1}` : 'exit'}}\n`).join('');
const file = `version: "1.0"
server: {name: room, version: 1.0.0, title: Room}
tools:
  - name: many
    description: Has findings in each node.
    inputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
    nodes:
      - {id: entry, type: entry, next: n0}
${nodes}      - {id: exit, type: exit}
`;

// What has to be decided, the difference and the findings leave room for the text, and nothing lies over them.
test('a conflict with findings leaves 12 lines of the editor', () => {
  const path = join(newState(), 'graph.yaml');
  writeFileSync(path, file);
  return use(path, { args: ['--allow-write'] }, async (page) => {
    await blur(page);
    await press(page, '4');
    await page.waitForSelector('.editor-host[data-ready=yes]');
    await page.waitForFunction(() => document.querySelectorAll('.findings li').length > 30);
    await page.locator('.cm-line').nth(1).click();
    await press(page, 'End', 'End');
    await page.keyboard.insertText(' # mine');
    writeFileSync(path, file.replaceAll('none', 'never'));
    await page.waitForSelector('text=Another program has changed the file');
    await page.click('text=Show the difference');
    await page.waitForSelector('.diff');
    await page.waitForFunction(() => document.querySelectorAll('.findings li').length > 30);
    const height = (selector) => page.locator(selector).evaluate((el) => el.getBoundingClientRect().height);
    assert.ok(await height('.editor-host') >= 240, `the editor has ${await height('.editor-host')} pixels`);
    assert.ok(await height('.diff') >= 80, 'the difference');
    assert.ok(await height('.findings ul') >= 80, 'the findings');
    const word = await page.locator('.cm-line').evaluateAll((lines) => { // the first word that is described in the uppermost whole line
      const top = document.querySelector('.editor-host').getBoundingClientRect().top;
      const line = lines.find((l) => l.getBoundingClientRect().top >= top);
      const { left, top: y } = line.getBoundingClientRect();
      return { x: left + 12, y: y + 10 };
    });
    await page.mouse.move(word.x, word.y);
    await page.mouse.move(word.x + 1, word.y);
    const tip = await (await page.waitForSelector('.cm-tooltip-hover')).boundingBox();
    const box = await page.locator('.rejected').last().boundingBox();
    assert.ok(tip.y >= box.y + box.height, 'the tooltip lies over the buttons');
  });
});
