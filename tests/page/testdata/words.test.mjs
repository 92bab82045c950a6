import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, newState, status, submit, test, use } from './lib.mjs';
import { counted, plural } from '../../../internal/debugger/web/src/lib/format.js';

// One is no plural.
test('numbers have their nouns', () => {
  assert.deepEqual([0, 1, 2].map((n) => plural(n, 'match')), ['0 matches', '1 match', '2 matches']);
  assert.deepEqual([1, 1200].map((n) => plural(n, 'token')), ['1 token', '1,200 tokens']);
  assert.deepEqual(['1', '0/1', '1/3', '11'].map((of) => counted(of, 'part')), ['1 part', '0/1 part', '1/3 parts', '11 parts']);
});

test('a block of one part with one item, and limits of one', () => {
  const path = join(newState(), 'one.yaml');
  writeFileSync(path, `version: "1.0"
server: {name: one, version: 1.0.0}
tools:
  - name: blocks
    description: Has one of each.
    inputSchema: {type: object, properties: {name: {type: string, minLength: 1, default: a}, list: {type: array, items: {type: string}, maxItems: 1}}}
    steps:
      - {id: all, each: '[1]', as: n, steps: [{id: same, expr: $n}]}
`);
  return use(path, {}, async (page) => {
    const labels = () => page.locator('.canvas .node').evaluateAll((all) => all.map((node) => node.getAttribute('aria-label')).join('; '));
    await submit(page);
    await status(page, 'finished');
    await page.waitForFunction(() => [...document.querySelectorAll('.canvas .node')].some((node) => /1 item\b/.test(node.getAttribute('aria-label'))));
    const form = await page.locator('#run-form').innerText();
    assert.match(form, /at least 1 character\b/);
    assert.match(form, /at most 1 item\b/);
    const seen = [form, await labels(), await page.locator('main').innerText()];
    assert.match(seen.join(), /block all, 1 part,/);
    assert.doesNotMatch(seen.join('\n'), /(?<![\d,./])1 (?!this|is|was)[a-z]+s\b/);
  });
});
