import { availableParallelism, cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { rollingRestart } from '../test/faults/rolling-restart.js';
import { cpuOfMachine } from './cpu.js';
import { scaleApi } from './scale-api.js';
import { scaleDialer } from './scale-dialer.js';
import { ScaleEnvironment } from './scale-environment.js';
import { ROUNDS, say, type Measured } from './scale-rounds.js';
import { scaleTable } from './scale-table.js';
import { scaleWorker } from './scale-worker.js';
import { markdown } from './table.js';

type Part = (environment: ScaleEnvironment) => Promise<void>;

const LOOK_MS = 1_000;
/** The share of a core that other processes may use before the results mention it. */
const QUIET_CORES = 0.1;

const tableOf =
  (kind: string, measure: (environment: ScaleEnvironment) => Promise<Measured[]>): Part =>
  async (environment) =>
    console.log(`\n${scaleTable(kind, await measure(environment))}`);

const PARTS: Record<string, Part> = {
  'scale-api': tableOf('api', scaleApi),
  'scale-worker': tableOf('worker', scaleWorker),
  'scale-dialer': tableOf('dialer', scaleDialer),
  'scale-restart': restart,
};

/** Each kind of process by itself. */
export const SCALE_BENCHES = Object.fromEntries(
  Object.entries(PARTS).map(([name, part]) => [name, () => withEnvironment([part])]),
);

/** Measures 1, 2 and 4 processes of each kind, then replaces all processes under load. */
export const run = (): Promise<void> => withEnvironment(Object.values(PARTS));

async function withEnvironment(parts: Part[]): Promise<void> {
  const startedAt = performance.now();
  const others = await othersAtWork();
  const environment = await ScaleEnvironment.open();
  try {
    console.log(`Scale: medians of ${ROUNDS} interleaved rounds; ${machine()}; the queue is in ${environment.queue}`);
    console.log('Clients, callee and receivers run on the same machine; the busy cores include them.');
    if (others > QUIET_CORES) console.log(`Other processes used ${others.toFixed(1)} cores before the start.`);
    for (const part of parts) await part(environment);
  } finally {
    await environment.close();
  }
  say(`${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

const machine = (): string => `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'})`;

async function othersAtWork(): Promise<number> {
  const before = await cpuOfMachine();
  await delay(LOOK_MS);
  return ((await cpuOfMachine()) - before) / LOOK_MS;
}

/** Bars: nothing fails, is lost or dropped. */
async function restart(environment: ScaleEnvironment): Promise<void> {
  const options = { database: await environment.database(), queueUrl: environment.queueUrl };
  const { processes, requests, failed, calls, dropped, findings } = await rollingRestart(options, say);
  const { events, lost, duplicates, outOfOrder, altered, missed } = findings;
  const rows = [
    ['requests', requests, 'failed', failed],
    ['events', events, 'lost', lost],
    ['events', events, 'duplicate, out of order or altered', duplicates + outOfOrder + altered],
    ['calls', calls, 'dropped', dropped],
  ] as const;
  const head = [`${processes} processes replaced under load`, 'number', 'of which (bar: 0)', ''];
  const body = rows.map((cells) => cells.map(String));
  console.log(`\n${markdown(head, body)}`);
  for (const sentence of missed) console.log(`MISSED: ${sentence}`);
  if (missed.length > 0 || rows.some(([, , , wrong]) => wrong > 0)) process.exitCode = 1;
}
