import { apiOf } from '../../support/api-client.js';
import { CountingCallee } from '../../support/counting-callee.js';
import { eventually } from '../../support/eventually.js';
import type { StackProcess } from '../../support/stack.js';
import type { TestAccount } from '../../support/workspace.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row, Scale } from '../row.js';

/** Capacity of one dialer in this row. */
const CALLS = 10;
const TALK_MS = 4_000;
const FINAL_MS = 30_000;
const PATIENCE_MS = 90_000;

/** Kills dialers with ringing and answered calls; other dialers take the waiting calls. */
const killed = async ({ times }: Scale): Promise<Findings> => {
  const callee = await CountingCallee.start('127.0.0.1', TALK_MS);
  try {
    return await FaultEnvironment.with(
      { apis: 1, dialers: 2, env: { DIALER_CALLS: String(CALLS) } },
      async (environment) => {
        const account = await environment.customer();
        let slowest = 0;
        for (let n = 0; n < times; n++) slowest = Math.max(slowest, await oneKill(environment, callee, account, n));
        const missed = await broken(environment, callee);
        if (slowest > FINAL_MS) missed.push(`final after ${slowest} ms`);
        return environment.findings(missed, `final state after ${(slowest / 1_000).toFixed(1)} s at most`);
      },
    );
  } finally {
    await callee.close();
  }
};

/** @returns ms from the kill to the last final state of the dead dialer's calls */
async function oneKill(
  environment: FaultEnvironment,
  callee: CountingCallee,
  account: TestAccount,
  n: number,
): Promise<number> {
  const api = apiOf(environment.stack, account);
  // Odd numbers answer, even numbers are busy.
  const to_number = Array.from({ length: 3 * CALLS }, (_, i) =>
    callee.uri(n * 100 + (i % 3 === 0 ? 2 * i : 2 * i + 1)),
  );
  const before = callee.dialogs.size;
  await api.createCalls({ to_number, record: false });
  await callee.untilDialogs(before + CALLS);
  const busy = await busyDialer(environment);
  const killedAt = Date.now();
  await environment.stack.kill(busy);
  await environment.stack.add('dialer');
  const open = 'SELECT count(*)::integer AS open FROM calls WHERE ended_at IS NULL';
  const left = async () => (await environment.pool.query<{ open: number }>(open)).rows[0]?.open;
  await eventually(left, (calls) => calls === 0, PATIENCE_MS);
  const { rows } = await environment.pool.query<{ last: Date | null }>(
    `SELECT max(ended_at) AS last FROM calls WHERE hangup_cause = 'worker_lost' AND ended_at > $1`,
    [new Date(killedAt)],
  );
  if (!rows[0]?.last) throw new Error('The killed dialer had no call.');
  return rows[0].last.getTime() - killedAt;
}

/** Waits until a dialer carries half of its capacity: which dialer claims calls first is random. */
async function busyDialer({ pool, stack }: FaultEnvironment): Promise<StackProcess> {
  const carried = `SELECT owner, count(*)::integer AS calls FROM calls WHERE started_at IS NOT NULL AND ended_at IS NULL
    GROUP BY owner ORDER BY calls DESC LIMIT 1`;
  const look = async () => (await pool.query<{ owner: string; calls: number }>(carried)).rows[0];
  const busiest = await eventually(look, (one) => (one?.calls ?? 0) >= CALLS / 2, PATIENCE_MS);
  const dialer = stack.processes.find(({ ready }) => ready.owner === busiest?.owner);
  if (!dialer) throw new Error('An unknown dialer carries calls.');
  return dialer;
}

async function broken(environment: FaultEnvironment, callee: CountingCallee): Promise<string[]> {
  const dialled = [...callee.dialogs.values()].filter((dialogs) => dialogs > 1).length;
  const { rows } = await environment.pool.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM calls c
      WHERE (SELECT count(*) FROM webhook_deliveries d WHERE d.call_id = c.id AND d.type = 'post-call') <> 1`,
  );
  const silent = rows[0]?.count ?? 0;
  return [
    ...(dialled > 0 ? [`${dialled} calls were dialled again`] : []),
    ...(silent > 0 ? [`${silent} calls have not exactly one post-call event`] : []),
  ];
}

export const CALLS_LOST: Row[] = [
  {
    name: 'dialer-killed',
    fault: 'kill -9 a dialer with calls that ring and talk',
    times: 2,
    bar: () => ({ duplicates: 0, also: 'final within 30 s, none redialled, one post-call event each' }),
    run: killed,
  },
];
