/** Child processes of the scripts. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs a program and collects what it prints.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ passesOn?: boolean; kept?: number } & import('node:child_process').SpawnOptions} options `passesOn`: the output is also shown while it
 *   runs. `kept`: the last characters that are collected. `cwd` is the root of the repository unless it is given
 * @returns {Promise<{ code: number | string; output: string }>} `code`: the exit code, the signal that ended the program, or the code of the error
 *   that kept it from starting
 */
export function collected(program, args, { passesOn = false, kept = Infinity, ...options } = {}) {
  const stdio = ['ignore', 'pipe', passesOn ? 'inherit' : 'pipe'];
  const child = spawn(program, args, { cwd: root, stdio, ...options });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      if (passesOn) process.stdout.write(text);
      output = kept === Infinity ? output + text : (output + text).slice(-kept);
    });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: error.code, output: `${error.message}\n` }));
    child.once('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}
