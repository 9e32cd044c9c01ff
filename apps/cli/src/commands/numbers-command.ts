import { AccountsModule, NumbersService, type NumberView } from '@app/accounts';
import type { Env } from '@app/common';
import { type AccountOptions, onAccount } from '../command-context.js';
import { MAX_LISTED, printList, printRecord } from '../listed-records.js';
import { Problem } from '../problem.js';

const NUMBERS = { modules: [AccountsModule] };

/** `trunkline numbers list`: by name. */
export async function listNumbersCommand(env: Env, options: AccountOptions): Promise<void> {
  await onAccount(env, NUMBERS, options, async ({ accountId, services }) => {
    const { numbers, total } = await services.get(NumbersService).list(accountId, { page: 1, perPage: MAX_LISTED });
    printList(options.json, numbers, inOneLine, 'The account has no numbers.');
    if (total > numbers.length) console.error(`Only the first of ${total} numbers are listed.`);
  });
}

const inOneLine = ({ id, name, e164, active, agent_id: agentId }: NumberView): string =>
  [id, name, e164, active ? 'active' : 'inactive', agentId === null ? 'no agent' : `agent ${agentId}`].join('  ');

/** `trunkline numbers show`: a number by its E.164 form, name or id. */
export async function showNumberCommand(env: Env, number: string, options: AccountOptions): Promise<void> {
  await onAccount(env, NUMBERS, options, async ({ accountId, services }) => {
    const view = await services.get(NumbersService).named(accountId, number);
    if (!view) throw new Problem(`The account has no number ${number}; \`numbers list\` shows all of them.`);
    printRecord(options.json, view);
  });
}
