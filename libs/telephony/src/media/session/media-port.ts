import type { SrtpKey } from '../rtp/srtp-keys.js';

/** Codecs of SIP calls: static RTP payload types 0, 8 and 9, all with an RTP clock of 8,000 (RFC 3551 §4.5.2, §6). */
export type Codec = 'PCMU' | 'PCMA' | 'G722';

/**
 * Codecs on the wire. `L16`: 16-bit samples at 16 kHz, mono, in network byte order (RFC 3551 §4.5.11), between sockets of this machine. Its
 * RTP clock is 8,000 like that of G.722, so that timestamps mean the same for every codec.
 */
export type WireCodec = Codec | 'L16';

/** The codec carries 16,000 samples per second. */
export const isWideband = (codec: WireCodec | undefined): boolean => codec === 'G722' || codec === 'L16';

/** The two companding laws of G.711: the format of a MediaPort's frames, independent of the codec on the wire. */
export type G711 = Exclude<Codec, 'G722'>;

/** The audio between a line and a provider: G.711 at 8 kHz, or 16-bit little-endian PCM at 16 kHz (`L16`), mono. */
export type LineCodec = G711 | 'L16';

export const FRAME_MS = 20;

/** 8 kHz, one byte per sample. */
export const FRAME_BYTES = 160;

/** Bytes of 20 ms on the wire. */
export const frameBytesOf = (codec: WireCodec): number => (codec === 'L16' ? 4 * FRAME_BYTES : FRAME_BYTES);

/** Bytes per millisecond: 8 of G.711, 32 of L16. */
export const bytesPerMs = (codec: LineCodec): number => (codec === 'L16' ? 32 : 8);

/** How a key arrived: as RFC 4733 events in the audio stream, in the signalling (SIP INFO), or as audible tones. */
export type DtmfTransport = 'rtp' | 'signalling' | 'audible';

/** Who has paused a recording; it goes on when none of them pauses it. `keys`: secret keys are entered. `consent`: the remote party has not agreed. */
export type RecordingPause = 'command' | 'keys' | 'consent';

/**
 * One call's audio for the agent (or the phone): encoded G.711 frames of 160 bytes in `codec`. A wideband line has each frame also as
 * `L16`, and plays both.
 */
export interface MediaPort {
  readonly codec: G711;
  readonly rate: 8000;
  /** The codec on the wire carries 7 kHz; it may change with a new negotiation. */
  readonly wideband: boolean;
  /**
   * The user's audio in frames of 20 ms, in order and without gaps: lost packets are concealed; audible tones of keys and the music of
   * a remote hold become silence. A frame may be kept but not modified: silence is one shared buffer. `wide`: the same 20 ms as L16; absent
   * without wideband audio, also for a concealed frame. Returns a function that removes the listener.
   */
  onFrame(listener: (frame: Buffer, wide?: Buffer) => void): () => void;
  /**
   * A key, by RFC 4733, in the signalling, or as audible tones of a remote party that has no RFC 4733: once per press, at its end.
   * Returns a function that removes the listener.
   */
  onDtmf(listener: (digit: string, durationMs: number, way?: DtmfTransport) => void): () => void;
  /**
   * Queues audio of any length, in the port's codec or as L16 in whole milliseconds; every line plays both. Consecutive writes join without a seam, and only a queue that runs dry is filled up with
   * silence. The buffer is not copied: do not modify it afterwards. `mark` is called with true when the last frame of this audio has
   * been sent, with false when it was flushed or the session closed. The queue pauses while the call is on hold. It holds five minutes:
   * a piece that does not fit is dropped as a whole, and its mark is called with false at once.
   */
  write(audio: Buffer, mark?: (played: boolean) => void, codec?: LineCodec): void;
  /**
   * Sends silence from the next frame on; the queue keeps its audio and still takes more. `false` continues with the next sample, at
   * a rising level. flush() ends the pause.
   */
  pausePlayout(isPaused: boolean): void;
  /**
   * Empties the queue. playedMs: audio really sent since the first write into an empty queue or the last flush; the value stays when
   * the queue has just run dry, for a late barge-in.
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
   * Presses keys for 100 ms with gaps of 300 ms, by RFC 4733 or, when the remote party does not support it, as audible tones; the queue
   * pauses meanwhile. Rejects with InvalidDigits or MediaClosed.
   */
  sendDtmf(digits: string): Promise<void>;
  /**
   * Both channels of the recording are silent from the next frame on, until each that has paused it ends its pause; it keeps its length. A
   * recording that begins later begins silent. `by`: default `command`.
   */
  pauseRecording(isPaused: boolean, by?: RecordingPause): void;
}

/** One call's audio as it is on the wire, for bridging two legs without decoding: G.722 keeps its 7 kHz. */
export interface WirePort {
  /** The codec that is sent; undefined before the audio starts. */
  readonly wireCodec: WireCodec | undefined;
  /**
   * Received payloads of any length: in order after the reorder window, before the frames made of them. Lost packets are concealed for
   * G.711, and missing otherwise. Returns a function that removes the listener.
   */
  onPayload(listener: (payload: Buffer, codec: WireCodec) => void): () => void;
  /** Like onFrame, including music on hold and the tones of keys. */
  onAudio(listener: (frame: Buffer, wide?: Buffer) => void): () => void;
  /**
   * Sends a payload of another leg unchanged when nothing else is queued; drops payloads in another codec than `wireCodec`.
   */
  writePayload(payload: Buffer, codec: WireCodec): void;
  /** Payloads waiting to be sent. */
  readonly payloadsQueuedMs: number;
}

/** A UDP address: an IP literal and a port. */
export interface Address {
  address: string;
  port: number;
}

/** The remote media as described by the SDP. Plain data, for other threads as well. */
export interface RemoteMedia extends Address {
  codec: WireCodec;
  payloadType: number;
  /** The type of telephone-event for sending. */
  dtmfPayloadType?: number;
  /** The type we offered, when the remote party answered with another: it may send either (RFC 3264 §6.1). */
  offeredDtmfPayloadType?: number;
  /**
   * The described address must not be sent to (private, refused): RTP goes to the source of RTP from this IP address, and
   * nowhere before that.
   */
  latchTo?: string;
  /** RTP is accepted from the described address and port only. */
  isExact?: boolean;
  /**
   * The remote party buffers audio and reports what it has played (MediaSession.setPlayed). The first packet after a flush has the marker bit:
   * it drops what it has not played.
   */
  reportsPlayout?: boolean;
  /** False while the remote party has us on hold. */
  sendAudio: boolean;
  /** Absent: plain RTP. `local` encrypts sent audio, `remote` decrypts received audio (RFC 4568 §6.1). */
  srtp?: { local: SrtpKey; remote: SrtpKey };
  /** Where RTCP goes: the address of the RTP itself when both sides multiplex (RFC 5761). Absent: no RTCP. */
  rtcp?: Address;
}
