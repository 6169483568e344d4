// The explorer: whether the executable has one, and where its page is.

'use strict';

const { spawn } = require('node:child_process');

/** How long the explorer may take to say where its page is, in milliseconds. */
const PATIENCE = 20_000;

/** Whether the executable has the command `explore`. */
function canExplore(path) {
  return new Promise((resolve) => {
    const asked = spawn(path, ['explore', '--help'], { stdio: 'ignore' });
    asked.on('error', () => resolve(false));
    asked.on('exit', (code) => resolve(code === 0));
  });
}

/** The first address of this machine in a text. */
function addressIn(text) {
  return text.match(/https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+[^\s"'<>]*/)?.[0];
}

/** The address that an explorer prints. Fails with what else it says, if it ends before. */
function explorerAddress(process, patience = PATIENCE) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`it says nothing about its page\n${said}`)), patience);
    const hear = (data) => {
      said += data;
      // The line has to be complete.
      const address = addressIn(said.slice(0, said.lastIndexOf('\n') + 1));
      if (address) {
        clearTimeout(timer);
        resolve(address);
      }
    };
    process.stdout.on('data', hear);
    process.stderr.on('data', hear);
    process.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    process.on('exit', () => {
      clearTimeout(timer);
      reject(new Error(said.trim() || 'it has ended without a word'));
    });
  });
}

module.exports = { addressIn, canExplore, explorerAddress };
