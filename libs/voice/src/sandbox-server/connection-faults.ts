import type { Fault, TimedFault } from './fault.js';

/** The faults of one connection, and how far it is. */
export class ConnectionFaults {
  private readonly faults: Fault[];
  private readonly pending: Set<TimedFault>;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly openedAt = performance.now();
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
    for (const { after_ms: afterMs } of this.pending) {
      if (afterMs !== undefined) this.timers.push(setTimeout(() => this.check(), afterMs));
    }
  }

  /** The number of the response that begins. */
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

  /** How long the first audio of the response that is made waits. */
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
    // A timer may come a fraction of a millisecond early.
    if (afterMs !== undefined && performance.now() - this.openedAt < afterMs - 1) return false;
    if (afterResponse !== undefined && this.done < afterResponse) return false;
    if (inResponse !== undefined && this.current !== inResponse) return false;
    return audioMs === undefined || (this.current > 0 && this.audioMs >= audioMs);
  }
}

const isTimed = (fault: Fault): fault is TimedFault =>
  fault.do !== 'late_deltas' && fault.do !== 'slow_audio' && fault.do !== 'refuse';
