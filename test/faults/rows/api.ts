import { TrunklineError } from '@app/client';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { apiOf } from '../../support/api-client.js';
import type { TestAccount } from '../../support/workspace.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row, Scale } from '../row.js';

const KILLED = pathToFileURL(join(process.cwd(), 'test/faults/preload/killed-before-wake.mjs')).href;
const LATE_MS = 2_000;

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

async function oneCall(environment: FaultEnvironment, account: TestAccount): Promise<number> {
  const { stack, sink } = environment;
  const api = await stack.add('api', { NODE_OPTIONS: `--import ${KILLED}` });
  const gone = once(api.child, 'exit').then(() => performance.now());
  const before = sink.arrivals.length;
  const answered = await apiOf(stack, account)
    .createCall({ to_number: 'sip:nobody@127.0.0.1:9' })
    .then(
      () => 201,
      (error: unknown) => (error instanceof TrunklineError ? error.status : 0),
    );
  if (answered !== 0) throw new Error(`The api answered ${answered} instead of dying.`);
  const killedAt = await gone;
  stack.processes.splice(stack.processes.indexOf(api), 1);
  await sink.until(() => sink.arrivals.length > before, 30_000);
  return sink.arrivals[before]!.at - killedAt;
}

export const API: Row[] = [
  {
    name: 'api-killed-before-wake',
    fault: 'the api is killed between the commit of a call and the wake-up',
    times: 5,
    bar: () => ({ duplicates: 0, also: '≤ 2 s late' }),
    alone: true,
    run: killedBeforeWake,
  },
];
