import { decodeSample } from '../codecs/g711.js';
import { FRAME_MS, type G711, type LineCodec } from '../session/media-port.js';
import { pcmSamples } from '../codecs/wire-codec.js';

interface VoiceActivityOptions {
  /** Voice for this long is speech; 60 ms. */
  startMs?: number;
  /** Quiet for this long ends it; 400 ms, longer than the pauses between words. */
  stopMs?: number;
  /** Voice, and silence after it, are noticed this much late; 0. */
  startLagMs?: number;
  stopLagMs?: number;
}

/** `atMs` is audio time since the first frame: when the voice began, and when it fell silent. */
export type VoiceEvent =
  { type: 'speech-start'; atMs: number } | { type: 'speech-stop'; atMs: number; spokenMs: number };

/** Voice is this much above the noise floor, less above a steady noise, and never quieter than -50 dBFS. */
const ABOVE_FLOOR_DB = 9;
const ABOVE_STEADY_DB = 4;
const QUIETEST_VOICE_DB = -50;

/** The spread of the noise around its floor: grows with the first uneven frames, shrinks within a second of steady ones. */
const SPREAD_GROWTH = 0.4;
const SPREAD_SHRINKAGE = 0.04;
const SPREADS = 1.5;

/** The bounds of the noise floor: digital silence must not turn a click into speech, and a loud line must not suppress speech. */
const MIN_FLOOR_DB = -70;
const MAX_FLOOR_DB = -30;
/** High at first, so that a noisy line does not begin with speech; on a quiet line it falls within a few frames. */
const FIRST_FLOOR_DB = -50;

/** Falls with the first quiet frames, rises by 6 dB per second: pauses between syllables keep it low during speech. */
const FLOOR_FALL = 0.5;
const FLOOR_RISE_DB = (6 * FRAME_MS) / 1_000;

const SQUARES: Record<G711, Float64Array> = { PCMU: squares('PCMU'), PCMA: squares('PCMA') };

/** Speech out of frames with and without voice, 20 ms each. */
export class SpeechTiming {
  private readonly startMs: number;
  private readonly stopMs: number;
  private readonly startLagMs: number;
  private readonly stopLagMs: number;
  private clockMs = 0;
  private voicedMs = 0;
  private quietMs = 0;
  private startedAt: number | undefined;

  constructor(options: VoiceActivityOptions = {}) {
    this.startMs = options.startMs ?? 60;
    this.stopMs = options.stopMs ?? 400;
    this.startLagMs = options.startLagMs ?? 0;
    this.stopLagMs = options.stopLagMs ?? 0;
  }

  get speaking(): boolean {
    return this.startedAt !== undefined;
  }

  /** Duration of the current speech in milliseconds; 0 during silence. For barge-in policies. */
  get speechMs(): number {
    return this.startedAt === undefined ? 0 : this.clockMs - this.startedAt;
  }

  /** Milliseconds of continuous silence, including short pauses inside speech. */
  get silenceMs(): number {
    return this.quietMs;
  }

  take(isVoice: boolean): VoiceEvent | undefined {
    this.clockMs += FRAME_MS;
    this.quietMs = isVoice ? 0 : (this.quietMs || this.stopLagMs) + FRAME_MS;
    if (this.startedAt !== undefined) return this.quietMs >= this.stopMs ? this.stop(this.startedAt) : undefined;
    // A single quiet frame inside a syllable reduces the count by one and does not reset it.
    this.voicedMs = Math.max(0, this.voicedMs + (isVoice ? FRAME_MS : -FRAME_MS));
    return this.voicedMs >= this.startMs ? this.start() : undefined;
  }

  private start(): VoiceEvent {
    const atMs = Math.max(0, this.clockMs - this.voicedMs - this.startLagMs);
    this.startedAt = atMs;
    this.voicedMs = 0;
    return { type: 'speech-start', atMs };
  }

  private stop(startedAt: number): VoiceEvent {
    const atMs = this.clockMs - this.quietMs;
    this.startedAt = undefined;
    return { type: 'speech-stop', atMs, spokenMs: atMs - startedAt };
  }
}

/**
 * Detects speech by energy: frames of 20 ms in, starts and stops out. Music or a tone counts as speech until the noise floor has
 * risen to it.
 */
export class VoiceActivity extends SpeechTiming {
  private floorDb = FIRST_FLOOR_DB;
  /** Mean distance of quiet frames from the floor. */
  private spreadDb = ABOVE_FLOOR_DB;

  constructor(
    private readonly codec: LineCodec,
    options: VoiceActivityOptions = {},
  ) {
    super(options);
  }

  /** Takes the next 20 ms. */
  push(frame: Buffer): VoiceEvent | undefined {
    return this.take(this.isVoice(frame));
  }

  /** Takes the next 20 ms for the noise floor alone. Returns whether they are voice. */
  isVoice(frame: Buffer): boolean {
    const db = levelDb(this.codec, frame);
    const aboveDb = Math.min(ABOVE_FLOOR_DB, ABOVE_STEADY_DB + SPREADS * this.spreadDb);
    const isVoice = db > Math.max(this.floorDb + aboveDb, QUIETEST_VOICE_DB);
    if (!isVoice) this.spreadDb += this.spreadChange(Math.abs(db - this.floorDb));
    this.floorDb = Math.min(MAX_FLOOR_DB, Math.max(MIN_FLOOR_DB, this.nextFloor(db)));
    return isVoice;
  }

  private spreadChange(distanceDb: number): number {
    const difference = distanceDb - this.spreadDb;
    return difference * (difference > 0 ? SPREAD_GROWTH : SPREAD_SHRINKAGE);
  }

  private nextFloor(db: number): number {
    if (db < this.floorDb) return this.floorDb + (db - this.floorDb) * FLOOR_FALL;
    return Math.min(db, this.floorDb + FLOOR_RISE_DB);
  }
}

/** Level of a frame in dB below full scale; -100 for digital silence. */
export function levelDb(codec: LineCodec, frame: Buffer): number {
  const meanSquare = codec === 'L16' ? meanSquareOf(pcmSamples(frame)) : encodeMeanSquareOf(codec, frame);
  return Math.max(-100, 10 * Math.log10(meanSquare + 1e-10));
}

function encodeMeanSquareOf(codec: G711, frame: Uint8Array): number {
  const table = SQUARES[codec];
  let sum = 0;
  for (let i = 0; i < frame.length; i++) sum += table[frame[i] as number] as number;
  return sum / Math.max(1, frame.length);
}

function meanSquareOf(samples: Int16Array): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += (samples[i] as number) ** 2;
  return sum / (32_768 ** 2 * Math.max(1, samples.length));
}

function squares(codec: G711): Float64Array {
  return Float64Array.from({ length: 256 }, (_, byte) => (decodeSample(codec, byte) / 32_768) ** 2);
}
