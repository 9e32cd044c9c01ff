import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { collectorOf } from '../apps/cli/src/supervisor/child-process.js';
import { type BenchDatabase, startDatabaseServer } from './api-database.js';
import { answerOf } from './api-load.js';
import { type Peer, type PeerPlan, startPeer } from './api-peer.js';
import { type Requests, requestsFor } from './api-requests.js';
import { interleaved, type Measured } from './api-rounds.js';
import { table } from './table.js';

const ROWS = Number(process.env.BENCH_ROWS ?? 100_000);
const FEW_ROWS = 100_000;
const OURS = '../apps/api/src/main.js';
/** As `npm start` starts the api. */
const OPTIONS = collectorOf('api');
const NODE_24 = process.env.BENCH_NODE24 ? newerNode() : undefined;

type Operation = 'one' | 'list' | 'slice' | 'create';

const OPERATIONS: [Operation, string][] = [
  ['one', 'GET one'],
  ['list', 'GET list, page 1 with total'],
  ['slice', 'GET list, without total'],
  ['create', 'POST create'],
];
const ASKED = process.env.BENCH_OPERATIONS?.split(',') ?? [...OPERATIONS.map(([operation]) => operation), 'large'];
const BARS: Record<Operation, { node20: number; node24: number }> = {
  one: { node20: 1, node24: 0.8 },
  list: { node20: 1, node24: 0.85 },
  slice: { node20: 0.9, node24: 0.85 },
  create: { node20: 0.88, node24: 0.68 },
};
/** Times the rate of the tutorial way. */
const TUTORIAL_BARS: Record<Operation, number | undefined> = { one: 12, list: 5, slice: undefined, create: 3.5 };
const CPU_BAR = 1.1;
const WATCHED = 'Trunkline, each request traced';
const WATCHED_BAR = 0.6;

/**
 * Compares the built api with bare node:http and pg, and with Nest and TypeORM as tutorials write it: three processes on one
 * PostgreSQL, in interleaved rounds. Then measures the lists of a large account.
 */
export async function run(): Promise<void> {
  const server = await startDatabaseServer();
  const collector = await startCollector();
  const peers: Peer[] = [];
  const start = async (plan: PeerPlan): Promise<Peer> => {
    const peer = await startPeer(plan);
    peers.push(peer);
    return peer;
  };
  try {
    const database = await server.database(ROWS);
    const requests = await requestsFor(database);
    const ours = await start({ name: 'Trunkline', module: OURS, databaseUrl: database.url, execArgv: OPTIONS });
    await compare(database, ours, requests, start, collector);
    if (!ASKED.includes('large')) return;
    const few = ROWS > FEW_ROWS ? await server.database(FEW_ROWS) : undefined;
    const fewPeer = few && (await start({ name: 'few', module: OURS, databaseUrl: few.url, execArgv: OPTIONS }));
    await large(ours, requests, few && fewPeer && { peer: fewPeer, requests: await requestsFor(few) });
    console.log(`  memory of the api process: at most ${(await ours.peakMb()).toFixed(0)} MB (bar: <= 250)`);
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    collector.close();
    await server.stop();
  }
}

/** Receives traces and discards them. */
async function startCollector(): Promise<Server> {
  const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  return collector;
}

/** Compares `ours` with the other servers. */
async function compare(
  { url: databaseUrl }: BenchDatabase,
  ours: Peer,
  requests: Requests,
  start: (plan: PeerPlan) => Promise<Peer>,
  collector: Server,
): Promise<void> {
  const asked = OPERATIONS.filter(([operation]) => ASKED.includes(operation));
  if (asked.length === 0) return;
  const raw = await start({ name: 'node:http + pg', module: './raw-api.js', databaseUrl });
  const tutorial = await start({ name: 'tutorial', module: './tutorial-api.js', databaseUrl });
  const settings = {
    HEALTH_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  };
  const watched = await start({ name: WATCHED, module: OURS, databaseUrl, execArgv: OPTIONS, settings });
  await sameAnswers(ours, raw, requests);
  const peers = [raw, ours, watched, tutorial];
  if (NODE_24) {
    peers.push(await start({ name: 'node:http + pg, Node 24', module: './raw-api.js', databaseUrl, node: NODE_24 }));
    peers.push(
      await start({ name: 'Trunkline, Node 24', module: OURS, databaseUrl, execArgv: OPTIONS, node: NODE_24 }),
    );
  }
  for (const [operation, title] of asked) {
    const contenders = peers.filter((peer) => operation !== 'slice' || peer !== tutorial);
    const measured = await interleaved(
      contenders.map((peer) => ({ name: peer.name, peer, next: requests[operation] })),
    );
    console.log(`${title}, ${ROWS} calls in the database`);
    reportRatios(measured, operation);
  }
}

/** The bare server is a valid limit only when its responses are the same. */
async function sameAnswers(ours: Peer, raw: Peer, requests: Requests): Promise<void> {
  for (const next of [requests.one, requests.list, requests.slice]) {
    const request = next();
    const [one, other] = [await answerOf(ours.port, request), await answerOf(raw.port, request)];
    if (isDeepStrictEqual(one, other)) continue;
    throw new Error(`node:http returns a different response for ${request.path}.`);
  }
}

function reportRatios(measured: Measured[], operation: Operation): void {
  const [raw, ours] = measured as [Measured, Measured];
  const raw24 = measured.find(({ name }) => name === 'node:http + pg, Node 24');
  const { node20, node24 } = BARS[operation];
  table(
    ['', 'answers/s', 'CPU ms', 'ratio', 'bar'],
    measured.map((one) => {
      const cells = [one.name, one.rate.toFixed(0), one.cpuMs.toFixed(3)];
      if (one === ours) {
        const cpuBar = operation === 'one' ? `, CPU ${(one.cpuMs / raw.cpuMs).toFixed(2)} x (<= ${CPU_BAR})` : '';
        return [...cells, ratio(one, raw), `>= ${node20} of node:http${cpuBar}`];
      }
      if (one.name === WATCHED) return [...cells, ratio(one, raw), `>= ${WATCHED_BAR} of node:http`];
      if (one.name === 'tutorial')
        return [...cells, ratio(ours, one), `Trunkline >= ${String(TUTORIAL_BARS[operation])} x`];
      if (one.name === 'Trunkline, Node 24' && raw24) return [...cells, ratio(one, raw24), `>= ${node24} of node:http`];
      return cells;
    }),
  );
}

/** The cost of totals, deep pages and searches for the large account. */
async function large(peer: Peer, requests: Requests, few?: { peer: Peer; requests: Requests }): Promise<void> {
  const [one, list, slice, deep, search, fewList] = (await interleaved([
    { name: 'GET one', peer, next: requests.one },
    { name: 'page 1 with total', peer, next: requests.largeList },
    { name: 'newest without total', peer, next: requests.largeSlice },
    { name: 'by cursor at 95 %', peer, next: requests.deep },
    { name: 'search of 6 digits', peer, next: requests.search },
    ...(few ? [{ name: `page 1 of ${FEW_ROWS} calls`, peer: few.peer, next: few.requests.largeList }] : []),
  ])) as [Measured, Measured, Measured, Measured, Measured, Measured?];
  console.log(`Lists of an account with a fifth of ${ROWS} calls`);
  const row = ({ name, rate }: Measured, ...cells: string[]) => [name, rate.toFixed(0), ...cells];
  table(
    ['', 'answers/s', 'ratio', 'bar'],
    [
      row(one),
      row(slice),
      row(list, ratio(list, slice), '>= 0.8 of the list without'),
      row(deep, ratio(slice, deep), '<= 1.3 x the newest'),
      row(search, ratio(one, search), '<= 20 x GET one'),
      ...(fewList ? [row(fewList, ratio(fewList, list), `page 1 of ${ROWS} <= 1.3 x`)] : []),
    ],
  );
}

const ratio = (one: Measured, other: Measured): string => (one.rate / other.rate).toFixed(2);

/** The path of Node 24 from npm, installed at the first use. */
function newerNode(): string {
  const args = ['--yes', '--package=node@24', '--', 'node', '--print', 'process.execPath'];
  return execFileSync('npx', args, { encoding: 'utf8' }).trim();
}
