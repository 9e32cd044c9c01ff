import { z } from 'zod';

const ms = z.int().min(0).max(3_600_000);
const count = z.int().min(1).max(1_000);

/** When a fault happens: once per connection, as soon as all of these conditions hold. */
const moment = {
  /** Milliseconds after the connection was opened. */
  after_ms: ms.optional(),
  /** After this many responses. */
  after_response: count.optional(),
  /** During this response of the connection; 1 is the first. */
  in_response: count.optional(),
  /** When this much audio of the response was sent. */
  after_audio_ms: ms.optional(),
  /** Only on this many connections, from the first; absent: on all. */
  connections: count.optional(),
};

/** A failure that the server produces on purpose. */
const faultSchema = z
  .discriminatedUnion('do', [
    z.strictObject({ do: z.literal('disconnect'), ...moment }),
    z.strictObject({ do: z.literal('error'), ...moment }),
    z.strictObject({ do: z.literal('garbage'), ...moment }),
    z.strictObject({ do: z.literal('expire'), ...moment }),
    z.strictObject({ do: z.literal('rate_limit'), ...moment }),
    /** The server sends nothing any more; the connection stays open. */
    z.strictObject({ do: z.literal('stall'), ...moment }),
    /** Deltas that were in transit when a response was cancelled arrive after its end. */
    z.strictObject({ do: z.literal('late_deltas'), connections: count.optional() }),
    z.strictObject({
      do: z.literal('slow_audio'),
      delay_ms: ms,
      in_response: count.optional(),
      connections: count.optional(),
    }),
    z.strictObject({
      do: z.literal('refuse'),
      status: z.union([z.literal(401), z.literal(429), z.literal(500), z.literal(503)]).default(503),
      connections: count.optional(),
    }),
  ])
  .refine((fault) => !('do' in fault && needsMoment(fault)), {
    message: 'say when: after_ms, after_response, in_response or after_audio_ms',
  });

const MOMENTS = ['after_ms', 'after_response', 'in_response', 'after_audio_ms'];
const ALWAYS = new Set(['late_deltas', 'slow_audio', 'refuse']);

const needsMoment = (fault: { do: string }): boolean => !ALWAYS.has(fault.do) && !MOMENTS.some((name) => name in fault);

export type Fault = z.infer<typeof faultSchema>;
export type TimedFault = Exclude<Fault, { do: 'late_deltas' | 'slow_audio' | 'refuse' }>;

export const faultsSchema = z.array(faultSchema).max(50);

/** The faults of one connection, and its progress. */
export class ConnectionFaults {
  private readonly faults: Fault[];
  private readonly pending: Set<TimedFault>;
  private readonly timers: NodeJS.Timeout[] = [];
  private openedAt = 0;
  private started = 0;
  private done = 0;
  private current = 0;
  private audioMs = 0;

  /** `connection`: 1 is the first one with these faults. */
  constructor(
    faults: readonly Fault[],
    connection: number,
    private readonly act: (fault: TimedFault) => void,
  ) {
    this.faults = faults.filter(({ connections }) => connections === undefined || connection <= connections);
    this.pending = new Set(this.faults.filter(isTimed));
  }

  begin(): void {
    this.openedAt = performance.now();
    for (const { after_ms: afterMs } of this.pending) {
      if (afterMs !== undefined) this.timers.push(setTimeout(() => this.check(), afterMs));
    }
  }

  /** @returns the number of the response. */
  responseStarts(): number {
    this.audioMs = 0;
    this.current = ++this.started;
    this.check();
    return this.current;
  }

  audioSent(totalMs: number): void {
    this.audioMs = totalMs;
    this.check();
  }

  responseDone(): void {
    this.done++;
    this.current = 0;
    this.check();
  }

  get sendsLateDeltas(): boolean {
    return this.faults.some((fault) => fault.do === 'late_deltas');
  }

  /** The delay of the first audio of the current response. */
  get audioDelayMs(): number {
    const slow = this.faults.find(
      (fault) => fault.do === 'slow_audio' && (fault.in_response ?? this.current) === this.current,
    );
    return slow?.do === 'slow_audio' ? slow.delay_ms : 0;
  }

  close(): void {
    this.pending.clear();
    this.timers.forEach((timer) => clearTimeout(timer));
  }

  private check(): void {
    for (const fault of this.pending) {
      if (!this.isDue(fault)) continue;
      this.pending.delete(fault);
      this.act(fault);
    }
  }

  private isDue(fault: TimedFault): boolean {
    const {
      after_ms: afterMs,
      after_response: afterResponse,
      in_response: inResponse,
      after_audio_ms: audioMs,
    } = fault;
    // A timer may fire a fraction of a millisecond early.
    if (afterMs !== undefined && performance.now() - this.openedAt < afterMs - 1) return false;
    if (afterResponse !== undefined && this.done < afterResponse) return false;
    if (inResponse !== undefined && this.current !== inResponse) return false;
    return audioMs === undefined || (this.current > 0 && this.audioMs >= audioMs);
  }
}

const isTimed = (fault: Fault): fault is TimedFault =>
  fault.do !== 'late_deltas' && fault.do !== 'slow_audio' && fault.do !== 'refuse';
