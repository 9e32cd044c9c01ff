import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

export interface CommandOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface CommandOptions {
  input?: string;
  /** The `dist` folder of another build. */
  build?: string;
}

/** Runs a command of the built command line (`dist`) as an operator does. */
export async function commandOutcome(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { input = '', build = 'dist' }: CommandOptions = {},
): Promise<CommandOutcome> {
  const main = join(resolve(build), 'apps/cli/src/main.js');
  const child = spawn(process.execPath, [main, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** The standard output of a command. @throws with the standard error of the command, if it fails */
export async function runBuiltCommand(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  options: CommandOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await commandOutcome(words, env, options);
  if (code !== 0) throw new Error(`trunkline ${words.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Migrates a database with `trunkline migrate`. */
export async function migrateWithBuild(url: string): Promise<void> {
  await runBuiltCommand(['migrate'], { ...process.env, NODE_OPTIONS: '', DATABASE_URL: url, QUEUE_URL: '' });
}
