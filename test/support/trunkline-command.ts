import { spawnSync } from 'node:child_process';

/** Of each command its help: starting the program takes a second. */
const helps = new Map<string, string>();

/** What is wrong with these words for the built command line; undefined: it knows the command, its options, and the value of --role. */
export function commandProblem(words: readonly string[]): string | undefined {
  const others = words.findIndex((word) => !/^[a-z]+(?:-[a-z]+)*$/.test(word));
  const command = words.slice(0, others < 0 ? words.length : others).join(' ');
  const help = helps.get(command) ?? helpOf(command);
  helps.set(command, help);
  // With an unknown command commander shows the help of the whole program, and is content.
  if (!help.startsWith(`Usage: trunkline ${command} `)) return `trunkline ${command}: no such command`;
  const options = words.filter((word) => word.startsWith('-'));
  const unknown = options.filter((option) => !new RegExp(`(?:^|[\\s,])${option}[\\s,]`, 'm').test(help));
  if (unknown.length > 0) return `trunkline ${command}: no such option ${unknown.join(' ')}`;
  const role = words[words.indexOf('--role') + 1];
  return options.includes('--role') && !help.includes(`"${role}"`) ? `there is no role ${role}` : undefined;
}

function helpOf(command: string): string {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const args = ['bin/trunkline', ...command.split(' '), '--help'];
  return spawnSync(process.execPath, args, { encoding: 'utf8', env }).stdout;
}
