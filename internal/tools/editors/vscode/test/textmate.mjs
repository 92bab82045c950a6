// Colours a text with the grammar, as VS Code does, by the libraries that it uses.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { grammar as source } from '../src/grammar.mjs';

const require = createRequire(import.meta.url);
const { INITIAL, Registry } = require('vscode-textmate');
const { OnigScanner, OnigString, loadWASM } = require('vscode-oniguruma');

await loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
const registry = new Registry({
  onigLib: Promise.resolve({ createOnigScanner: (patterns) => new OnigScanner(patterns), createOnigString: (text) => new OnigString(text) }),
  loadGrammar: async (scope) => (scope === source.scopeName ? source : null),
});
const grammar = await registry.loadGrammar(source.scopeName);

// tokens returns the tokens of each line: {text, start, scopes, embedded}.
export function tokens(text) {
  let stack = INITIAL;
  return text.split('\n').map((line) => {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    return result.tokens.map(({ startIndex, endIndex, scopes }) => ({
      text: line.slice(startIndex, endIndex), start: startIndex, scopes, embedded: scopes.some((scope) => scope.startsWith('meta.embedded')),
    })).filter((token) => token.text !== '');
  });
}

// embedded returns what the grammar takes as expressions, line by line.
export const embedded = (text) => tokens(text).map((line) => line.filter((token) => token.embedded).map((token) => token.text).join(''));
