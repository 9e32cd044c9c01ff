import { type LoadRequest, load } from './api-load.js';
import type { Peer } from './api-peer.js';

/** One measurement: a request and the server that receives it. */
export interface Contender {
  name: string;
  peer: Peer;
  next: () => LoadRequest;
}

export interface Measured {
  name: string;
  /** Responses per second, median of the rounds. */
  rate: number;
  /** CPU of the server process per response. */
  cpuMs: number;
}

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROUND_MS = 2_500;
/** Warm-up, not counted: connections, database pages, and V8, which has compiled everything after about 30,000 responses. */
const WARM_UP_ROUNDS = 4;

/** Runs all servers in interleaved rounds, so that other load on the machine affects all of them. */
export async function interleaved(contenders: Contender[]): Promise<Measured[]> {
  const rounds = contenders.map(() => [] as { rate: number; cpuMs: number }[]);
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [index, { peer, next }] of contenders.entries()) {
      const before = await peer.cpuMs();
      const rate = await load(peer.port, next, ROUND_MS);
      const cpuMs = ((await peer.cpuMs()) - before) / (rate * (ROUND_MS / 1_000));
      if (round >= 0) rounds[index]?.push({ rate, cpuMs });
    }
  }
  return contenders.map(({ name }, index) => ({
    name,
    rate: median(rounds[index]?.map(({ rate }) => rate) ?? []),
    cpuMs: median(rounds[index]?.map(({ cpuMs }) => cpuMs) ?? []),
  }));
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
