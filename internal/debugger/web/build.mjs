// Builds dist, which the Go binary embeds: one script, one stylesheet, the page and
// the licences of what is bundled; and app, the view of one run for hosts, which it embeds too. dist/SOURCES is the hash of what it was built from;
// a Go test compares it, so that a forgotten build is noticed without Node.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
process.chdir(here);
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

await build({
  entryPoints: { app: 'src/main.js', editor: 'src/editor/editor.js' }, // the page loads the second when it is needed
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'none', // the licences are in LICENSES.txt
  sourcemap: false,
  outdir: 'dist',
});

// The view of one run, for hosts, is one document: the same sources, with what came with a result in place of a server.
rmSync('app', { recursive: true, force: true });
mkdirSync('app');
const instead = { 'lib/api.js': 'api.js', 'state/breakpoints.js': 'nobreakpoints.js', 'state/sourceview.js': 'nosource.js' };
const { outputFiles } = await build({
  entryPoints: { run: 'src/app/main.js' },
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'none',
  write: false,
  outdir: 'app',
  plugins: [{
    name: 'without a server',
    setup(of) {
      of.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
        const to = instead[relative(join(here, 'src'), join(resolveDir, path)).replaceAll('\\', '/')];
        return to && { path: join(here, 'src/app', to) };
      });
    },
  }],
});
const part = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text.trim();
const licences = ['preact', '@preact/signals', '@preact/signals-core', 'htm'].map((name) => {
  const { version, license } = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})`;
}).join(', ');
const view = readFileSync('src/app/run.html', 'utf8')
  .replace('<!-- LICENCES -->', () => `<!-- with ${licences}; their texts come with toolgraph -->`)
  .replace('/* STYLE */', () => part('.css')).replace('/* SCRIPT */', () => part('.js'));
writeFileSync('app/run.html.gz', gzipSync(view, { level: 9 }));

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
