import { encode, FRAME_MS, type G711, type MediaPort } from '@app/telephony';
import type { SessionSettings } from '../session-options.js';

type ToolSoundKind = Exclude<NonNullable<SessionSettings['toolSound']>, 'off'>;

const RATE = 8_000;
const FRAME_SAMPLES = (RATE * FRAME_MS) / 1_000;
/** Little more than a frame is queued: the sound ends with the first word. */
const QUEUED_MS = 2 * FRAME_MS;

/** The sound of an agent that has one. A text conversation has none. */
export function toolSound({ toolSound: kind, modality }: SessionSettings, media: MediaPort): ToolSound | undefined {
  return kind && kind !== 'off' && modality !== 'text' ? new ToolSound(media, kind) : undefined;
}

/** Plays a quiet sound while the user waits for a tool, beside the transcript: it is not speech of the agent. */
export class ToolSound {
  private at: number | undefined;

  constructor(
    private readonly media: MediaPort,
    private readonly kind: ToolSoundKind,
  ) {}

  get isPlaying(): boolean {
    return this.at !== undefined;
  }

  /** To be called every 20 ms. */
  tick(isWanted: boolean): void {
    if (!isWanted) return this.stop();
    const loop = loopOf(this.kind, this.media.codec);
    this.at ??= 0;
    // A closed port takes nothing.
    for (let n = 0; n < 2 && this.media.queuedMs < QUEUED_MS; n++) {
      this.media.write(loop.subarray(this.at, this.at + FRAME_SAMPLES));
      this.at = (this.at + FRAME_SAMPLES) % loop.length;
    }
  }

  /** Drops the rest, also before the agent's audio is queued. */
  stop(): void {
    if (this.at === undefined) return;
    this.at = undefined;
    this.media.flush();
  }
}

/** Shared by all calls of a thread. */
const loops = new Map<string, Buffer>();

function loopOf(kind: ToolSoundKind, codec: G711): Buffer {
  const key = `${kind} ${codec}`;
  const loop = loops.get(key) ?? encode(codec, kind === 'typing' ? typing() : music());
  loops.set(key, loop);
  return loop;
}

/** Times the level of the tool sound: the caller hears nothing else. */
const HOLD_GAIN = 3;

/** Music for a waiting caller, to be repeated: 6.4 s. */
export function holdMusic(codec: G711): Buffer {
  const key = `hold ${codec}`;
  const loop =
    loops.get(key) ??
    encode(
      codec,
      music().map((sample) => sample * HOLD_GAIN),
    );
  loops.set(key, loop);
  return loop;
}

/** Repeatable noise between -1 and 1 (a linear congruential generator). */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** -26 dBFS at its peaks. */
const KEY_LEVEL = 1_600;
const KEY_MS = 18;

/** Keys of uneven rhythm with pauses between words: 6.4 s. */
function typing(): Int16Array {
  const pcm = new Int16Array(6.4 * RATE);
  const random = noise(7);
  const between = (from: number, to: number): number => from + ((random() + 1) / 2) * (to - from);
  let sinceWord = 0;
  for (let ms = 120; ms < 6_200;) {
    key(pcm, ms * 8, between(0.5, 1) * KEY_LEVEL, random);
    sinceWord++;
    const isWordEnd = sinceWord >= between(4, 9);
    if (isWordEnd) sinceWord = 0;
    ms += Math.round(isWordEnd ? between(280, 620) : between(90, 190));
  }
  return pcm;
}

/** A click that decays within some milliseconds. */
function key(pcm: Int16Array, at: number, level: number, random: () => number): void {
  let last = 0;
  for (let i = 0; i < KEY_MS * 8 && at + i < pcm.length; i++) {
    // Low-passed noise: a plain click sounds like an error of the line.
    last += 0.45 * (random() - last);
    pcm[at + i] = Math.round(level * 2 * last * Math.exp(-i / 28));
  }
}

/** Per note; -28 dBFS together. */
const NOTE_LEVEL = 450;
const NOTE_MS = 400;
/** A slow progression of four chords, in Hz. */
const CHORDS = [
  [261.6, 329.6, 392],
  [220, 261.6, 329.6],
  [174.6, 261.6, 349.2],
  [196, 246.9, 392],
];
/** The notes of a chord, one after the other. */
const PATTERN = [0, 1, 2, 1];

/** Soft broken chords: 6.4 s. */
function music(): Int16Array {
  const step = (NOTE_MS * RATE) / 1_000;
  const pcm = new Int16Array(CHORDS.length * PATTERN.length * step);
  CHORDS.forEach((chord, bar) => {
    PATTERN.forEach((note, beat) => pluck(pcm, (bar * PATTERN.length + beat) * step, chord[note]!, 2 * step));
  });
  return pcm;
}

/** A plucked note; its end continues at the beginning of the loop. */
function pluck(pcm: Int16Array, at: number, hz: number, samples: number): void {
  for (let i = 0; i < samples; i++) {
    const attack = Math.min(1, i / 80);
    const fade = Math.exp((-4 * i) / samples) * Math.min(1, (samples - i) / 400);
    const wave = Math.sin((2 * Math.PI * hz * i) / RATE) + 0.3 * Math.sin((4 * Math.PI * hz * i) / RATE);
    const place = (at + i) % pcm.length;
    pcm[place] = pcm[place]! + Math.round(NOTE_LEVEL * attack * fade * wave);
  }
}
