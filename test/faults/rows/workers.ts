import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { StackProcess } from '../../support/stack.js';
import type { SinkArrival } from '../fault-sink.js';
import { Ground } from '../ground.js';
import type { Findings, Row, Scale } from '../row.js';

/** What one worker has sent and not stored at the worst. */
export const IN_FLIGHT = 16;
/** A lease is 30 s. */
const PAST_THE_LEASE_MS = 34_000;

/** Each fifth webhook fails at its first try, each fifth of those at its second: never so often that it leaves the fast lane. */
export function fifthFails({ id, tries }: SinkArrival): number {
  const unlucky = Number.parseInt(id.slice(-4), 16) % 25;
  return (tries === 1 && unlucky < 5) || (tries === 2 && unlucky === 0) ? 500 : 200;
}

/** The oldest worker goes `times` times, and another one comes, under load. */
async function oneAfterTheOther(
  ground: Ground,
  { times }: Scale,
  end: (one: StackProcess) => Promise<void>,
): Promise<void> {
  ground.begin();
  await ground.sink.more(50);
  for (let n = 0; n < times; n++) {
    const victim = ground.workers[0]!;
    await ground.stack.add('worker');
    // The next one has work in hand, too, and the moment is never the same.
    await ground.sink.more(10 + 7 * (n % 4));
    await end(victim);
  }
}

const killed = (scale: Scale, answer?: (arrival: SinkArrival) => number): Promise<Findings> =>
  Ground.with({}, async (ground) => {
    if (answer) ground.sink.answer = answer;
    await oneAfterTheOther(ground, scale, async (victim) => {
      await ground.stack.kill(victim);
      if (scale.short) await ground.endLeases(victim);
    });
    return ground.findings();
  });

const asked = (scale: Scale): Promise<Findings> =>
  Ground.with({}, async (ground) => {
    const missed: string[] = [];
    await oneAfterTheOther(ground, scale, async (victim) => {
      const code = await terminated(ground, victim);
      if (code !== 0) missed.push(`a worker ended with ${code}`);
    });
    return ground.findings(missed);
  });

async function terminated(ground: Ground, victim: StackProcess): Promise<number | null> {
  const { processes } = ground.stack;
  processes.splice(processes.indexOf(victim), 1);
  const exit = once(victim.child, 'exit');
  victim.child.kill('SIGTERM');
  await exit;
  return victim.child.exitCode;
}

const frozen = (): Promise<Findings> =>
  Ground.with({}, async (ground) => {
    ground.begin(80);
    await ground.sink.more(100);
    const victim = ground.workers[0]!;
    victim.child.kill('SIGSTOP');
    const before = ground.sink.arrivals.length;
    await delay(PAST_THE_LEASE_MS);
    const meanwhile = ground.sink.arrivals.length - before;
    victim.child.kill('SIGCONT');
    await ground.sink.more(100);
    const found = await ground.findings(meanwhile > 500 ? [] : ['the other worker did not carry on']);
    return { ...found, measured: `${meanwhile} sent by the other meanwhile` };
  });

export const WORKERS: Row[] = [
  {
    name: 'worker-killed',
    fault: 'kill -9 a worker under load',
    times: 20,
    bar: (times) => ({ duplicates: IN_FLIGHT * times }),
    run: (scale) => killed(scale),
  },
  {
    name: 'worker-killed-5xx',
    fault: 'kill -9 a worker under load, 20 % 5xx from the sink',
    times: 20,
    bar: (times) => ({ duplicates: IN_FLIGHT * times }),
    run: (scale) => killed(scale, fifthFails),
  },
  {
    name: 'worker-stopped',
    fault: 'SIGTERM a worker under load',
    times: 20,
    bar: () => ({ duplicates: 0, also: 'exit code 0' }),
    run: asked,
  },
  {
    name: 'worker-frozen',
    fault: 'a worker frozen (SIGSTOP) past its lease',
    times: 1,
    bar: () => ({ duplicates: IN_FLIGHT, also: 'the other carries on' }),
    run: frozen,
  },
];
