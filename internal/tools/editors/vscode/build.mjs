// Builds dist, which the extension consists of: one script, the grammar, and the licences of what is bundled.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { grammar } from './src/grammar.mjs';

process.chdir(dirname(fileURLToPath(import.meta.url)));
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
const { metafile } = await build({
  entryPoints: { extension: 'src/extension.mjs' },
  external: ['vscode'],
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  target: ['node20'],
  charset: 'utf8',
  legalComments: 'none', // the licences are in LICENSES.txt
  metafile: true,
  outdir: 'dist',
});
writeFileSync('dist/toolgraph.tmLanguage.json', `${JSON.stringify(grammar)}\n`);

const bundled = new Set(Object.keys(metafile.inputs).flatMap((path) => path.match(/^node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []));
writeFileSync('dist/LICENSES.txt', [...bundled].sort().map((dir) => {
  const licence = readdirSync(dir).find((file) => /^licen[cs]e/i.test(file));
  const { name, version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})\n\n${licence ? readFileSync(join(dir, licence), 'utf8').trim() : license}\n`;
}).join('\n---\n\n'));
