import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { StackProcess } from '../../support/stack.js';
import type { SinkArrival } from '../fault-sink.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row, Scale } from '../row.js';

/** Maximum number of requests of one worker that are sent but not stored. */
export const IN_FLIGHT = 16;
/** A lease is 30 s. */
const PAST_THE_LEASE_MS = 34_000;

/** Every fifth webhook fails at its first attempt, every fifth of these at the second: too rarely to leave the fast lane. */
export function fifthFails({ id, tries }: SinkArrival): number {
  const unlucky = Number.parseInt(id.slice(-4), 16) % 25;
  return (tries === 1 && unlucky < 5) || (tries === 2 && unlucky === 0) ? 500 : 200;
}

/** Replaces the oldest worker `times` times under load. */
async function oneAfterTheOther(
  environment: FaultEnvironment,
  { times }: Scale,
  end: (one: StackProcess) => Promise<void>,
): Promise<void> {
  environment.begin();
  await environment.sink.more(50);
  for (let n = 0; n < times; n++) {
    const victim = environment.workers[0]!;
    await environment.stack.add('worker');
    // Waits until the next victim has work, for a different time in each round.
    await environment.sink.more(10 + 7 * (n % 4));
    await end(victim);
  }
}

const killed = (scale: Scale, answer?: (arrival: SinkArrival) => number): Promise<Findings> =>
  FaultEnvironment.with({}, async (environment) => {
    if (answer) environment.sink.answer = answer;
    await oneAfterTheOther(environment, scale, (victim) => environment.stack.kill(victim));
    return environment.findings();
  });

const asked = (scale: Scale): Promise<Findings> =>
  FaultEnvironment.with({}, async (environment) => {
    const missed: string[] = [];
    await oneAfterTheOther(environment, scale, async (victim) => {
      const code = await terminated(environment, victim);
      if (code !== 0) missed.push(`a worker ended with ${code}`);
    });
    return environment.findings(missed);
  });

async function terminated(environment: FaultEnvironment, victim: StackProcess): Promise<number | null> {
  const { processes } = environment.stack;
  processes.splice(processes.indexOf(victim), 1);
  const exit = once(victim.child, 'exit');
  victim.child.kill('SIGTERM');
  await exit;
  return victim.child.exitCode;
}

const frozen = (): Promise<Findings> =>
  FaultEnvironment.with({}, async (environment) => {
    environment.begin(80);
    await environment.sink.more(100);
    const victim = environment.workers[0]!;
    victim.child.kill('SIGSTOP');
    const before = environment.sink.arrivals.length;
    await delay(PAST_THE_LEASE_MS);
    const meanwhile = environment.sink.arrivals.length - before;
    victim.child.kill('SIGCONT');
    await environment.sink.more(100);
    const found = await environment.findings(meanwhile > 500 ? [] : ['the other worker did not continue']);
    return { ...found, measured: `${meanwhile} sent by the other worker meanwhile` };
  });

export const WORKERS: Row[] = [
  {
    name: 'worker-killed',
    fault: 'kill -9 a worker under load',
    times: 4,
    bar: (times) => ({ duplicates: IN_FLIGHT * times }),
    run: (scale) => killed(scale),
  },
  {
    name: 'worker-killed-5xx',
    fault: 'kill -9 a worker under load, 20 % 5xx from the sink',
    times: 4,
    bar: (times) => ({ duplicates: IN_FLIGHT * times }),
    run: (scale) => killed(scale, fifthFails),
  },
  {
    name: 'worker-stopped',
    fault: 'SIGTERM a worker under load',
    times: 4,
    bar: () => ({ duplicates: 0, also: 'exit code 0' }),
    run: asked,
  },
  {
    name: 'worker-frozen',
    fault: 'a worker frozen (SIGSTOP) past its lease',
    times: 1,
    bar: () => ({ duplicates: IN_FLIGHT, also: 'the other worker continues' }),
    run: frozen,
  },
];
