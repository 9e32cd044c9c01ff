import type { Clock } from './clock.js';

/** So much silence without a provider, and the callee is asked for a moment: a second of it sounds like a dead line. */
const SILENT_MS = 500;
/** A provider that is there again gets the time that an answer takes. */
const ANSWERING_MS = 800;

/** The time from the loss of a provider until the agent is heard again: what the callee is told, and what is still owed. */
export class Outage {
  private state: 'none' | 'lost' | 'restored' = 'none';
  /** Since when both sides are silent, in this state. */
  private silentSince: number | undefined;
  private hasFailed = false;
  private momentWasSaid = false;
  /** The callee waits for an answer. */
  owesAnswer = false;

  constructor(private readonly clock: Clock) {}

  get lasts(): boolean {
    return this.state !== 'none';
  }

  begin(): void {
    if (this.state === 'none') this.momentWasSaid = false;
    this.hasFailed = false;
    this.enter('lost');
  }

  /** It takes longer than a moment. */
  attemptFailed(): void {
    this.hasFailed = true;
  }

  /** There is a connection again; the agent will be heard when it owes something. */
  restored(): void {
    this.hasFailed = false;
    if (this.owesAnswer) this.enter('restored');
    else this.end();
  }

  end(): void {
    this.state = 'none';
    this.owesAnswer = false;
  }

  /** Whether to ask for a moment now, which is once; `isSilent`: nobody speaks. */
  asksForMoment(isSilent: boolean): boolean {
    if (!this.lasts || this.momentWasSaid) return false;
    if (!isSilent) this.silentSince = undefined;
    else this.silentSince ??= this.clock.now();
    if (this.silentSince === undefined) return false;
    const silentMs = this.clock.now() - this.silentSince;
    this.momentWasSaid = this.hasFailed || silentMs >= (this.state === 'lost' ? SILENT_MS : ANSWERING_MS);
    return this.momentWasSaid;
  }

  private enter(state: 'lost' | 'restored'): void {
    this.state = state;
    this.silentSince = undefined;
  }
}
