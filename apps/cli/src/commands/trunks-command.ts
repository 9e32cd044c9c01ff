import { AccountsModule, AccountsService, TrunksService, trunkView } from '@app/accounts';
import type { Env } from '@app/common';
import { accountIdOf, withServices } from '../command-context.js';
import { printList } from '../listed-records.js';

/** `trunkline trunks list`: trunks and targets with their health and its reason. */
export async function listTrunksCommand(env: Env, options: { account?: string; json?: boolean }): Promise<void> {
  const { account } = options;
  await withServices(env, [AccountsModule], async (services) => {
    const accounts = services.get(AccountsService);
    const accountId = account === undefined ? undefined : await accountIdOf(accounts, account);
    const trunks = await services.get(TrunksService).all(accountId);
    const shown = trunks.map((trunk) => ({ account: trunk.account, ...trunkView(trunk) }));
    printList(options.json, shown, inLines, 'There are no trunks.');
  });
}

type Shown = ReturnType<typeof trunkView> & { account: string };

function inLines({
  id,
  account,
  name,
  state,
  reason,
  live_calls,
  concurrent_calls,
  targets,
  registration,
}: Shown): string[] {
  const calls = `${live_calls}${concurrent_calls === null ? '' : `/${concurrent_calls}`} calls`;
  const head = [id, account, name, state, calls, ...(reason === null ? [] : [reason])].join('  ');
  return [head, ...targets.map(targetLine), ...(registration ? [registrationLine(registration)] : [])];
}

function registrationLine({ state, target, expires_at, reason, retry_at }: NonNullable<Shown['registration']>): string {
  const until = expires_at === null ? [] : [`until ${expires_at}`];
  const retry = retry_at === null ? [] : [`next attempt ${retry_at}`];
  return `    ${['registration', state, ...(target === null ? [] : [target]), ...until, ...(reason === null ? [] : [reason]), ...retry].join('  ')}`;
}

function targetLine({ host, port, transport, state, sip_status, rtt_ms, reason }: Shown['targets'][number]): string {
  const place = `${host.includes(':') ? `[${host}]` : host}${port === null ? '' : `:${port}`}`;
  const answer = sip_status === null ? [] : [`${sip_status} in ${rtt_ms ?? '?'} ms`];
  return `    ${[transport ?? 'dns', place, state, ...answer, ...(reason === null ? [] : [reason])].join('  ')}`;
}
