import { allTrunks, trunkView } from '@app/accounts';
import type { Env } from '@app/common';
import { poolOf } from '@app/database';
import { accountIdOf } from './account-id.js';
import { withDatabase } from './installation.js';
import { databaseUrl } from './instance.js';

/** `trunkline trunks list`: their health, and what is wrong with those that have one. */
export async function listTrunksCommand(env: Env, options: { account?: string; json?: boolean }): Promise<void> {
  await withDatabase(databaseUrl(env), async (dataSource) => {
    const pool = poolOf(dataSource);
    const accountId = options.account === undefined ? undefined : await accountIdOf(pool, options.account);
    const trunks = await allTrunks(pool, accountId);
    const shown = trunks.map((trunk) => ({ account: trunk.account, ...trunkView(trunk) }));
    console.log(
      options.json ? JSON.stringify(shown, null, 2) : shown.flatMap(inLines).join('\n') || 'There are no trunks.',
    );
  });
}

type Shown = ReturnType<typeof trunkView> & { account: string };

function inLines({ id, account, name, state, reason, live_calls, concurrent_calls, targets }: Shown): string[] {
  const calls = `${live_calls}${concurrent_calls === null ? '' : `/${concurrent_calls}`} calls`;
  const head = [id, account, name, state, calls, ...(reason === null ? [] : [reason])].join('  ');
  return [head, ...targets.map(targetLine)];
}

function targetLine({ host, port, transport, state, sip_status, rtt_ms, reason }: Shown['targets'][number]): string {
  const place = `${host.includes(':') ? `[${host}]` : host}${port === null ? '' : `:${port}`}`;
  const answer = sip_status === null ? [] : [`${sip_status} in ${rtt_ms ?? '?'} ms`];
  return `    ${[transport ?? 'dns', place, state, ...answer, ...(reason === null ? [] : [reason])].join('  ')}`;
}
