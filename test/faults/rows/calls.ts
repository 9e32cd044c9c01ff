import { apiOf } from '../../support/api-client.js';
import { CountingCallee } from '../../support/counting-callee.js';
import { eventually } from '../../support/eventually.js';
import type { StackProcess } from '../../support/stack.js';
import type { TestAccount } from '../../support/workspace.js';
import { Ground } from '../ground.js';
import type { Findings, Row, Scale } from '../row.js';

/** What one dialer carries here. */
const CALLS = 10;
const TALK_MS = 4_000;
const FINAL_MS = 30_000;
const PATIENCE_MS = 90_000;

/** Dialers are killed while their calls ring and talk; others carry on with what waits. */
const killed = async ({ times }: Scale): Promise<Findings> => {
  const callee = await CountingCallee.start('127.0.0.1', TALK_MS);
  try {
    return await Ground.with({ apis: 1, dialers: 2, env: { DIALER_CALLS: String(CALLS) } }, async (ground) => {
      const account = await ground.customer();
      let slowest = 0;
      for (let n = 0; n < times; n++) slowest = Math.max(slowest, await oneKill(ground, callee, account, n));
      const missed = await broken(ground, callee);
      if (slowest > FINAL_MS) missed.push(`final after ${slowest} ms`);
      return ground.findings(missed, `final state after ${(slowest / 1_000).toFixed(1)} s at most`);
    });
  } finally {
    await callee.close();
  }
};

/** @returns ms from the kill to the last final state of a call that was the dead dialer's. */
async function oneKill(ground: Ground, callee: CountingCallee, account: TestAccount, n: number): Promise<number> {
  const api = apiOf(ground.stack, account);
  // Odd ones answer, even ones are busy.
  const to_number = Array.from({ length: 3 * CALLS }, (_, i) =>
    callee.uri(n * 100 + (i % 3 === 0 ? 2 * i : 2 * i + 1)),
  );
  const before = callee.dialogs.size;
  await api.createCalls({ to_number, record: false });
  await callee.untilDialogs(before + CALLS);
  const busy = await busyDialer(ground);
  const killedAt = Date.now();
  await ground.stack.kill(busy);
  await ground.stack.add('dialer');
  const open = 'SELECT count(*)::integer AS open FROM calls WHERE ended_at IS NULL';
  const left = async () => (await ground.pool.query<{ open: number }>(open)).rows[0]?.open;
  await eventually(left, (calls) => calls === 0, PATIENCE_MS);
  const { rows } = await ground.pool.query<{ last: Date | null }>(
    `SELECT max(ended_at) AS last FROM calls WHERE hangup_cause = 'worker_lost' AND ended_at > $1`,
    [new Date(killedAt)],
  );
  if (!rows[0]?.last) throw new Error('The dialer that was killed had no call.');
  return rows[0].last.getTime() - killedAt;
}

/** Waits until one of them carries half of what it can: which one takes calls first is chance. */
async function busyDialer({ pool, stack }: Ground): Promise<StackProcess> {
  const carried = `SELECT owner, count(*)::integer AS calls FROM calls WHERE started_at IS NOT NULL AND ended_at IS NULL
    GROUP BY owner ORDER BY calls DESC LIMIT 1`;
  const look = async () => (await pool.query<{ owner: string; calls: number }>(carried)).rows[0];
  const busiest = await eventually(look, (one) => (one?.calls ?? 0) >= CALLS / 2, PATIENCE_MS);
  const dialer = stack.processes.find(({ ready }) => ready.owner === busiest?.owner);
  if (!dialer) throw new Error('Calls are carried by a dialer that is not ours.');
  return dialer;
}

async function broken(ground: Ground, callee: CountingCallee): Promise<string[]> {
  const dialled = [...callee.dialogs.values()].filter((dialogs) => dialogs > 1).length;
  const { rows } = await ground.pool.query<{ count: number }>(
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
    times: 3,
    bar: () => ({ duplicates: 0, also: 'final within 30 s, none redialled, one post-call event each' }),
    run: killed,
  },
];
