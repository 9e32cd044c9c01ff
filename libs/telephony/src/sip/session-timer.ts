import type { SessionTerms } from './session-expires.js';

/** What became of a sign of life: `lost` means that the far end knows the session no more, or is not there. */
export type Refreshed = 'refreshed' | 'failed' | 'lost';

/** The side that waits hangs up so long before the end (RFC 4028 §10). */
function marginMs(intervalMs: number): number {
  return Math.min(32_000, intervalMs / 3);
}

/** The clock of one session (RFC 4028): sends signs of life at half time when they are ours to send, and tells when they stop. */
export class SessionTimer {
  private refreshing?: NodeJS.Timeout;
  private expiry?: NodeJS.Timeout;
  /** What was agreed on last. */
  terms?: SessionTerms;
  /** The longest Min-SE that this session was asked for; each request of ours repeats it (RFC 4028 §7.1). Seconds. */
  minSeS = 0;

  constructor(
    private readonly refresh: (intervalS: number) => Promise<Refreshed>,
    private readonly expired: () => void,
  ) {}

  /** Begins anew, after each 2xx to INVITE or UPDATE. Without terms there is no timer any more (§7.2). */
  start(terms: SessionTerms | undefined): void {
    this.stop();
    this.terms = terms;
    if (!terms) return;
    const intervalMs = terms.intervalS * 1_000;
    const lastsMs = terms.weRefresh ? intervalMs : intervalMs - marginMs(intervalMs);
    this.expiry = setTimeout(() => this.end(), lastsMs);
    if (terms.weRefresh) this.refreshAfter(intervalMs / 2, terms.intervalS);
  }

  stop(): void {
    clearTimeout(this.refreshing);
    clearTimeout(this.expiry);
    this.refreshing = undefined;
  }

  /** A refusal may pass (491, 500): it is tried again, each time in half of the time, and the expiry bounds it. */
  private refreshAfter(ms: number, intervalS: number): void {
    const timer = setTimeout(() => void this.refreshNow(timer, ms, intervalS), ms);
    this.refreshing = timer;
  }

  private async refreshNow(timer: NodeJS.Timeout, ms: number, intervalS: number): Promise<void> {
    const outcome = await this.refresh(intervalS);
    // Stopped or started anew meanwhile.
    if (this.refreshing !== timer) return;
    if (outcome === 'failed') this.refreshAfter(Math.max(ms / 2, 250), intervalS);
    else if (outcome === 'lost') this.end();
  }

  private end(): void {
    this.stop();
    this.expired();
  }
}
