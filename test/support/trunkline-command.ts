import 'reflect-metadata';
import type { Command } from 'commander';
import { trunkline } from '../../apps/cli/src/program.js';

const program = trunkline();

/** The problem of a command with these words; undefined: command, options and the value of --role exist. */
export function commandProblem(words: readonly string[]): string | undefined {
  const others = words.findIndex((word) => !/^[a-z]+(?:-[a-z]+)*$/.test(word));
  const names = words.slice(0, others < 0 ? words.length : others);
  const command = names.join(' ');
  const help = helpOf(names);
  if (help === undefined) return `trunkline ${command}: no such command`;
  const options = words.filter((word) => word.startsWith('-'));
  const unknown = options.filter((option) => !new RegExp(`(?:^|[\\s,])${option}[\\s,]`, 'm').test(help));
  if (unknown.length > 0) return `trunkline ${command}: no such option ${unknown.join(' ')}`;
  const role = words[words.indexOf('--role') + 1];
  return options.includes('--role') && !help.includes(`"${role}"`) ? `there is no role ${role}` : undefined;
}

function helpOf(names: readonly string[]): string | undefined {
  let command: Command | undefined = program;
  for (const name of names) command = command?.commands.find((one) => one.name() === name);
  return command === program ? undefined : command?.helpInformation();
}
