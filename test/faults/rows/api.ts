import { TrunklineError } from '@app/client';
import { once } from 'node:events';
import { apiOf } from '../../support/api-client.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import type { TestAccount } from '../../support/workspace.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row, Scale } from '../row.js';

const LATE_MS = 2_000;
/** BullMQ's statement that adds a job, here: a wake-up of the dialers. */
const WAKE_UP = 'add_job(';

/** Kills the api after the COMMIT of a call, before the wake-up; each round uses a new api. */
const killedBeforeWake = ({ times }: Scale): Promise<Findings> =>
  FaultEnvironment.with({}, async (environment) => {
    const account = await environment.customer();
    const delays: number[] = [];
    for (let n = 0; n < times; n++) delays.push(await oneCall(environment, account));
    const latest = Math.max(...delays);
    const missed = latest > LATE_MS ? [`${Math.round(latest)} ms late`] : [];
    return environment.findings(missed, `at most ${Math.round(latest)} ms late`);
  });

/** The proxy between the api and PostgreSQL drops the wake-up. The call is committed before it, and answered before or after it. */
async function oneCall(environment: FaultEnvironment, account: TestAccount): Promise<number> {
  const { stack, sink } = environment;
  const url = new URL(stack.database.url);
  const proxy = await TcpProxy.before(Number(url.port));
  try {
    url.port = String(proxy.port);
    const api = await stack.add('api', { DATABASE_URL: url.href });
    proxy.drops = (piece) => piece.includes(WAKE_UP) && api.child.kill('SIGKILL');
    const gone = once(api.child, 'exit').then(() => performance.now());
    const before = sink.arrivals.length;
    const answered = await apiOf(stack, account)
      .createCall({ to_number: 'sip:nobody@127.0.0.1:9' })
      .then(
        () => 201,
        (error: unknown) => (error instanceof TrunklineError ? error.status : 0),
      );
    if (answered !== 201 && answered !== 0) throw new Error(`The api answered ${answered} to the call.`);
    const killedAt = await gone;
    stack.processes.splice(stack.processes.indexOf(api), 1);
    await sink.until(() => sink.arrivals.length > before, 30_000);
    return sink.arrivals[before]!.at - killedAt;
  } finally {
    await proxy.close();
  }
}

export const API: Row[] = [
  {
    name: 'api-killed-before-wake',
    fault: 'the api is killed between the commit of a call and the wake-up',
    times: 3,
    bar: () => ({ duplicates: 0, also: '≤ 2 s late' }),
    alone: true,
    run: killedBeforeWake,
  },
];
