import { applyWorkspace, type WorkspaceTree } from '@app/accounts';
import type { Env } from '@app/common';
import { poolOf } from '@app/database';
import { providerChain } from '@app/agents';
import { providerProblem, providerSettings, scriptProblems } from '@app/voice';
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { checkKey, withDatabase } from './installation.js';
import { databaseUrl, commandEncryption } from './instance.js';
import { operator } from './operator.js';
import { Problem } from './problem.js';

/** `trunkline apply -f FILE`; `-` is standard input. Prints every record with its id, or the tree as JSON. */
export async function applyCommand(env: Env, options: { file: string; json?: boolean }): Promise<void> {
  const text = await read(options.file);
  const encryption = commandEncryption(env);
  const tree = await withDatabase(databaseUrl(env), async (dataSource) => {
    await checkKey(poolOf(dataSource), encryption);
    const fileName = options.file === '-' ? 'stdin' : options.file;
    return applyWorkspace(dataSource, encryption, text, fileName, { scriptProblems, actor: operator() });
  });
  for (const warning of providerWarnings(env, tree)) console.error(warning);
  console.log(options.json ? JSON.stringify(tree, null, 2) : inLines(tree));
}

/** The dialer may run elsewhere, with other settings; but most have one environment, and a call that fails says it later. */
function providerWarnings(env: Env, { accounts }: WorkspaceTree): string[] {
  const settings = providerSettings(env);
  return accounts.flatMap(({ agents }) =>
    agents.flatMap(({ name, provider, model, fallbacks }) => {
      if (provider === undefined) return [];
      const others = (fallbacks ?? []).map((one) => ({ provider: one.provider, model: one.model ?? undefined }));
      const wanted = providerChain(provider, { model: model ?? undefined, fallbacks: others });
      const problems = wanted.map((one) => providerProblem(one, settings));
      return problems.filter((one) => one !== undefined).map((one) => `warning: agent ${name}: ${one}`);
    }),
  );
}

/** Standard input is read as a stream: the pipe of `docker compose exec -T` or `kubectl exec -i` may not have everything at once. */
async function read(file: string): Promise<string> {
  try {
    return await (file === '-' ? textOf(process.stdin) : readFile(file, 'utf8'));
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function inLines({ accounts }: WorkspaceTree): string {
  return accounts
    .flatMap((account) => [
      line('account', account),
      ...account.numbers.map((node) => `  ${line('number', node)}`),
      ...account.trunks.map((node) => `  ${line('trunk', node)}`),
      ...account.agents.map((node) => `  ${line('agent', node)}`),
    ])
    .join('\n');
}

const line = (kind: string, node: { id: number; name: string; result: string }): string =>
  `${kind} ${node.name}: id ${node.id}, ${node.result}`;
