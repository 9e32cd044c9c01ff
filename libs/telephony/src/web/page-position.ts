import { FRAME_MS } from '../media/session/media-port.js';

/** Between two reports of a page that plays, its position goes on in real time. */
const EXTRAPOLATED_MS = 200;
/** A page that does not advance, this long after the last frame, has nothing left to play. */
const QUIET_MS = 400;

/** How much of the sent audio a page has played, from the positions that it reports. Audio that it dropped does not count in them. */
export class PagePosition {
  private sentMs = 0;
  private droppedMs = 0;
  private playedMs = 0;
  private reportedAt = 0;
  private isAdvancing = false;
  private sentAt = 0;
  private isUnknown = false;

  /** A frame was sent. */
  sent(nowMs: number): void {
    this.sentMs += FRAME_MS;
    this.sentAt = nowMs;
  }

  /** The page drops what it has not played. */
  cleared(nowMs: number): void {
    const sinceMs = this.isAdvancing ? Math.min(nowMs - this.reportedAt, EXTRAPOLATED_MS) : 0;
    this.droppedMs += Math.max(0, this.sentMs - this.droppedMs - this.playedMs - sinceMs);
    this.isAdvancing = false;
  }

  /** Another connection: frames of the last one may be lost, and the page may count anew. */
  reconnected(): void {
    this.isUnknown = true;
  }

  /** The page has played `playedMs` since it was connected. Returns what it has not played. */
  report(playedMs: number, nowMs: number): { unplayedMs: number; isAdvancing: boolean } {
    const isAdvancing = !this.isUnknown && playedMs > this.playedMs;
    const isIdle = !isAdvancing && nowMs - this.sentAt > QUIET_MS;
    if (this.isUnknown || isIdle || playedMs > this.sentMs - this.droppedMs) this.droppedMs = this.sentMs - playedMs;
    this.isUnknown = false;
    this.playedMs = playedMs;
    this.reportedAt = nowMs;
    this.isAdvancing = isAdvancing;
    return { unplayedMs: this.sentMs - this.droppedMs - playedMs, isAdvancing };
  }
}
