import { decode, FRAME_MS, type MediaPort } from '@app/telephony';
import type { Answer } from '../session-events.js';
import { CADENCE, verdictOf, type CadenceTimings } from './cadence.js';
import { isBeep, isFax, isIntercept } from './signals.js';
import { Tones, type Tone } from './tones.js';
import { VoiceLevels } from './voice-levels.js';

/** After a beep; a second beep may follow the first at once. */
const SILENCE_AFTER_BEEP_MS = 240;
/** Echo, a click, or the beep's own decay. */
const LOUD_FRAMES_AFTER_BEEP = 3;
const SILENT_BELOW_TONE_DB = 10;
/** A shorter tone may be a vowel, which counts as voice. */
const SURE_TONE_MS = 100;
/** The audio from which the noise level is measured; the analysis uses all audio of its own time. */
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

  constructor(
    private readonly codec: MediaPort['codec'],
    timings: Partial<CadenceTimings> = {},
  ) {
    this.timings = { ...CADENCE, ...timings };
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
    this.lastVoiceMs = this.clockMs;
    this.firstVoiceMs ??= this.clockMs - FRAME_MS;
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
