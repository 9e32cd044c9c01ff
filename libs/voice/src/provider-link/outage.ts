import type { Clock } from '../clock.js';

/** Silence without a provider after which the user is asked to wait: a second of silence sounds like a dead line. */
const SILENT_MS = 500;
/** The same after the reconnection: a normal answer takes this long. */
const ANSWERING_MS = 800;

/** The time from the loss of a provider until the next audio of the agent. */
export class Outage {
  private state: 'none' | 'lost' | 'restored' = 'none';
  /** Since when both sides are silent, in this state. */
  private silentSince: number | undefined;
  private hasFailed = false;
  private hasAskedToWait = false;
  private isOwed = false;

  constructor(private readonly clock: Clock) {}

  get isLasting(): boolean {
    return this.state !== 'none';
  }

  /** The user waits for an answer, which the next connection must give. */
  get isAnswerOwed(): boolean {
    return this.isOwed;
  }

  oweAnswer(): void {
    this.isOwed = true;
  }

  begin(): void {
    if (this.state === 'none') this.hasAskedToWait = false;
    this.hasFailed = false;
    this.enter('lost');
  }

  /** The first reconnection failed, so the outage takes longer. */
  attemptFailed(): void {
    this.hasFailed = true;
  }

  /** Connected again; the outage lasts until an owed answer is heard. */
  restored(): void {
    this.hasFailed = false;
    if (this.isOwed) this.enter('restored');
    else this.end();
  }

  end(): void {
    this.state = 'none';
    this.isOwed = false;
  }

  /** Whether to ask the user to wait now, once per outage. `isSilent`: neither side speaks. */
  shouldAskToWait(isSilent: boolean): boolean {
    if (!this.isLasting || this.hasAskedToWait) return false;
    if (!isSilent) this.silentSince = undefined;
    else this.silentSince ??= this.clock.now();
    if (this.silentSince === undefined) return false;
    const silentMs = this.clock.now() - this.silentSince;
    this.hasAskedToWait = this.hasFailed || silentMs >= (this.state === 'lost' ? SILENT_MS : ANSWERING_MS);
    return this.hasAskedToWait;
  }

  private enter(state: 'lost' | 'restored'): void {
    this.state = state;
    this.silentSince = undefined;
  }
}
