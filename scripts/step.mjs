import { collected } from './child.mjs';

export class StepFailed extends Error {}

/**
 * Runs a command and shows one progress line that ends with its duration. When the command fails, shows its output and throws StepFailed.
 */
export async function step(title, command, args, options = {}) {
  process.stdout.write(`  ${title} … `);
  const started = performance.now();
  const { code, output } = await collected(command, args, { cwd: process.cwd(), ...options });
  const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  process.stdout.write(code === 0 ? `${seconds}\n` : `failed after ${seconds}\n`);
  if (code !== 0) throw new StepFailed(`${output.trim()}\n\n${[command, ...args].join(' ')} failed (${code}).`);
}
