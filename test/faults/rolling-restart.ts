import { startSandboxPhone } from '@app/sandbox/phone';
import { Balancer } from '../support/balancer.js';
import { eventually } from '../support/eventually.js';
import type { StackProcess } from '../support/stack.js';
import { FaultEnvironment, type FaultEnvironmentOptions } from './fault-environment.js';
import type { Findings } from './row.js';

const QUIET = { debug: () => {}, warn: () => {} };
const PHONE_PORTS = { min: 10_000, max: 10_998 };
/** Four times the duration of a call of the load. */
const DRAIN_SECONDS = '20';
const PATIENCE_MS = 60_000;

/** The result of a rolling restart; `findings` lists the missed bars. */
export interface RollingRestart {
  processes: number;
  requests: number;
  /** Requests without a 201. */
  failed: number;
  calls: number;
  /** Calls whose outcome differs from the callee's behaviour. */
  dropped: number;
  findings: Findings;
}

interface Ended {
  status: string;
  hangup_cause: string;
  count: number;
}

/** Replaces every process of an installation, one after the other, while calls are created, dialled and reported by webhooks. */
export async function rollingRestart(
  options: FaultEnvironmentOptions = {},
  say: (line: string) => void = () => {},
): Promise<RollingRestart> {
  const phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: PHONE_PORTS, ringMs: 100, log: QUIET });
  const balancer = await Balancer.start();
  const sizes = { apis: 2, workers: 2, dialers: 3 };
  const env = { DRAIN_SECONDS, PORT: '0', ...options.env };
  let environment: FaultEnvironment | undefined;
  try {
    environment = await FaultEnvironment.open({ ...sizes, ...options, env });
    const first = [...environment.stack.processes];
    for (const one of first.filter(({ role }) => role === 'api')) balancer.add(Number(one.ready.port));
    const load = await environment.beginCalls({
      baseUrl: balancer.url,
      destinations: [`sip:hangup_after_3@127.0.0.1:${phone.port}`],
      pauseMs: 250,
    });
    const codes: number[] = [];
    for (const one of first) {
      say(`${one.role} ${codes.length + 1} of ${first.length} is replaced`);
      codes.push(await replaced(environment, balancer, one));
    }
    await load.stop();
    const ends = await allEnded(environment);
    const refused = [...load.answers].filter(([status]) => status !== 201);
    const wrong = ends.filter((one) => one.status !== 'completed' || one.hangup_cause !== 'normal_clearing');
    const missed = [
      ...refused.map(([status, count]) => `${count} requests answered ${status}`),
      ...wrong.map(({ status, hangup_cause, count }) => `${count} calls ended ${status}/${hangup_cause}`),
      ...codes.filter((code) => code !== 0).map((code) => `a process ended with ${code}`),
    ];
    const calls = sum(ends.map(({ count }) => count));
    return {
      processes: codes.length,
      requests: sum([...load.answers.values()]),
      failed: sum(refused.map(([, count]) => count)),
      calls,
      dropped: sum(wrong.map(({ count }) => count)),
      findings: await environment.findings(
        missed,
        `${codes.length} processes replaced, ${calls} calls, none dropped or refused`,
      ),
    };
  } finally {
    await environment?.close();
    await balancer.close();
    await phone.close();
  }
}

/** Starts the new process before it ends the old one. @returns the exit code of the old process */
async function replaced({ stack }: FaultEnvironment, balancer: Balancer, old: StackProcess): Promise<number> {
  const fresh = await stack.add(old.role);
  if (old.role === 'api') {
    balancer.add(Number(fresh.ready.port));
    balancer.remove(Number(old.ready.port));
  }
  return stack.retire(old);
}

async function allEnded({ pool }: FaultEnvironment): Promise<Ended[]> {
  const open = 'SELECT count(*)::integer AS open FROM calls WHERE ended_at IS NULL';
  const left = async () => (await pool.query<{ open: number }>(open)).rows[0]?.open;
  await eventually(left, (calls) => calls === 0, PATIENCE_MS);
  const ends = 'SELECT status, hangup_cause, count(*)::integer AS count FROM calls GROUP BY status, hangup_cause';
  return (await pool.query<Ended>(ends)).rows;
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
