import type { Clock } from './clock.js';

/** Without a word for this long, the callee is asked for a moment: well within the second in which silence sounds like a dead line. */
const SILENT_MS = 500;

/** The time from the loss of a provider until the agent is heard again: what the callee is told, and what is still owed. */
export class Outage {
  private state: 'none' | 'lost' | 'restored' = 'none';
  private momentIsDue = false;
  private momentWasSaid = false;
  private cancelTimer = (): void => undefined;
  /** The callee waits for an answer. */
  owesAnswer = false;

  constructor(private readonly clock: Clock) {}

  get lasts(): boolean {
    return this.state !== 'none';
  }

  begin(): void {
    if (this.state === 'none') {
      this.momentIsDue = false;
      this.momentWasSaid = false;
      this.cancelTimer = this.clock.after(SILENT_MS, () => (this.momentIsDue = true));
    }
    this.state = 'lost';
  }

  /** It takes longer than a moment. */
  attemptFailed(): void {
    this.momentIsDue = true;
  }

  /** There is a connection again; the agent will be heard when it owes something. */
  restored(): void {
    this.state = 'restored';
    if (!this.owesAnswer) this.end();
  }

  end(): void {
    this.cancelTimer();
    this.state = 'none';
    this.owesAnswer = false;
  }

  /** Whether to ask for a moment now, which is once; `isQuiet`: both sides are. */
  asksForMoment(isQuiet: boolean): boolean {
    if (!isQuiet || !this.lasts || !this.momentIsDue || this.momentWasSaid) return false;
    this.momentWasSaid = true;
    return true;
  }
}
