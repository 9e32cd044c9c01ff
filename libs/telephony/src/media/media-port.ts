/** The two companding laws of G.711; static RTP payload types 0 and 8 (RFC 3551 §6). */
export type Codec = 'PCMU' | 'PCMA';

export const FRAME_MS = 20;

/** 8 kHz, one byte per sample. */
export const FRAME_BYTES = 160;

/** One call's audio as the agent (or the phone) sees it: encoded G.711 frames of 160 bytes in `codec`. */
export interface MediaPort {
  readonly codec: Codec;
  readonly rate: 8000;
  /**
   * Every 20 ms of far-end audio, in order after the reorder window; silence is filled in when packets are missing.
   * A frame may be kept but not written to: silence is one shared buffer.
   */
  onFrame(listener: (frame: Buffer) => void): void;
  /** A key, by RFC 4733 or in the signalling: once per press, as soon as the press is known to be over. */
  onDtmf(listener: (digit: string, durationMs: number) => void): void;
  /**
   * Queues audio of any length in `codec`; consecutive writes join without a seam, and only a queue that runs dry is filled
   * up with silence. The buffer is not copied: leave it alone afterwards. `mark` is called with true when the last frame of
   * this audio has been sent, with false when it was flushed or the session closed. The queue rests while the call is on hold.
   */
  write(audio: Buffer, mark?: (played: boolean) => void): void;
  /**
   * Drops what is queued. playedMs: audio really sent since the first write into an empty queue or the last flush; it keeps
   * its value when the queue has just run dry, so that a late barge-in still learns what was heard.
   */
  flush(): { playedMs: number; droppedMs: number };
  readonly queuedMs: number;
  /** Resolves when the queue is empty and `settleMs` more have been sent as silence. Rejects with MediaClosed when the session closes first. */
  drained(settleMs: number): Promise<void>;
  /** Sends RFC 4733 tones of 100 ms with 300 ms gaps. Rejects with InvalidDigits, DtmfNotNegotiated or MediaClosed. */
  sendDtmf(digits: string): Promise<void>;
}

/** Counters of one session. `lost` is by extended sequence numbers (RFC 3550 §A.3), `jitterMs` the estimate of §6.4.1. */
export interface RtpStats {
  sent: number;
  received: number;
  lost: number;
  reordered: number;
  duplicates: number;
  jitterMs: number;
  /** Frames of ours that were skipped because the process stood still longer than the pacer makes good. */
  lateFrames: number;
}
