import { AccountsModule, AccountsService } from '@app/accounts';
import { type Env, isoTime } from '@app/common';
import { type AccountOptions, onAccount, operator, withServices } from '../command-context.js';
import { MAX_LISTED, printList, printRecord } from '../listed-records.js';

/** `trunkline accounts list`. */
export async function listAccountsCommand(env: Env, { json }: { json?: boolean }): Promise<void> {
  await withServices(env, [AccountsModule], async (services) => {
    const accounts = await services.get(AccountsService).list(MAX_LISTED);
    const views = accounts.map(({ id, name, createdAt }) => ({ id, name, created_at: isoTime(createdAt) }));
    printList(json, views, (view) => [view.id, view.name, view.created_at].join('  '), 'No accounts.');
    if (accounts.length === MAX_LISTED) console.error(`Only the first ${MAX_LISTED} accounts are listed.`);
  });
}

/** `trunkline accounts show`: the limits of an account and its usage. */
export async function showAccountCommand(env: Env, name: string | undefined, { json }: AccountOptions): Promise<void> {
  await onAccount(env, { modules: [AccountsModule] }, { account: name }, async ({ accountId, services }) => {
    printRecord(json, await services.get(AccountsService).find(accountId));
  });
}

export interface UpdateAccountOptions extends AccountOptions {
  /** `none`: no country. */
  defaultCountry: string;
}

/** `trunkline accounts update`: settings that need no workspace file. */
export async function updateAccountCommand(
  env: Env,
  name: string | undefined,
  { defaultCountry: country, json }: UpdateAccountOptions,
): Promise<void> {
  await onAccount(env, { modules: [AccountsModule] }, { account: name }, async ({ accountId, services }) => {
    const body = { default_country: country === 'none' ? null : country };
    const { view } = await services.get(AccountsService).update({ accountId, actor: operator() }, body);
    printRecord(json, view);
  });
}
