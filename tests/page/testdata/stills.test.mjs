import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { BINARY, newState, STATE, test, use, status, press } from './lib.mjs';
import { screen, still, terminal } from './pictures.mjs';

// The stills beside those of the page: what commands print, and an editor.

const docs = new URL('../../../docs/', import.meta.url);
const block = (page, opening) => readFileSync(new URL(page, docs), 'utf8').split(`\`\`\`${opening}\n`)[1].split('\n```')[0];

// notes is a directory with the files of the tutorial, with its mistake or mended.
function notes({ mended = false } = {}) {
  const dir = mkdtempSync(join(STATE, 'notes-'));
  mkdirSync(join(dir, 'notes'));
  writeFileSync(join(dir, 'notes', 'garden.md'), 'Water the tomatoes.\n');
  writeFileSync(join(dir, 'notes', 'travel.md'), 'Book the train to Lisbon, and a room.\n');
  const graph = block('tutorial.md', 'yaml notes.yaml');
  writeFileSync(join(dir, 'notes.yaml'), mended ? graph.replace('entires', 'entries') : graph);
  return dir;
}

// printed is what a command prints on a terminal of 100 columns.
function printed(dir, args) {
  const { stdout, stderr } = spawnSync(BINARY, args, { cwd: dir, encoding: 'utf8', env: { ...process.env, CLICOLOR_FORCE: '1', COLUMNS: '100', TOOLGRAPH_STATE: newState() } });
  return stderr + stdout;
}

test('a code is explained', () => terminal('explain', 'toolgraph explain unknown-tool', printed(STATE, ['explain', 'unknown-tool'])));

test('the tutorial on the page', () => {
  const dir = notes({ mended: true });
  return use(join(dir, 'notes.yaml'), { state: newState(), viewport: { width: 1200, height: 750 }, cwd: dir }, async (page) => {
    await page.fill('#field-directory', 'notes');
    await page.click('#run-form [type=submit]');
    await status(page, 'finished');
    await press(page, 'Escape');
    await still(page, 'tutorial');
  });
});

test('an editor shows a mistake', async () => {
  const dir = notes();
  spawnSync(BINARY, ['lock', 'notes.yaml'], { cwd: dir });
  const config = join(dir, 'init.lua');
  const lua = readFileSync(new URL('editors.md', docs), 'utf8').split('```lua\n').map((part) => part.split('\n```')[0]).find((part) => part.includes('start_client'));
  writeFileSync(config, `${lua}\nvim.o.number = true\nvim.o.signcolumn = 'yes'\nvim.o.wrap = false\nvim.o.laststatus = 0\nvim.o.ruler = false\nvim.o.showcmd = false\nvim.cmd('syntax on')\nvim.cmd('highlight SignColumn ctermbg=NONE')\n`);
  const shows = await screen(`nvim --clean -n -u ${config} +22 notes.yaml`, {
    cwd: dir, columns: 110, rows: 26, env: { PATH: process.env.PATH, TERM: 'xterm-256color' }, ready: (now) => now.includes('does not declare'),
  });
  await terminal('editor', 'nvim notes.yaml', shows);
});
