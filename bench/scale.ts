import { availableParallelism, cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { rollingRestart } from '../test/faults/rolling-restart.js';
import { cpuOfMachine } from './cpu.js';
import { scaleApi } from './scale-api.js';
import { scaleDialer } from './scale-dialer.js';
import { ScaleGround } from './scale-ground.js';
import { ROUNDS, say, type Measured } from './scale-rounds.js';
import { scaleTable } from './scale-table.js';
import { scaleWorker } from './scale-worker.js';
import { markdown } from './table.js';

type Part = (ground: ScaleGround) => Promise<void>;

const LOOK_MS = 1_000;
/** The share of a core that other processes may use before the results mention it. */
const QUIET_CORES = 0.1;

const tableOf =
  (kind: string, measure: (ground: ScaleGround) => Promise<Measured[]>): Part =>
  async (ground) =>
    console.log(`\n${scaleTable(kind, await measure(ground))}`);

const PARTS: Record<string, Part> = {
  'scale-api': tableOf('api', scaleApi),
  'scale-worker': tableOf('worker', scaleWorker),
  'scale-dialer': tableOf('dialer', scaleDialer),
  'scale-restart': restart,
};

/** Each kind of process by itself. */
export const SCALE_BENCHES = Object.fromEntries(
  Object.entries(PARTS).map(([name, part]) => [name, () => onGround([part])]),
);

/** 1, 2 and 4 processes of each kind, then all of them replaced under load. */
export const run = (): Promise<void> => onGround(Object.values(PARTS));

async function onGround(parts: Part[]): Promise<void> {
  const startedAt = performance.now();
  const others = await othersAtWork();
  const ground = await ScaleGround.open();
  try {
    console.log(`Scale: medians of ${ROUNDS} interleaved rounds; ${machine()}; the queue is in ${ground.queue}`);
    console.log('Clients, callee and receivers run on the same machine, and count among the cores that are busy.');
    if (others > QUIET_CORES) console.log(`Others were using ${others.toFixed(1)} cores before it began.`);
    for (const part of parts) await part(ground);
  } finally {
    await ground.close();
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
async function restart(ground: ScaleGround): Promise<void> {
  const options = { database: await ground.database(), queueUrl: ground.queueUrl };
  const { processes, requests, failed, calls, dropped, findings } = await rollingRestart(options, say);
  const { events, lost, duplicates, outOfOrder, altered, missed } = findings;
  const rows = [
    ['requests', requests, 'failed', failed],
    ['events', events, 'lost', lost],
    ['events', events, 'twice, out of order or altered', duplicates + outOfOrder + altered],
    ['calls', calls, 'dropped', dropped],
  ] as const;
  const head = [`${processes} processes replaced under load`, 'number', 'of which (bar: 0)', ''];
  const body = rows.map((cells) => cells.map(String));
  console.log(`\n${markdown(head, body)}`);
  for (const sentence of missed) console.log(`MISSED: ${sentence}`);
  if (missed.length > 0 || rows.some(([, , , wrong]) => wrong > 0)) process.exitCode = 1;
}
