import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findExecutable } from '../src/executable.mjs';
import { isToolgraph } from '../src/files.mjs';

test('files are recognized by their content', async () => {
  const beside = (path) => path === '/x/a.yaml';
  for (const [expected, path, text] of [
    [true, '/x/a.yaml', 'version: 1\nserver: {}\ntools: []\n'],
    [true, '/x/a.yaml', '# note\n"server": {}\n\'mcpServers\' : {}\n'],
    [true, '/x/a.yaml', '# yaml-language-server: $schema=./toolgraph.schema.json\n'],
    [true, '/x/a.yaml', '# note\n# yaml-language-server: $schema=../docs/toolgraph-test.schema.json\nx: 1\n'],
    [false, '/x/a.yaml', 'x: 1\n# yaml-language-server: $schema=./toolgraph.schema.json\n'],
    [false, '/x/a.yaml', '# yaml-language-server: $schema=./nottoolgraph.schema.json\n'],
    [false, '/x/compose.yaml', 'version: "3"\nservices: {}\n'],
    [false, '/x/a.yaml', 'tools: []\n  server: {}\n'],
    [false, '/x/a.yaml', ''],
    [true, '/x/a.test.yaml', 'tests: []\n'],
    [true, '/x/b.test.yml', 'mocks: {}\ntests: []\n'],
    [true, '/x/b.test.yaml', 'graph: a.yaml\ntests: []\n'],
    [false, '/x/b.test.yaml', 'tests: []\n'],
    [false, '/x/a.test.yaml', 'test: []\n'],
    [true, '/x/a.lock.yaml', '# Written by `toolgraph lock`; commit it.\nversion: 3\ntools: {}\n'],
    [false, '/x/a.lock.yaml', 'version: 3\ntools: {}\nserver: {}\n'],
  ]) assert.equal(Boolean(await isToolgraph(path, text, beside)), expected, `${path}\n${text}`);
});

test('the executable is that of the setting or of PATH, and never of the current directory', () => {
  const on = (platform, env, ...files) => ({ platform, env, exists: (file) => files.includes(file) });
  assert.equal(findExecutable('', on('linux', { PATH: '.:bin:/a:/b' }, 'toolgraph', 'bin/toolgraph', '/b/toolgraph')), '/b/toolgraph');
  assert.equal(findExecutable('', on('win32', { Path: '.;C:\\a' }, 'toolgraph.exe', 'C:\\a\\toolgraph.exe')), 'C:\\a\\toolgraph.exe');
  assert.equal(findExecutable('/c/tg', on('linux', {}, '/c/tg')), '/c/tg');
  assert.throws(() => findExecutable('', on('linux', { PATH: ':.:' }, 'toolgraph')), /toolgraph is not in PATH; install it, or set toolgraph\.path/);
  assert.throws(() => findExecutable('', on('linux', {})), /not in PATH/);
  assert.throws(() => findExecutable('bin/toolgraph', on('linux', {}, 'bin/toolgraph')), /expected an absolute path/);
  assert.throws(() => findExecutable('/gone', on('linux', {})), /does not exist/);
});
