import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What one message may cost at most. */
export const WORST_MS = 50;
/** A message that was slow because of a collection, of code not yet compiled or of a busy machine is fast at another time. */
const TRIES = 6;
/** Slow messages that are tried again. */
const MAX_SUSPECTS = 100;

interface Fed {
  kind: string;
  data: Buffer;
  take: (data: Buffer) => void;
}

/** Feeds messages to something, one by one: what threw, how long each took. */
export class FuzzRun {
  readonly thrown: string[] = [];
  private readonly suspects: Fed[] = [];
  private readonly counts = new Map<string, number>();
  private readonly times: number[] = [];

  get messages(): number {
    return this.times.length;
  }

  /** `kind` names the row of the table and the message in a failure. */
  feed(kind: string, data: Buffer, take: (data: Buffer) => void): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    const took = this.once({ kind, data, take });
    this.times.push(took);
    if (took > WORST_MS && this.suspects.length < MAX_SUSPECTS) this.suspects.push({ kind, data, take });
  }

  /** The messages that took too long at their turn and at each of TRIES later times. They are fed again at each call. */
  slow(): string[] {
    let suspects = this.suspects.map((fed) => ({ fed, best: Infinity }));
    for (let tries = 0; tries < TRIES; tries++)
      suspects = suspects
        .map(({ fed, best }) => ({ fed, best: Math.min(best, this.once(fed)) }))
        .filter(({ best }) => best > WORST_MS);
    return suspects.map(({ fed, best }) => `${fed.kind}: ${best.toFixed(0)} ms for ${nameOf(fed.data)}`);
  }

  /** Messages per kind, and what one took in the middle, in the worst percent and at the worst. */
  toString(): string {
    const sorted = this.times.toSorted((a, b) => a - b);
    const at = (share: number): string =>
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(3);
    const rows = [...this.counts].map(([kind, count]) => `  ${String(count).padStart(7)}  ${kind}`);
    return [
      ...rows,
      `  ${String(this.messages).padStart(7)}  messages: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`,
    ].join('\n');
  }

  private once({ kind, data, take }: Fed): number {
    const cpu = process.cpuUsage();
    const start = performance.now();
    try {
      // A parser may decrypt in place, and a message may be fed again.
      take(Buffer.from(data));
    } catch (error) {
      if (this.thrown.length < 10)
        this.thrown.push(`${kind}: ${String((error as Error).stack).slice(0, 600)} for ${nameOf(data)}`);
    }
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    // On a busy machine others have the processor meanwhile; in a process of several threads, others of ours work. The less is nearer.
    return Math.min(wall, (user + system) / 1_000);
  }
}

const nameOf = (data: Buffer): string => `${data.length} bytes ${JSON.stringify(data.toString('latin1', 0, 300))}`;

/** Bytes of the heap that are in use after a full collection. */
export function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
