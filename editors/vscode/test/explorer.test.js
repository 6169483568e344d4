// Where the page of the explorer is, from what the command prints.

'use strict';

const assert = require('node:assert');
const { spawn } = require('node:child_process');
const { test } = require('node:test');
const { addressIn, canExplore, explorerAddress } = require('../src/explorer');

/** A process that does what a script says. */
const script = (text) => spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'pipe', 'pipe'] });

test('an address of this machine is found', () => {
  assert.strictEqual(addressIn('open http://127.0.0.1:4321/?token=a-b_c now'), 'http://127.0.0.1:4321/?token=a-b_c');
  assert.strictEqual(addressIn('see http://[::1]:80/x'), 'http://[::1]:80/x');
  assert.strictEqual(addressIn('see https://example.com:80/ or http://127.0.0.1.evil.org:1/'), undefined);
});

test('the address is waited for, and may come in pieces', async () => {
  const slow = script(`
    process.stderr.write('explorer: http://127.0.');
    setTimeout(() => process.stderr.write('0.1:7/?token=1'), 50);
    setTimeout(() => process.stderr.write('23\\n'), 100);
    setTimeout(() => {}, 5000);`);
  assert.strictEqual(await explorerAddress(slow), 'http://127.0.0.1:7/?token=123');
  slow.kill();
});

test('an explorer that ends or says nothing is an error', async () => {
  await assert.rejects(explorerAddress(script('console.error("error: no such file"); process.exit(2)')), /no such file/);
  const silent = script('setTimeout(() => {}, 5000)');
  await assert.rejects(explorerAddress(silent, 100), /says nothing/);
  silent.kill();
  await assert.rejects(explorerAddress(spawn('/no/such/quotient', ['explore'])), /ENOENT/);
});

test('an executable without an explorer is told apart', async () => {
  assert.strictEqual(await canExplore('/no/such/quotient'), false);
  assert.strictEqual(await canExplore('false'), false);
  assert.strictEqual(await canExplore('true'), true);
});
