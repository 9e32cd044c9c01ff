import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isInstalled } from '../test/support/programs.js';
import { prepared } from './api-database.js';
import { load } from './api-load.js';
import { type Peer, startPeer } from './api-peer.js';
import { type Requests, requestsFor } from './api-requests.js';
import { sippCalls, startSipp, stop } from './call-setup.js';
import { floorOf, GATE_ROWS, type GateRowId } from './gate-rows.js';
import {
  AGENT_CALLS,
  AGENT_SECONDS,
  API_MS,
  GateSubject,
  type Measure,
  type Measures,
  residentMb,
} from './gate-subject.js';
import { measure as echoCalls } from './pacing.js';
import { ScaleEnvironment } from './scale-environment.js';
import { say } from './scale-rounds.js';
import { SinkProcess } from './sink-process.js';
import { table } from './table.js';
import { undici } from './webhooks.js';

const ROUNDS = 3;
const PAIRS = 10;
/** V8 has compiled the hot paths of a server after about 30,000 responses. */
const WARM_UP_ROUNDS: Partial<Record<GateRowId, number>> = { one: 4, slice: 5, create: 8, setup: 1, webhooks: 1 };
const CALLS = 20_000;
const IN_FLIGHT = 16;
const BODY = JSON.stringify({ type: 'call.completed', data: { id: 'a'.repeat(36), status: 'completed' } });
const IDLE_MS = 3_000;
/** An interval that excludes a smaller loss than this fails the comparison. */
const MAX_LOSS = 0.05;

const ALL_ROWS = Object.keys(GATE_ROWS) as GateRowId[];

/** What takes turns in one row. */
interface Side {
  readonly measures: Measures;
  close(): Promise<void>;
}

/**
 * Guards the speed that was reached: each row is a ratio to a peer in the same run, in interleaved rounds, and must reach its floor. With
 * `baseline`, the folder of another built checkout, the rows of both builds are compared instead. `rows`: only these, by their ids. Everything starts from the entry points of `npm start`.
 */
export async function run({
  baseline,
  rows = [],
}: { baseline?: string; rows?: readonly string[] } = {}): Promise<void> {
  const ids = rows.length > 0 ? ALL_ROWS.filter((id) => rows.includes(id)) : ALL_ROWS;
  if (ids.length < rows.length) throw new Error(`The rows of the gate are ${ALL_ROWS.join(', ')}.`);
  if (!baseline && !isInstalled('sipp')) throw new Error('The gate needs SIPp: node scripts/setup.mjs --test');
  const startedAt = performance.now();
  const environment = await ScaleEnvironment.open({ durable: false });
  const sides: Side[] = [];
  try {
    const { url } = await environment.emptyDatabase();
    const requests = await requestsFor(await prepared(url, CALLS));
    const ours = await GateSubject.start(fileURLToPath(new URL('..', import.meta.url)), environment, url, requests);
    sides.push(ours);
    if (baseline === undefined) {
      const peers = await startPeers(url, requests);
      sides.push(peers);
      await gate(ids, ours.measures, peers.measures);
    } else {
      const other = await GateSubject.start(resolve(baseline, 'dist'), environment, url, requests);
      sides.push(other);
      await compare(ids, ours.measures, other.measures);
    }
  } finally {
    for (const side of sides) await side.close();
    await environment.close();
  }
  console.log(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

/** The peers of all rows. */
async function startPeers(databaseUrl: string, requests: Requests): Promise<Side> {
  const raw = await startPeer({ name: 'node:http + pg', module: './raw-api.js', databaseUrl });
  const sink = await SinkProcess.start();
  const sender = undici('undici', IN_FLIGHT, sink, BODY);
  const sipp = await startSipp(['-sn', 'uas']);
  const tutorial = async (measure: (peer: Peer) => Promise<number>): Promise<number> => {
    const peer = await startPeer({ name: 'tutorial', module: './tutorial-api.js', databaseUrl });
    try {
      return await measure(peer);
    } finally {
      await peer.stop();
    }
  };
  return {
    measures: {
      one: () => load(raw.port, requests.one, API_MS),
      slice: () => load(raw.port, requests.slice, API_MS),
      create: () => load(raw.port, requests.create, API_MS),
      setup: async () => (await sippCalls(sipp.port)).cpuMsPerCall,
      calls: async () =>
        (await echoCalls('interval', { calls: AGENT_CALLS, seconds: AGENT_SECONDS, threads: 1 })).cpuPercent,
      webhooks: async () => (await sender.round()).rate,
      start: () => tutorial((peer) => peer.cpuMs()),
      memory: () =>
        tutorial(async ({ pid }) => {
          await delay(IDLE_MS);
          return residentMb([pid]);
        }),
    },
    close: async () => {
      await raw.stop();
      await sender.close();
      sink.stop();
      await stop(sipp.child);
    },
  };
}

/** Values of both in turns; the first rounds warm up. */
async function interleaved(id: GateRowId, rounds: number, ours: Measure, other: Measure): Promise<[number, number][]> {
  const pairs: [number, number][] = [];
  for (let round = -(WARM_UP_ROUNDS[id] ?? 0); round < rounds; round += 1) {
    const isFirst = round % 2 === 0;
    const first = isFirst ? await ours() : await other();
    const second = isFirst ? await other() : await ours();
    if (round >= 0) pairs.push(isFirst ? [first, second] : [second, first]);
  }
  return pairs;
}

/** More is better. */
const ratioOf = (id: GateRowId, [ours, other]: [number, number]): number =>
  GATE_ROWS[id].isCost ? other / ours : ours / other;

async function gate(ids: readonly GateRowId[], ours: Measures, peers: Measures): Promise<void> {
  const rows: string[][] = [];
  for (const id of ids) {
    const pairs = await interleaved(id, ROUNDS, ours[id], peers[id]);
    const ratio = median(pairs.map((pair) => ratioOf(id, pair)));
    const passes = ratio >= floorOf(id);
    say(`${GATE_ROWS[id].name}: ${shown(ratio)}`);
    if (!passes) process.exitCode = 1;
    const { name, peer, unit, recorded } = GATE_ROWS[id];
    const values = ([0, 1] as const).map((side) => `${shown(median(pairs.map((pair) => pair[side])))} ${unit}`);
    const [value = '', ofPeer = ''] = values;
    rows.push([name, value, peer, ofPeer, shown(ratio), shown(floorOf(id)), shown(recorded), passes ? '' : 'BELOW']);
  }
  console.log(`Gate: medians of ${ROUNDS} interleaved rounds; ratios to the peer, of costs inverted`);
  table(['', 'Trunkline', 'peer', '', 'ratio', 'floor', 'recorded', ''], rows);
}

/** The median of ten ratios lies between the second and the ninth in 98 % of cases, whatever their distribution is. */
async function compare(ids: readonly GateRowId[], ours: Measures, other: Measures): Promise<void> {
  const rows: string[][] = [];
  for (const id of ids) {
    const pairs = await interleaved(id, PAIRS, ours[id], other[id]);
    const sorted = pairs.map((pair) => ratioOf(id, pair)).toSorted((one, two) => one - two);
    const [low = 0, high = 0] = [sorted[1], sorted.at(-2)];
    const isLoss = high < 1 - MAX_LOSS;
    if (isLoss) process.exitCode = 1;
    say(`${GATE_ROWS[id].name}: ${shown(low)}-${shown(high)}`);
    const result = [shown(median(sorted)), `${shown(low)}-${shown(high)}`, isLoss ? 'LOSS' : ''];
    rows.push([GATE_ROWS[id].name, ...result]);
  }
  console.log(`Gate: this build against the baseline, ${PAIRS} interleaved pairs; ratios, of costs inverted`);
  table(['', 'median', '98 % interval', ''], rows);
}

/** Three significant digits. */
const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, two) => one - two);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
