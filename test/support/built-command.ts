import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Runs a command of the built command line (`dist`) as an operator does, and returns its standard output.
 * @param build the `dist` folder of another build
 * @throws with the standard error of the command, if it fails
 */
export async function runBuiltCommand(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { input = '', build = 'dist' }: { input?: string; build?: string } = {},
): Promise<string> {
  const main = join(resolve(build), 'apps/cli/src/main.js');
  const child = spawn(process.execPath, [main, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0)
    throw new Error(`trunkline ${words.join(' ')} ended with ${child.exitCode ?? child.signalCode}: ${stderr}`);
  return stdout;
}

/** Migrates a database with `trunkline migrate`. */
export async function migrateWithBuild(url: string): Promise<void> {
  await runBuiltCommand(['migrate'], { ...process.env, NODE_OPTIONS: '', DATABASE_URL: url, QUEUE_URL: '' });
}
