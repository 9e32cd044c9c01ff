/** Child processes of the scripts. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs a program in the root of the repository and collects what it prints.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ passesOn?: boolean; kept?: number }} options `passesOn`: the output is also shown while it runs. `kept`: the last characters that are collected
 * @returns {Promise<{ code: number; output: string }>} `code` is 1 when a signal ended the program, or when it could not be started
 */
export function collected(program, args, { passesOn = false, kept = Infinity } = {}) {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', passesOn ? 'inherit' : 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      if (passesOn) process.stdout.write(text);
      output = kept === Infinity ? output + text : (output + text).slice(-kept);
    });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, output: `${error.message}\n` }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
