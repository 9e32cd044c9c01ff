import { spawnSync } from 'node:child_process';

const asked = new Map<string, string | undefined>();

/**
 * What the built command line says against these words; undefined: it knows the command and its options. `--help` keeps it from
 * being carried out.
 */
export function commandProblem(words: readonly string[]): string | undefined {
  const key = words.join('\0');
  if (!asked.has(key)) asked.set(key, ask(words));
  return asked.get(key);
}

function ask(words: readonly string[]): string | undefined {
  const options = { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/trunkline', ...words, '--help'], options);
  const [command] = words;
  // With an unknown command commander shows the help of the whole program, and is content.
  if (status === 0 && stdout.startsWith(`Usage: trunkline ${command} `)) return undefined;
  return stderr.trim() || `trunkline ${words.join(' ')}: no such command`;
}
