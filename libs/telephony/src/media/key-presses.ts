/** The two messages of one press are this close together; a finger that presses the same key again sends two of each. */
const SAME_PRESS_MS = 1_000;

/** More keys than a finger presses in that time. */
const MAX_SINGLE = 32;

/** How a key came: as RFC 4733 events in the audio stream, in the signalling (SIP INFO), or as tones that are heard. */
export type KeyWay = 'rtp' | 'signalling' | 'audible';

/** The keys of a call in one stream. Phones set to "RFC 2833 + SIP INFO" send every key both ways, and it was pressed once. */
export class KeyPresses {
  /** Reported, and not yet seen the other way. */
  private single: { digit: string; way: KeyWay; atMs: number }[] = [];

  constructor(private readonly report: (digit: string, durationMs: number, way: KeyWay) => void) {}

  press(way: KeyWay, digit: string, durationMs: number, nowMs: number): void {
    this.single = this.single.filter((one) => nowMs - one.atMs < SAME_PRESS_MS);
    const twin = this.single.findIndex((one) => one.digit === digit && one.way !== way);
    if (twin >= 0) {
      this.single.splice(twin, 1);
      return;
    }
    if (this.single.length >= MAX_SINGLE) this.single.shift();
    this.single.push({ digit, way, atMs: nowMs });
    this.report(digit, durationMs, way);
  }
}
