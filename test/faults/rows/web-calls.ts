import { Balancer } from '../../support/balancer.js';
import { eventually } from '../../support/eventually.js';
import type { StackProcess } from '../../support/stack.js';
import type { TestAccount } from '../../support/workspace.js';
import { createWebCall, ResumingPage } from '../../support/resuming-page.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row, Scale } from '../row.js';

const CALLS = 4;
const BACK_MS = 10_000;
const FINAL_MS = 30_000;
const PATIENCE_MS = 60_000;
/** Half a second of audio, after the fault. */
const HEARD_FRAMES = 25;

interface Installation {
  environment: FaultEnvironment;
  balancer: Balancer;
  account: TestAccount;
}

async function installation(work: (parts: Installation) => Promise<Findings>): Promise<Findings> {
  const balancer = await Balancer.start();
  try {
    return await FaultEnvironment.with({ apis: 2, dialers: 1, env: { PORT: '0' } }, async (environment) => {
      for (const { ready } of apisOf(environment)) balancer.add(Number(ready.port));
      return work({ environment, balancer, account: await environment.customer() });
    });
  } finally {
    await balancer.close();
  }
}

const apisOf = ({ stack }: FaultEnvironment): StackProcess[] => stack.processes.filter(({ role }) => role === 'api');

/** Calls through the balancer, so that each api has some. */
async function callsOf({ balancer, account }: Installation): Promise<{ ids: string[]; pages: ResumingPage[] }> {
  const [ids, pages]: [string[], ResumingPage[]] = [[], []];
  while (pages.length < CALLS) {
    const { callId, ...access } = await createWebCall({ baseUrl: balancer.url }, account);
    ids.push(callId);
    pages.push(await ResumingPage.open(access));
  }
  await Promise.all(pages.map((page) => page.untilHeard(HEARD_FRAMES)));
  return { ids, pages };
}

/** Each api in turn is gone for good: `take` it away, and start another one. */
const apiGone =
  (take: (environment: FaultEnvironment, api: StackProcess) => Promise<unknown>) =>
  ({ times }: Scale): Promise<Findings> =>
    installation(async (parts) => {
      const { environment, balancer } = parts;
      const { ids, pages } = await callsOf(parts);
      try {
        for (let n = 0; n < times; n++) {
          const old = apisOf(environment)[0]!;
          balancer.remove(Number(old.ready.port));
          await take(environment, old);
          balancer.add(Number((await environment.stack.add('api')).ready.port));
          await Promise.all(pages.map((page) => page.untilHeard(HEARD_FRAMES)));
        }
        const missed: string[] = [];
        const away = pages.flatMap((page) => page.away);
        if (away.length === 0) missed.push('no page lost its connection');
        if (away.some((ms) => ms > BACK_MS)) missed.push(`a page was away for ${Math.max(...away)} ms`);
        for (const page of pages) await page.hangUp();
        for (const { status, hangup_cause, count } of await endsOf(environment, ids))
          if (status !== 'completed' || hangup_cause !== 'normal_clearing')
            missed.push(`${count} calls ended ${status}/${hangup_cause}`);
        const longest = (Math.max(0, ...away) / 1_000).toFixed(1);
        return await environment.findings(missed, `${away.length} connections lost, back after ${longest} s at most`);
      } finally {
        for (const page of pages) page.end();
      }
    });

/** The dialer of the calls is killed; another one takes new calls. */
const dialerKilled = (): Promise<Findings> =>
  installation(async (parts) => {
    const { environment, balancer, account } = parts;
    const { ids, pages } = await callsOf(parts);
    try {
      const killedAt = Date.now();
      await environment.stack.kill(environment.oldest('dialer'));
      await environment.stack.add('dialer');
      const ends = await endsOf(environment, ids);
      const missed = ends
        .filter(({ status, hangup_cause }) => status !== 'failed' || hangup_cause !== 'worker_lost')
        .map(({ status, hangup_cause, count }) => `${count} calls ended ${status}/${hangup_cause}`);
      const finalMs = Math.max(...ends.map(({ last }) => last.getTime())) - killedAt;
      if (finalMs > FINAL_MS) missed.push(`final after ${finalMs} ms`);
      const codes = await Promise.all(pages.map((page) => page.untilClosed()));
      const { callId, ...access } = await createWebCall({ baseUrl: balancer.url }, account);
      const next = await ResumingPage.open(access);
      await next.untilHeard(HEARD_FRAMES);
      await next.hangUp();
      await endsOf(environment, [callId]);
      const measured = `final after ${(finalMs / 1_000).toFixed(1)} s, pages closed with ${[...new Set(codes)].join(', ')}`;
      return await environment.findings(missed, measured);
    } finally {
      for (const page of pages) page.end();
    }
  });

interface Ended {
  status: string;
  hangup_cause: string;
  count: number;
  last: Date;
}

async function endsOf({ pool }: FaultEnvironment, ids: readonly string[]): Promise<Ended[]> {
  const open = 'SELECT count(*)::integer AS open FROM calls WHERE id = ANY ($1::uuid[]) AND ended_at IS NULL';
  const left = async () => (await pool.query<{ open: number }>(open, [ids])).rows[0]?.open;
  await eventually(left, (calls) => calls === 0, PATIENCE_MS);
  const ends = `SELECT status, hangup_cause, count(*)::integer AS count, max(ended_at) AS last FROM calls
    WHERE id = ANY ($1::uuid[]) GROUP BY status, hangup_cause`;
  return (await pool.query<Ended>(ends, [ids])).rows;
}

export const WEB_CALLS: Row[] = [
  {
    name: 'web-api-killed',
    fault: 'kill -9 the api that relays web calls',
    times: 2,
    bar: () => ({ duplicates: 0, also: 'pages back within 10 s, every call goes on' }),
    run: apiGone(({ stack }, api) => stack.kill(api)),
  },
  {
    name: 'web-api-replaced',
    fault: 'the apis that relay web calls are replaced one after the other',
    times: 2,
    bar: () => ({ duplicates: 0, also: 'pages back within 10 s, every call goes on' }),
    run: apiGone(({ stack }, api) => stack.retire(api)),
  },
  {
    name: 'web-dialer-killed',
    fault: 'kill -9 the dialer of web calls',
    times: 1,
    bar: () => ({ duplicates: 0, also: 'final within 30 s, pages closed, the next dialer serves' }),
    run: dialerKilled,
  },
];
