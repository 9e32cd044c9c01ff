import { FRAME_MS } from './media-port.js';

type Mark = (played: boolean) => void;

interface PendingMark {
  /** Frames that were sent with and before its audio. */
  frames: number;
  sentAt: number;
  mark: Mark;
}

/** Frames that are remembered: 10 s. A remote party buffers less. */
const REMEMBERED = 512;
/** Between two reports the play-out goes on in real time, for at most this long. */
const EXTRAPOLATED_MS = 200;
/** Without a report for this long, sent audio counts as played. */
const TRUSTED_MS = 2_000;

/**
 * What a remote party that reports its play-out has really played: it buffers audio after it was sent. Before its first report, sent audio
 * counts as played.
 */
export class RemotePlayout {
  private sentFrames = 0;
  /** Milliseconds of the port's audio in each of the last frames. */
  private readonly audio = new Uint8Array(REMEMBERED);
  private marks: PendingMark[] = [];
  /** The position, in milliseconds of sent frames, at `reportedAt`. NaN before the first report. */
  private position = NaN;
  private reportedAt = 0;
  private isAdvancing = false;

  /** A frame has been sent; `audioMs` of it are audio of the port. */
  frameSent(audioMs: number): void {
    this.audio[this.sentFrames % REMEMBERED] = audioMs;
    this.sentFrames++;
  }

  /** The remote party has not played the last `unplayedMs` of what was sent. `isAdvancing`: it plays at the moment. */
  report(unplayedMs: number, isAdvancing: boolean, nowMs: number): void {
    this.position = Math.max(0, this.sentMs - unplayedMs);
    this.reportedAt = nowMs;
    this.isAdvancing = isAdvancing;
  }

  /** The audio before the mark has been sent: calls it now, or when it is played. */
  reached(mark: Mark, nowMs: number): void {
    if (Number.isNaN(this.position)) mark(true);
    else this.marks.push({ frames: this.sentFrames, sentAt: nowMs, mark });
  }

  /** Calls the marks of played audio. */
  run(nowMs: number): void {
    const [first] = this.marks;
    if (!first) return;
    const playedMs = this.playedMs(nowMs);
    while (this.marks[0] && (this.marks[0].frames * FRAME_MS <= playedMs || nowMs - this.marks[0].sentAt > TRUSTED_MS))
      this.marks.shift()!.mark(true);
  }

  /** Audio of the port that was sent and not played, in whole milliseconds. */
  unplayedMs(nowMs: number): number {
    let left = this.sentMs - this.playedMs(nowMs);
    let audioMs = 0;
    for (let frame = this.sentFrames - 1; left > 0 && frame >= 0 && frame >= this.sentFrames - REMEMBERED; frame--) {
      audioMs += Math.min(left, this.audio[frame % REMEMBERED] as number);
      left -= FRAME_MS;
    }
    return Math.round(audioMs);
  }

  /** The remote party drops what it has not played; returns that audio in milliseconds. Its marks are called with false. */
  flush(nowMs: number): number {
    this.run(nowMs);
    const droppedMs = this.unplayedMs(nowMs);
    this.audio.fill(0);
    if (!Number.isNaN(this.position)) this.report(0, false, nowMs);
    for (const { mark } of this.marks.splice(0)) mark(false);
    return droppedMs;
  }

  private get sentMs(): number {
    return this.sentFrames * FRAME_MS;
  }

  private playedMs(nowMs: number): number {
    const sinceMs = nowMs - this.reportedAt;
    if (Number.isNaN(this.position) || sinceMs > TRUSTED_MS) return this.sentMs;
    return Math.min(this.sentMs, this.position + (this.isAdvancing ? Math.min(sinceMs, EXTRAPOLATED_MS) : 0));
  }
}
