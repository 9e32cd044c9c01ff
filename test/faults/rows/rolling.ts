import { once } from 'node:events';
import { startSandboxPhone } from '@app/telephony';
import { Balancer } from '../../support/balancer.js';
import { eventually } from '../../support/eventually.js';
import type { StackProcess } from '../../support/stack.js';
import type { ApiLoad } from '../api-load.js';
import { Ground } from '../ground.js';
import type { Findings, Row } from '../row.js';

const QUIET = { debug: () => {}, warn: () => {} };
const PHONE_PORTS = { min: 10_000, max: 10_998 };
/** A call of the load, from the first ring to its end, is a quarter of this. */
const DRAIN_SECONDS = '20';
const PATIENCE_MS = 60_000;

interface Ended {
  status: string;
  hangup_cause: string;
  count: number;
}

/** Every process of an installation is replaced, one after the other, while calls are ordered, dialled and told of. */
const restarted = async (): Promise<Findings> => {
  const phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: PHONE_PORTS, ringMs: 100, log: QUIET });
  const balancer = await Balancer.start();
  try {
    return await Ground.with({ apis: 2, workers: 2, dialers: 3, env: { DRAIN_SECONDS, PORT: '0' } }, async (ground) => {
      const first = [...ground.stack.processes];
      for (const one of first.filter(({ role }) => role === 'api')) balancer.add(Number(one.ready.port));
      const load = await ground.beginCalls({
        baseUrl: balancer.url,
        destinations: [`sip:hangup_after_3@127.0.0.1:${phone.port}`],
        pauseMs: 250,
      });
      const codes: number[] = [];
      for (const one of first) codes.push(await replaced(ground, balancer, one));
      await load.stop();
      const ends = await allEnded(ground);
      const missed = [...refused(load), ...dropped(ends), ...uncleanly(codes)];
      const calls = ends.reduce((sum, { count }) => sum + count, 0);
      return ground.findings(missed, `${codes.length} processes replaced, ${calls} calls, none dropped or refused`);
    });
  } finally {
    await balancer.close();
    await phone.close();
  }
};

/** A new one is ready before the old one is told to go. @returns the exit code of the old one. */
async function replaced({ stack }: Ground, balancer: Balancer, old: StackProcess): Promise<number> {
  const fresh = await stack.add(old.role);
  if (old.role === 'api') {
    balancer.add(Number(fresh.ready.port));
    balancer.remove(Number(old.ready.port));
  }
  stack.processes.splice(stack.processes.indexOf(old), 1);
  const exit = once(old.child, 'exit');
  old.child.kill('SIGTERM');
  const [code] = (await exit) as [number | null];
  return code ?? -1;
}

async function allEnded({ pool }: Ground): Promise<Ended[]> {
  const open = 'SELECT count(*)::integer AS open FROM calls WHERE ended_at IS NULL';
  const left = async () => (await pool.query<{ open: number }>(open)).rows[0]?.open;
  await eventually(left, (calls) => calls === 0, PATIENCE_MS);
  const ends = 'SELECT status, hangup_cause, count(*)::integer AS count FROM calls GROUP BY status, hangup_cause';
  return (await pool.query<Ended>(ends)).rows;
}

const refused = ({ answers }: ApiLoad): string[] =>
  [...answers].filter(([status]) => status !== 201).map(([status, count]) => `${count} requests answered ${status}`);

const dropped = (ends: Ended[]): string[] =>
  ends
    .filter(({ status, hangup_cause: cause }) => status !== 'completed' || cause !== 'normal_clearing')
    .map(({ status, hangup_cause: cause, count }) => `${count} calls ended ${status}/${cause}`);

const uncleanly = (codes: number[]): string[] =>
  codes.filter((code) => code !== 0).map((code) => `a process ended with ${code}`);

export const ROLLING: Row[] = [
  {
    name: 'rolling-restart',
    fault: 'every process of 2 apis, 2 workers and 3 dialers is replaced, one after the other',
    times: 1,
    bar: () => ({ duplicates: 0, also: 'no request refused, no call dropped, exit code 0' }),
    run: restarted,
  },
];
