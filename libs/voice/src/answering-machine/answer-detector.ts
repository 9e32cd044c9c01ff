import { decode, FRAME_MS, type MediaPort } from '@app/telephony';
import type { Answer, AnsweredBy, AnswerReason } from '../session-events.js';
import { isBeep, isFax, isIntercept, type Tone, Tones } from './tones.js';
import type { Cadence } from './verdict.js';

/** Silence after a beep; a second beep may follow the first at once. */
const SILENCE_AFTER_BEEP_MS = 240;
/** Tolerated sound after a beep: echo, a click, or the decay of the beep. */
const LOUD_FRAMES_AFTER_BEEP = 3;
const SILENT_BELOW_TONE_DB = 10;
/** A shorter tone may be a vowel, which counts as voice. */
const SURE_TONE_MS = 100;
/** The audio from which the noise level is measured; the analysis uses all of its audio. */
const MEMORY_MS = 5_000;

export type Finding = { type: 'answered'; answer: Answer } | { type: 'beep'; tone: Tone };

interface EndedTone {
  tone: Tone;
  silentMs: number;
  loudFrames: number;
}

/**
 * Detects from the user's audio whether a human or a machine answered, and when the machine has beeped. Its only clock is the
 * audio: 20 ms per frame, silence included.
 */
export class AnswerDetector {
  private readonly tones = new Tones();
  private readonly levels: VoiceLevels;
  private readonly timings: CadenceTimings;
  /** The last three tones that ended. */
  private recent: Tone[] = [];
  private pending: EndedTone | undefined;
  private answer: Answer | undefined;
  private clockMs = 0;
  private firstVoiceMs: number | undefined;
  private lastVoiceMs = 0;
  private latest = { isVoice: false, db: MIN_DB };
  private cadenceOfAnswer: Cadence | undefined;
  /** The ends of the beeps. */
  readonly beepsMs: number[] = [];

  constructor(
    private readonly codec: MediaPort['codec'],
    timings: Partial<CadenceTimings> = {},
    /** Speech of the greeting before the first frame. */
    headStartMs = 0,
  ) {
    this.timings = { ...CADENCE, ...timings };
    this.timings.greetingMs -= headStartMs;
    this.levels = new VoiceLevels(Math.max(MEMORY_MS, this.timings.totalAnalysisMs));
  }

  /** A tone is audible, or has ended and may prove to be a beep. */
  get hearsTone(): boolean {
    return this.tones.lastingMs >= SURE_TONE_MS || this.pending !== undefined;
  }

  /** Time since the last voice, or since the answer. */
  get silenceMs(): number {
    return this.clockMs - this.lastVoiceMs;
  }

  /** From the first to the last voice; undefined without any. */
  get speech(): { startMs: number; endMs: number } | undefined {
    return this.firstVoiceMs === undefined ? undefined : { startMs: this.firstVoiceMs, endMs: this.lastVoiceMs };
  }

  /** The last 20 ms; the level in dB below full scale. */
  get sound(): Readonly<{ isVoice: boolean; db: number }> {
    return this.latest;
  }

  get cadence(): Cadence {
    return this.cadenceOfAnswer ?? this.levels.cadence(this.timings);
  }

  /** The level of the loud parts of the last seconds. */
  get voiceDb(): number {
    return this.levels.loudDb();
  }

  /** A pressed key means a human. */
  press(): Finding[] {
    return this.decide({ answeredBy: 'human', reason: 'key_pressed' });
  }

  /** Takes the next 20 ms. */
  push(frame: Uint8Array): Finding[] {
    const samples = decode(this.codec, frame);
    const db = levelDb(samples);
    this.clockMs += FRAME_MS;
    this.levels.push(db);
    const ended = this.tones.push(samples, db);
    this.markTone(ended ?? this.tones.current);
    const voiced = this.levels.voiced();
    this.latest = { isVoice: voiced.at(-1) === true, db };
    this.followVoice(voiced);
    return [...this.heardSignal(ended), ...this.heardBeep(ended, db), ...this.judge(voiced)];
  }

  private markTone(tone: Tone | undefined): void {
    if (tone && tone.endMs - tone.startMs >= SURE_TONE_MS) this.levels.markTone(tone.startMs, tone.endMs);
  }

  private followVoice(voiced: boolean[]): void {
    if (this.answer === undefined) {
      const first = voiced.indexOf(true);
      this.firstVoiceMs = first < 0 ? undefined : first * FRAME_MS;
      this.lastVoiceMs = (voiced.lastIndexOf(true) + 1) * FRAME_MS;
      return;
    }
    if (!voiced.at(-1)) return;
    this.goOn(this.cadenceOfAnswer, this.clockMs - this.lastVoiceMs);
    this.lastVoiceMs = this.clockMs;
    this.firstVoiceMs ??= this.clockMs - FRAME_MS;
  }

  /** A greeting continues after its decision. */
  private goOn(cadence: Cadence | undefined, gapMs: number): void {
    if (!cadence) return;
    const isNewWord = gapMs - FRAME_MS >= this.timings.betweenWordsMs;
    cadence.speechMs += isNewWord ? FRAME_MS : gapMs;
    if (!isNewWord) return;
    cadence.words++;
    cadence.longestPauseMs = Math.max(cadence.longestPauseMs, gapMs - FRAME_MS);
  }

  /** Signals that are recognised before, or without, a silence after them. */
  private heardSignal(ended: Tone | undefined): Finding[] {
    if (ended && ended.endMs - ended.startMs >= SURE_TONE_MS) this.recent = [...this.recent, ended].slice(-3);
    if (isIntercept(this.recent)) return this.decide({ answeredBy: 'machine', reason: 'intercept' });
    const tone = this.tones.current;
    return tone && isFax(tone) ? this.decide({ answeredBy: 'machine', reason: 'fax' }) : [];
  }

  private heardBeep(ended: Tone | undefined, db: number): Finding[] {
    if (ended && isBeep(ended, this.spokeBefore(ended))) this.pending = { tone: ended, silentMs: 0, loudFrames: 0 };
    const pending = this.pending;
    if (!pending) return [];
    if (db < pending.tone.levelDb - SILENT_BELOW_TONE_DB) pending.silentMs += FRAME_MS;
    else if (++pending.loudFrames > LOUD_FRAMES_AFTER_BEEP) this.pending = undefined;
    if (pending.silentMs < SILENCE_AFTER_BEEP_MS) return [];
    this.pending = undefined;
    this.beepsMs.push(pending.tone.endMs);
    return [...this.decide({ answeredBy: 'machine', reason: 'beep' }), { type: 'beep', tone: pending.tone }];
  }

  private spokeBefore(tone: Tone): boolean {
    return this.firstVoiceMs !== undefined && this.firstVoiceMs < tone.startMs - SURE_TONE_MS;
  }

  private judge(voiced: boolean[]): Finding[] {
    if (this.answer) return [];
    // A tone is classified at its end.
    if (this.hearsTone && this.clockMs < this.timings.totalAnalysisMs) return [];
    const verdict = verdictOf(voiced, this.timings);
    return verdict ? this.decide(verdict) : [];
  }

  /** The first decision is final, except that `unknown` may still become known. */
  private decide(verdict: Pick<Answer, 'answeredBy' | 'reason'>): Finding[] {
    if (this.answer && this.answer.answeredBy !== 'unknown') return [];
    this.cadenceOfAnswer ??= { ...this.levels.cadence(this.timings) };
    this.answer = { ...verdict, atMs: this.clockMs };
    return [{ type: 'answered', answer: this.answer }];
  }
}

/** In dB below full scale; -100 for digital silence. */
function levelDb(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += (sample / 32_768) ** 2;
  return Math.max(-100, 10 * Math.log10(sum / Math.max(1, samples.length) + 1e-10));
}

/** Voice is this far above the noise, and at least -50 dB below full scale. */
const ABOVE_NOISE_DB = 9;
const QUIETEST_VOICE_DB = -50;
/** Without this limit, speech without pauses would become the noise level. Noise above -36 dB counts as voice. */
const LOUDEST_NOISE_DB = -36;
/** The share of frames that are certainly not voice: between words, or before the first. */
const NOISE_PART = 0.1;
const LOUD_PART = 0.1;
const MIN_DB = -100;

interface Heard {
  db: number;
  tone: boolean;
}

/** The levels of the last seconds, and the frames with voice. */
class VoiceLevels {
  private readonly heard: Heard[] = [];
  /** The number of frames per decibel from -100 up: sorting them at every frame would cost more than the rest of the detector. */
  private readonly histogram = new Uint16Array(1 - MIN_DB);
  private count = 0;

  /** `memoryMs`: the duration that is kept. */
  constructor(private readonly memoryMs: number) {}

  push(db: number): void {
    this.heard.push({ db, tone: false });
    this.tally(db, 1);
    this.count++;
    if (this.heard.length * FRAME_MS <= this.memoryMs) return;
    const oldest = this.heard.shift();
    if (oldest) this.tally(oldest.db, -1);
  }

  /** Marks a time range as a tone, which is not voice. */
  markTone(startMs: number, endMs: number): void {
    const first = this.count - this.heard.length;
    for (let frame = Math.max(first, startMs / FRAME_MS); frame < endMs / FRAME_MS; frame++) {
      const heard = this.heard[frame - first];
      if (heard) heard.tone = true;
    }
  }

  /** Frame by frame, the oldest first. */
  voiced(): boolean[] {
    const threshold = Math.max(this.noiseDb() + ABOVE_NOISE_DB, QUIETEST_VOICE_DB);
    return this.heard.map(({ db, tone }) => db > threshold && !tone);
  }

  cadence(timings: CadenceTimings): Cadence {
    const words = wordsOf(this.voiced(), timings);
    const pauses = words.slice(1).map(({ from }, at) => (from - (words[at] as Run).to) * FRAME_MS);
    return { speechMs: spokenMs(words), words: words.length, longestPauseMs: Math.max(0, ...pauses) };
  }

  /** Exceeded by a tenth of the frames. */
  loudDb(): number {
    let left = this.heard.length * LOUD_PART;
    for (let bucket = this.histogram.length - 1; bucket >= 0; bucket--) {
      left -= this.histogram[bucket] as number;
      if (left < 0) return MIN_DB + bucket;
    }
    return MIN_DB;
  }

  private noiseDb(): number {
    let left = this.heard.length * NOISE_PART;
    const at = this.histogram.findIndex((frames) => (left -= frames) < 0);
    return Math.min(MIN_DB + at, LOUDEST_NOISE_DB);
  }

  private tally(db: number, by: 1 | -1): void {
    const bucket = Math.min(-MIN_DB, Math.max(0, Math.round(db - MIN_DB)));
    this.histogram[bucket] = (this.histogram[bucket] ?? 0) + by;
  }
}

/**
 * The timing of a human who answers a telephone, in milliseconds: a word or two, then a wait. In brackets the published defaults
 * of Asterisk's AMD (amd.conf) and Twilio (`MachineDetection…`).
 */
interface CadenceTimings {
  /** Silence after the answer that ends the analysis without a result (Asterisk 2500, then machine; Twilio 5000). */
  initialSilenceMs: number;
  /** More speech than this is a machine, pauses not counted (Asterisk 1500, Twilio 2400). */
  greetingMs: number;
  /** Silence after the greeting of a human (Asterisk 800, Twilio 1200). */
  afterGreetingSilenceMs: number;
  /** The analysis ends at this time (Asterisk 5000, Twilio 30000). */
  totalAnalysisMs: number;
  /** Less voice than this is a click or a cough (Asterisk 100). */
  minWordMs: number;
  /** Silence that separates words (Asterisk 50, which separates syllables). */
  betweenWordsMs: number;
  /** More words than this mean a machine (Asterisk 3). */
  maxWords: number;
}

const CADENCE: CadenceTimings = {
  initialSilenceMs: 2500,
  greetingMs: 2400,
  afterGreetingSilenceMs: 800,
  totalAnalysisMs: 5000,
  minWordMs: 100,
  betweenWordsMs: 200,
  maxWords: 4,
};

/** A run of voice, in frames since the answer; `to` is exclusive. */
interface Run {
  from: number;
  to: number;
}

/**
 * Classifies the pattern of voice (`voiced`, frame by frame since the answer); undefined while it is ambiguous. Every call classifies
 * all frames again, because later frames reveal which earlier ones were noise.
 */
function verdictOf(
  voiced: readonly boolean[],
  timings: CadenceTimings,
): { answeredBy: AnsweredBy; reason: AnswerReason } | undefined {
  const words = wordsOf(voiced, timings);
  const last = words.at(-1);
  const clockMs = voiced.length * FRAME_MS;
  if (spokenMs(words) > timings.greetingMs) return { answeredBy: 'machine', reason: 'long_greeting' };
  if (words.length > timings.maxWords) return { answeredBy: 'machine', reason: 'many_words' };
  const pauseMs = voiced.at(-1) || !last ? 0 : clockMs - last.to * FRAME_MS;
  if (last && pauseMs >= timings.afterGreetingSilenceMs) {
    return { answeredBy: 'human', reason: 'short_greeting' };
  }
  if (!last && clockMs >= timings.initialSilenceMs && !voiced.at(-1)) {
    return { answeredBy: 'unknown', reason: 'initial_silence' };
  }
  return clockMs >= timings.totalAnalysisMs ? { answeredBy: 'unknown', reason: 'analysis_time' } : undefined;
}

/** Runs of voice that are longer than a click; short pauses do not split them. */
function wordsOf(voiced: readonly boolean[], timings: CadenceTimings): Run[] {
  const runs: Run[] = [];
  voiced.forEach((isVoice, frame) => {
    const last = runs.at(-1);
    if (!isVoice) return;
    if (last && (frame - last.to) * FRAME_MS < timings.betweenWordsMs) last.to = frame + 1;
    else runs.push({ from: frame, to: frame + 1 });
  });
  return runs.filter((run) => voicedMs(voiced, run) >= timings.minWordMs);
}

const voicedMs = (voiced: readonly boolean[], { from, to }: Run): number =>
  voiced.slice(from, to).filter(Boolean).length * FRAME_MS;

const spokenMs = (words: readonly Run[]): number =>
  words.reduce((sum, { from, to }) => sum + (to - from) * FRAME_MS, 0);
