/** Codecs on the wire: static RTP payload types 0, 8 and 9, all with an RTP clock of 8,000 (RFC 3551 §4.5.2, §6). */
export type Codec = 'PCMU' | 'PCMA' | 'G722';

/** The two companding laws of G.711: what the frames of a MediaPort are in, whatever the wire speaks. */
export type G711 = Exclude<Codec, 'G722'>;

export const FRAME_MS = 20;

/** 8 kHz, one byte per sample. */
export const FRAME_BYTES = 160;

/** How a key arrived: as RFC 4733 events in the audio stream, in the signalling (SIP INFO), or as audible tones. */
export type DtmfTransport = 'rtp' | 'signalling' | 'audible';

/** One call's audio as the agent (or the phone) sees it: encoded G.711 frames of 160 bytes in `codec`. */
export interface MediaPort {
  readonly codec: G711;
  readonly rate: 8000;
  /**
   * The user's audio in frames of 20 ms, in order and without gaps: lost packets are concealed; audible tones of keys, and what
   * comes while the far end has us on hold (its music), are silence. A frame may be kept but not written to: silence is one shared
   * buffer. Returns how to stop listening.
   */
  onFrame(listener: (frame: Buffer) => void): () => void;
  /**
   * A key, by RFC 4733, in the signalling, or as audible tones of a far end that has no RFC 4733: once per press, as soon as the press is
   * known to be over. Returns how to stop listening.
   */
  onDtmf(listener: (digit: string, durationMs: number, way?: DtmfTransport) => void): () => void;
  /**
   * Queues audio of any length in `codec`; consecutive writes join without a seam, and only a queue that runs dry is filled
   * up with silence. The buffer is not copied: do not modify it afterwards. `mark` is called with true when the last frame of
   * this audio has been sent, with false when it was flushed or the session closed. The queue rests while the call is on hold. It holds
   * five minutes: a piece that does not fit any more is left out as a whole, and its mark is called with false at once.
   */
  write(audio: Buffer, mark?: (played: boolean) => void): void;
  /**
   * Empties the queue. playedMs: audio really sent since the first write into an empty queue or the last flush; it keeps
   * its value when the queue has just run dry, so that a late barge-in still gets the played time.
   */
  flush(): { playedMs: number; droppedMs: number };
  readonly queuedMs: number;
  /** Attenuates later audio by whole dB; 0 restores the original level. Audio of other legs is unaffected. */
  attenuate(db: number): void;
  /**
   * Resolves when the queue is empty and `settleMs` more have been sent as silence. Rejects with MediaClosed when the session closes first.
   */
  drained(settleMs: number): Promise<void>;
  /**
   * Presses keys for 100 ms with gaps of 300 ms, by RFC 4733 or, when the far end does not support it, as audible tones; the queue rests
   * meanwhile. Rejects with InvalidDigits or MediaClosed.
   */
  sendDtmf(digits: string): Promise<void>;
}

/** One call's audio as it is on the wire, for joining two legs without decoding: G.722 keeps its 7 kHz. */
export interface WirePort {
  /** What the far end is sent now; undefined before the audio starts. */
  readonly wireCodec: Codec | undefined;
  /**
   * What the far end sends, as it comes: in order after the reorder window, of any length, before the frames that it makes. A lost packet
   * is concealed where the wire has G.711, and missing otherwise. Returns how to stop listening.
   */
  onPayload(listener: (payload: Buffer, codec: Codec) => void): () => void;
  /** As onFrame, with everything in it: music on hold and the tones of keys, too. */
  onAudio(listener: (frame: Buffer) => void): () => void;
  /**
   * Sends the far end a payload of another leg as it is, when nothing else is queued; one in another codec than `wireCodec` is left out.
   */
  writePayload(payload: Buffer, codec: Codec): void;
  /** Payloads waiting to be sent. */
  readonly payloadsQueuedMs: number;
}
