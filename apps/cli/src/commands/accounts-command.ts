import { AccountsModule, AccountsService } from '@app/accounts';
import { type Env, isoTime } from '@app/common';
import { stringify } from 'yaml';
import { type AccountOptions, onAccount, print, withServices } from '../command-context.js';

const MAX_LISTED = 1_000;

/** `trunkline accounts list`. */
export async function listAccountsCommand(env: Env, { json }: { json?: boolean }): Promise<void> {
  await withServices(env, [AccountsModule], async (services) => {
    const accounts = await services.get(AccountsService).list(MAX_LISTED);
    const views = accounts.map(({ id, name, createdAt }) => ({ id, name, created_at: isoTime(createdAt) }));
    const lines = views.map((view) => [view.id, view.name, view.created_at].join('  '));
    print(json, views, lines.length > 0 ? lines : ['There are no accounts.']);
    if (accounts.length === MAX_LISTED) console.error(`Only the first ${MAX_LISTED} accounts are listed.`);
  });
}

/** `trunkline accounts show`: the limits of an account and its usage. */
export async function showAccountCommand(env: Env, name: string | undefined, { json }: AccountOptions): Promise<void> {
  await onAccount(env, { modules: [AccountsModule] }, { account: name }, async ({ accountId, services }) => {
    const view = await services.get(AccountsService).find(accountId);
    print(json, view, [stringify(view).trimEnd()]);
  });
}
