// Builds dist, which the Go binary embeds: one script, one stylesheet, the page and
// the licences of what is bundled. dist/SOURCES is the hash of what it was built from;
// a Go test compares it, so that a forgotten build is noticed without Node.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
process.chdir(here);
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

await build({
  entryPoints: { app: 'src/main.js', editor: 'src/editor/editor.js' }, // the page loads the second when it is needed
  external: ['/editor.js'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'none', // the licences are in LICENSES.txt
  sourcemap: false,
  outdir: 'dist',
});
cpSync('src/index.html', 'dist/index.html');
cpSync('src/icon.svg', 'dist/icon.svg');

const bundled = ['preact', '@preact/signals', '@preact/signals-core', 'htm',
  ...['autocomplete', 'commands', 'lang-yaml', 'language', 'lint', 'search', 'state', 'streamparser', 'view'].map((name) => `@codemirror/${name}`),
  ...['common', 'highlight', 'lr', 'yaml'].map((name) => `@lezer/${name}`), '@marijn/find-cluster-break', 'crelt', 'style-mod', 'w3c-keyname'];
writeFileSync('dist/LICENSES.txt', bundled.map((name) => {
  const dir = join('node_modules', name);
  const licence = readdirSync(dir).find((file) => /^licen[cs]e/i.test(file));
  const { version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  const text = licence ? readFileSync(join(dir, licence), 'utf8').trim() : license;
  return `${name} ${version} (${license})\n\n${text}\n`;
}).join('\n---\n\n'));

// The same list and order as web_test.go: every file of src by its path, then these.
const files = (dir) => readdirSync(dir).flatMap((name) => {
  const path = `${dir}/${name}`;
  return statSync(path).isDirectory() ? files(path) : [path];
});
const sum = createHash('sha256');
for (const path of [...files('src'), 'build.mjs', 'package-lock.json', 'package.json'].sort()) {
  sum.update(`${path}\n`).update(readFileSync(path));
}
writeFileSync('dist/SOURCES', `${sum.digest('hex')}\n`);
