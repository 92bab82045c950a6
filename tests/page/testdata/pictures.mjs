// What makes the pictures of the documentation: images and films of the page, stills of the terminal. With SHOTS they are stored
// there; without, what a picture shows is compared with the text that was stored when it was made (shown/NAME.txt), so that a picture
// that no longer shows the product fails a test.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { assert, browser, SHOTS } from './lib.mjs';

const require = createRequire(join(process.env.MODULES, 'x.js'));
const SHOWN = new URL('./shown/', import.meta.url);

// steady leaves out of a text what differs from run to run: times, dates, ids of runs, addresses, and the sizes
// of answers, which have times and ids in them.
const steady = (text) => text
  .replace(/\b[0-9A-Z]{26}\b/g, 'RUN').replace(/\b(?=[0-9A-Z]*[A-Z])[0-9A-Z]{6,10}\/(\d+)\b/g, 'RUN/$1').replace(/\b[0-9A-Z]{8,10}\b(?=…|\s*$)/gm, 'RUN')
  .replace(/^where\t.*$/gm, 'where\tRUN\tRUN')
  .replace(/(127\.0\.0\.1|localhost):\d+/g, 'HOST')
  .replace(/\d{4}-\d\d-\d\d(T[\d:.]*Z?)?/g, 'DATE').replace(/(?<![\w:.])\d\d?:\d\d(:\d\d)?( [AP]M)?\b/g, 'TIME')
  .replace(/\b(just now|\d+ (seconds?|minutes?|min|s) ago)\b/g, 'AGO')
  .replace(/[\d.,]+ k?B out/g, 'SIZE out').replace(/≈ [\d.,]+ tokens?/g, '≈ SOME tokens')
  .replace(/(< )?[\d.,]+\s?(ms|µs|s)\b/g, 'TOOK').replace(/(TOOK\s*)+/g, 'TOOK\n')
  .split('\n').map((line) => line.trim()).filter(Boolean).join('\n');

// same compares what a picture shows with what it showed when it was made, or stores it. read gives the text; it is read again until
// it is the same, since a page may still be filling.
async function same(name, read) {
  const file = new URL(`${name}.txt`, SHOWN);
  const now = async () => `${steady(await read())}\n`;
  if (SHOTS) return writeFileSync(file, await now());
  const was = readFileSync(file, 'utf8');
  for (let i = 0; i < 200 && await now() !== was; i++) await new Promise((done) => setTimeout(done, 50));
  return assert.equal(await now(), was, `the picture ${name} shows something else than the product: make pictures`);
}

// seen is the text of a page. Of the graph it is the names of the nodes, in the order of the file, because its texts depend on the size
// at which it fits; of what shows times, nothing.
const seen = (page) => page.evaluate(() => {
  const nodes = [...document.querySelectorAll('[data-node]')].map((node) => node.dataset.node);
  const hidden = [...document.querySelectorAll('.graph svg, .graph .minimap, .axis, .lanes, .slower-why, .idle-time')];
  const was = hidden.map((part) => part.style.display);
  hidden.forEach((part) => { part.style.display = 'none'; });
  const text = document.body.innerText;
  hidden.forEach((part, i) => { part.style.display = was[i]; });
  return `${text}\nnodes: ${nodes.join(', ')}`;
});
const rest = (page) => page.waitForTimeout(SHOTS ? 1000 : 0); // for what fades in

// still is an image of the page as it is.
export async function still(page, name) {
  await rest(page);
  await same(`ui-${name}`, () => seen(page));
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `ui-${name}.png`) });
}

// film is a moving image: frame(ms) adds the page as it is for so long, end stores the film as a GIF, which every reader of
// Markdown shows.
export function film(page, name) {
  const frames = [];
  return {
    frame: async (ms) => {
      await rest(page);
      await same(`${name}-${frames.length}`, () => seen(page));
      frames.push({ ms, png: SHOTS && await page.screenshot() });
    },
    end: () => {
      if (SHOTS) writeFileSync(join(SHOTS, `${name}.gif`), encode(frames));
    },
  };
}

function encode(frames) {
  const { GIFEncoder, quantize, applyPalette } = require('gifenc');
  const { PNG } = require('pngjs');
  const gif = GIFEncoder();
  for (const { png, ms } of frames) {
    const { data, width, height } = PNG.sync.read(png);
    const palette = quantize(data, 128);
    gif.writeFrame(applyPalette(data, palette), width, height, { palette, delay: ms });
  }
  gif.finish();
  return Buffer.from(gif.bytes());
}

// terminal is a still of what a command prints, in its colours, below the command itself.
export async function terminal(name, command, printed) {
  await same(name, () => `$ ${command}\n${printed.replace(/\x1b\[[0-9;]*m/g, '')}`);
  if (!SHOTS) return;
  const Convert = require('ansi-to-html');
  const html = new Convert({ fg: '#d7dde5', bg: '#12161c', escapeXML: true, colors: { 1: '#ff7b72', 2: '#7ee787', 3: '#e3b341', 4: '#79c0ff', 5: '#d2a8ff', 6: '#76e3ea', 8: '#8b949e' } }).toHtml(`$ ${command}\n${printed.trimEnd()}`);
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, deviceScaleFactor: 1.5 });
  const page = await context.newPage();
  await page.setContent(`<pre style="display:inline-block;margin:0;padding:16px 20px;border-radius:8px;background:#12161c;color:#d7dde5;font:14px/1.45 'DejaVu Sans Mono',monospace">${html}</pre>`);
  await page.locator('pre').screenshot({ path: join(SHOTS, `${name}.png`), omitBackground: true });
  await context.close();
}

// screen is what a program in a terminal of so many columns and rows shows, with its colours, when ready has seen what it waits for.
export async function screen(command, { cwd, columns = 80, rows = 24, env = {}, ready }) {
  const socket = `pictures-${process.pid}`;
  const tmux = (...args) => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8', env: { ...process.env, ...env } });
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', cwd, command);
  try {
    for (let i = 0; i < 1200; i++) {
      const now = tmux('capture-pane', '-p');
      if (ready(now)) return tmux('capture-pane', '-pe');
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`${command} shows something else: ${tmux('capture-pane', '-p')}`);
  } finally {
    tmux('kill-server');
  }
}
