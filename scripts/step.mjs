import { spawn } from 'node:child_process';

export class StepFailed extends Error {}

/**
 * Runs a command and shows one progress line that ends with its duration. When the command fails, shows its output and throws StepFailed.
 */
export async function step(title, command, args, options = {}) {
  process.stdout.write(`  ${title} … `);
  const started = performance.now();
  const { code, output } = await run(command, args, options);
  const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  process.stdout.write(code === 0 ? `${seconds}\n` : `failed after ${seconds}\n`);
  if (code !== 0) throw new StepFailed(`${output.trim()}\n\n${[command, ...args].join(' ')} failed (${code}).`);
}

function run(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', (error) => resolve({ code: error.code, output: error.message }));
    child.once('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}
