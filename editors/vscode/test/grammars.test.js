// The grammars, token by token, on samples. `UPDATE=1 npm test` writes what is expected anew: look at the difference.

'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const root = path.join(__dirname, '..');
const grammars = { 'source.bir': 'bir', 'source.promela': 'promela' };

const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
const onigLib = oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength)).then(() => ({
  createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
  createOnigString: (text) => new oniguruma.OnigString(text),
}));
const registry = new textmate.Registry({
  onigLib,
  loadGrammar: async (scope) => {
    const file = path.join(root, 'syntaxes', `${grammars[scope]}.tmLanguage.json`);
    return grammars[scope] && textmate.parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
  },
});

/** The tokens of a text: each with its innermost scope, without blanks. */
async function tokens(scope, text) {
  const grammar = await registry.loadGrammar(scope);
  const all = [];
  let state = textmate.INITIAL;
  text.split('\n').forEach((line, number) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const token of result.tokens) {
      const word = line.slice(token.startIndex, token.endIndex).trim();
      if (word) {
        all.push({ line: number + 1, word, scope: token.scopes[token.scopes.length - 1] });
      }
    }
  });
  return all;
}

for (const [scope, sample] of [['source.bir', 'words.bir'], ['source.promela', 'words.pml']]) {
  test(`the tokens of ${sample}`, async () => {
    const folder = path.join(__dirname, 'samples');
    const text = fs.readFileSync(path.join(folder, sample), 'utf8');
    const found = (await tokens(scope, text)).map((token) => `${token.line}\t${token.word}\t${token.scope}`).join('\n') + '\n';
    const expected = path.join(folder, `${sample}.tokens`);
    if (process.env.UPDATE) {
      fs.writeFileSync(expected, found);
    }
    assert.strictEqual(found, fs.readFileSync(expected, 'utf8'));
  });
}

/** The words that a front end reserves, read from its source. */
function reserved(file, from, to) {
  const source = fs.readFileSync(path.join(root, '../..', file), 'utf8');
  const part = source.slice(source.indexOf(from) + from.length);
  return [...part.slice(0, part.indexOf(to)).matchAll(/"([A-Za-z_]+)"/g)].map((match) => match[1]);
}

test('every word of the languages is known to its grammar', async () => {
  const bir = reserved('crates/bir/src/lexer.rs', 'pub const KEYWORDS: &[&str] = &[', '];');
  const promela = reserved('crates/promela/src/lexer.rs', '    words {', '\n}\n');
  assert.ok(bir.length > 50 && promela.length > 50, `${bir.length} ${promela.length}`);
  for (const [scope, words] of [['source.bir', bir], ['source.promela', promela]]) {
    for (const word of words) {
      const [token] = await tokens(scope, word);
      assert.strictEqual(token.word, word);
      assert.doesNotMatch(token.scope, /^(variable\.other|entity|source)/, `${word} in ${scope}`);
      // As a part of a name it is a name.
      const [name] = await tokens(scope, `x${word}`);
      assert.match(name.scope, /^(variable\.other|entity)/, `x${word} in ${scope}`);
    }
  }
});

test('comments and strings end where the bundled models say', async () => {
  const folder = path.join(root, '../../models');
  const files = fs.readdirSync(folder, { recursive: true }).filter((name) => /\.(bir|pml)$/.test(name));
  assert.ok(files.length > 100);
  for (const name of files) {
    const text = fs.readFileSync(path.join(folder, name), 'utf8').trimEnd();
    const all = await tokens(name.endsWith('.bir') ? 'source.bir' : 'source.promela', text);
    const last = all[all.length - 1];
    // The end of a model is no comment and no string, unless it has a comment at its end.
    if (!/(\*\/|\/\/[^\n]*)$/.test(text)) {
      assert.doesNotMatch(last.scope, /comment|string/, name);
    }
  }
});
