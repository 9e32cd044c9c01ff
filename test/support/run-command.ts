import type { Command } from 'commander';
import { sentenceFor } from '../../apps/cli/src/problem.js';
import { trunkline } from '../../apps/cli/src/program.js';

export interface CommandOutput {
  code: number;
  stdout: string;
  stderr: string;
}

type Variables = Record<string, string | undefined>;

let last: Promise<unknown> = Promise.resolve();

/**
 * `bin/trunkline` with these words in this process, which saves the two seconds in which a process loads its modules. Variables, output and
 * exit code belong to the whole process: one command runs at a time.
 */
export function runCommand(words: readonly string[], variables: Variables): Promise<CommandOutput> {
  const ended = last.then(() => run(words, variables));
  last = ended.catch(() => undefined);
  return ended;
}

async function run(words: readonly string[], variables: Variables): Promise<CommandOutput> {
  const output = { stdout: '', stderr: '' };
  const restore = [capture(output), replaceVariables(variables)];
  process.exitCode = undefined;
  try {
    const code = await exitCode(words, output);
    return { code, ...output };
  } finally {
    process.exitCode = undefined;
    for (const one of restore) one();
  }
}

/** As apps/cli/src/main.ts: an error that the user can solve is printed as a sentence. */
async function exitCode(words: readonly string[], output: Omit<CommandOutput, 'code'>): Promise<number> {
  try {
    await prepare(trunkline(), output).parseAsync(words, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (isExit(error)) return error.exitCode;
    output.stderr += `${sentenceFor(error) ?? String(error)}\n`;
    return 1;
  }
}

/** Commander ends the process after wrong options, which it has reported. */
const isExit = (error: unknown): error is { exitCode: number } =>
  error instanceof Error && error.constructor.name === 'CommanderError';

function prepare(command: Command, output: Omit<CommandOutput, 'code'>): Command {
  command.exitOverride().configureOutput({
    writeOut: (text) => void (output.stdout += text),
    writeErr: (text) => void (output.stderr += text),
  });
  for (const one of command.commands) prepare(one, output);
  return command;
}

/** @returns what ends the capture */
function capture(output: Omit<CommandOutput, 'code'>): () => void {
  const { log, error } = console;
  const write = process.stdout.write.bind(process.stdout);
  console.log = (...texts: unknown[]) => void (output.stdout += `${texts.map(String).join(' ')}\n`);
  console.error = (...texts: unknown[]) => void (output.stderr += `${texts.map(String).join(' ')}\n`);
  process.stdout.write = (text: Uint8Array | string) => {
    output.stdout += Buffer.from(text as Uint8Array).toString();
    return true;
  };
  return () => Object.assign(console, { log, error }) && void (process.stdout.write = write);
}

/** @returns what restores the variables */
function replaceVariables(variables: Variables): () => void {
  const before = { ...process.env };
  const set = (all: Variables): void => {
    for (const [name, value] of Object.entries(all))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
  set(variables);
  return () => {
    for (const name of Object.keys(variables)) delete process.env[name];
    set(before);
  };
}
