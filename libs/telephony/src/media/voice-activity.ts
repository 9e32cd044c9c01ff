import { decodeSample } from './g711.js';
import { FRAME_MS, type G711, type LineCodec } from './media-port.js';
import { pcmSamples } from './wire-codec.js';

interface VoiceActivityOptions {
  /** Voice for this long is speech; 60 ms. */
  startMs?: number;
  /** Quiet for this long ends it; 400 ms, longer than the pauses between words. */
  stopMs?: number;
}

/** `atMs` is audio time since the first frame: when the voice began, and when it fell silent. */
export type VoiceEvent =
  { type: 'speech-start'; atMs: number } | { type: 'speech-stop'; atMs: number; spokenMs: number };

/** Voice is this much above the noise floor, and never quieter than -50 dBFS. */
const ABOVE_FLOOR_DB = 9;
const QUIETEST_VOICE_DB = -50;

/** The bounds of the noise floor: digital silence must not turn a click into speech, and a loud line must not suppress speech. */
const LOWEST_FLOOR_DB = -70;
const HIGHEST_FLOOR_DB = -30;
/** High at first, so that a noisy line does not begin with speech; on a quiet line it falls within a few frames. */
const FIRST_FLOOR_DB = -50;

/** Falls with the first quiet frames, rises by 6 dB per second: pauses between syllables keep it low during speech. */
const FLOOR_FALL = 0.5;
const FLOOR_RISE_DB = (6 * FRAME_MS) / 1_000;

const SQUARES: Record<G711, Float64Array> = { PCMU: squares('PCMU'), PCMA: squares('PCMA') };

/**
 * Detects speech by energy: frames of 20 ms in, starts and stops out. Music or a tone counts as speech until the noise floor has
 * risen to it.
 */
export class VoiceActivity {
  private readonly startMs: number;
  private readonly stopMs: number;
  private floorDb = FIRST_FLOOR_DB;
  private clockMs = 0;
  private voicedMs = 0;
  private quietMs = 0;
  private startedAt: number | undefined;

  constructor(
    private readonly codec: LineCodec,
    options: VoiceActivityOptions = {},
  ) {
    this.startMs = options.startMs ?? 60;
    this.stopMs = options.stopMs ?? 400;
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

  /** Takes the next 20 ms. */
  push(frame: Buffer): VoiceEvent | undefined {
    const isVoice = this.isVoice(levelDb(this.codec, frame));
    this.clockMs += FRAME_MS;
    this.quietMs = isVoice ? 0 : this.quietMs + FRAME_MS;
    if (this.startedAt !== undefined) return this.quietMs >= this.stopMs ? this.stop(this.startedAt) : undefined;
    // A single quiet frame inside a syllable reduces the count by one and does not reset it.
    this.voicedMs = Math.max(0, this.voicedMs + (isVoice ? FRAME_MS : -FRAME_MS));
    return this.voicedMs >= this.startMs ? this.start() : undefined;
  }

  private start(): VoiceEvent {
    const atMs = this.clockMs - this.voicedMs;
    this.startedAt = atMs;
    this.voicedMs = 0;
    return { type: 'speech-start', atMs };
  }

  private stop(startedAt: number): VoiceEvent {
    const atMs = this.clockMs - this.quietMs;
    this.startedAt = undefined;
    return { type: 'speech-stop', atMs, spokenMs: atMs - startedAt };
  }

  private isVoice(db: number): boolean {
    const isVoice = db > Math.max(this.floorDb + ABOVE_FLOOR_DB, QUIETEST_VOICE_DB);
    this.floorDb = Math.min(HIGHEST_FLOOR_DB, Math.max(LOWEST_FLOOR_DB, this.nextFloor(db)));
    return isVoice;
  }

  private nextFloor(db: number): number {
    if (db < this.floorDb) return this.floorDb + (db - this.floorDb) * FLOOR_FALL;
    return Math.min(db, this.floorDb + FLOOR_RISE_DB);
  }
}

/** Level of a frame in dB below full scale; -100 for digital silence. */
export function levelDb(codec: LineCodec, frame: Buffer): number {
  const meanSquare = codec === 'L16' ? meanSquareOf(pcmSamples(frame)) : encodedMeanSquareOf(codec, frame);
  return Math.max(-100, 10 * Math.log10(meanSquare + 1e-10));
}

function encodedMeanSquareOf(codec: G711, frame: Uint8Array): number {
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
