import { decode, FRAME_MS, type G711, type MediaPort } from '@app/telephony';
import type { AnswerReason, EarlyEvidence, SessionEnd, SessionFact } from '../session-events.js';
import type { AnsweringMachineSettings } from '../session-options.js';
import { AnswerDetector } from './answer-detector.js';
import { detectionOf } from './verdict.js';

/** Tones only: rhythm alone does not distinguish an announcement from music. */
const TONES_ONLY = { greetingMs: Infinity, maxWords: Infinity, afterGreetingSilenceMs: Infinity };
/** Speech that is not interrupted for longer continues. */
const RUNNING_MS = 500;
/** Music and other sounds must not shorten the answer of a person to nothing. */
const MAX_HEAD_START_MS = 1_600;

/**
 * The audio before the answer: announcements, intercept tones, mailboxes that never answer. The agent neither speaks nor answers it. Music
 * and ringing do not count.
 */
export class EarlyMedia {
  private readonly detector: AnswerDetector;
  private readonly shape = new SpeechShape();
  private readonly beepsMs: number[] = [];
  private clockMs = 0;
  private tone: EarlyEvidence['tone'] = null;
  private lastVoiceMs = -Infinity;

  constructor(private readonly codec: G711) {
    this.detector = new AnswerDetector(codec, TONES_ONLY);
  }

  /** Takes 20 ms; returns the reason when a machine is certain. */
  push(frame: Uint8Array): AnswerReason | undefined {
    this.clockMs += FRAME_MS;
    const findings = this.detector.push(frame);
    const { isVoice, db } = this.detector.sound;
    const isSpeech = this.shape.push(decode(this.codec, frame), isVoice && !this.detector.hearsTone, db);
    if (isSpeech) this.lastVoiceMs = this.clockMs;
    let found: AnswerReason | undefined;
    for (const finding of findings) {
      // Without speech before it, it may be the network's signal.
      if (finding.type === 'beep' && this.shape.speechMs >= MIN_SPEECH_MS) {
        this.beepsMs.push(finding.tone.endMs);
        found ??= 'beep';
      } else if (finding.type === 'answered') {
        const { reason } = finding.answer;
        if (reason === 'fax' || reason === 'intercept') found = this.tone = reason;
      }
    }
    return found;
  }

  get heardMs(): number {
    return this.clockMs;
  }

  /** Since the last beep. */
  get sinceBeepMs(): number {
    return this.clockMs - (this.beepsMs.at(-1) ?? -Infinity);
  }

  /** Speech that the answer did not interrupt: it is the beginning of the greeting. */
  get headStartMs(): number {
    const isRunning = this.clockMs - this.lastVoiceMs <= RUNNING_MS;
    return isRunning ? Math.min(MAX_HEAD_START_MS, this.shape.speechMs) : 0;
  }

  get evidence(): EarlyEvidence {
    const { clockMs, beepsMs, tone } = this;
    return { duration_ms: clockMs, speech_ms: this.shape.speechMs, beeps_ms: [...beepsMs], tone };
  }
}

const MIN_SPEECH_MS = 800;
/** Some networks answer the call of a mailbox at its beep. */
const ANSWER_AFTER_BEEP_MS = 5_000;

/** Hears the audio of a ringing call. A mailbox that beeps without answering records nothing, so that the call is given up. */
export class EarlyScreening {
  private media: EarlyMedia | undefined;
  private giveUpAtMs: number | undefined;
  private readonly stopListening: () => void;

  constructor(
    port: MediaPort,
    private readonly settings: Pick<AnsweringMachineSettings, 'onMachine'>,
    private readonly write: (fact: SessionFact) => void,
    private readonly onEnd: (end: SessionEnd) => void,
  ) {
    // The codec is known with the first frame.
    this.stopListening = port.onFrame((frame) => this.hear((this.media ??= new EarlyMedia(port.codec)), frame));
  }

  /** Returns what was heard; undefined: nothing. */
  stop(): EarlyMedia | undefined {
    this.stopListening();
    return this.media;
  }

  private hear(media: EarlyMedia, frame: Buffer): void {
    const reason = media.push(frame);
    if (reason) this.found(media, reason);
    if (this.giveUpAtMs === undefined || media.heardMs < this.giveUpAtMs) return;
    this.stop();
    this.onEnd({ endedBy: 'agent', cause: 'answering_machine' });
  }

  private found(media: EarlyMedia, reason: AnswerReason): void {
    const { evidence, heardMs: ms } = media;
    const answer = { answeredBy: 'machine', reason, atMs: ms } as const;
    const cadence = { speechMs: 0, words: 0, longestPauseMs: 0 };
    this.write({
      type: 'early_media',
      reason,
      ms,
      answering_machine: detectionOf({ answer, cadence, beepsMs: [], early: evidence }),
    });
    const { onMachine } = this.settings;
    // The final response after an intercept has the exact cause.
    if (reason === 'intercept' || onMachine === 'go_on') return;
    this.giveUpAtMs ??= ms + (onMachine === 'leave_message' ? ANSWER_AFTER_BEEP_MS : 0);
  }
}

/** The frames of which a shape is recognised. */
const WINDOW = 2_000 / FRAME_MS;
/**
 * Speech changes between vowels and hissing consonants, so that its zero crossings vary, and it has short gaps. Measured in windows of
 * 2 s: `bench answering-machine` prints how often both mistake music for speech.
 */
const MIN_SPREAD = 0.31;
const MIN_GAPS = 0.05;
const GAP_BELOW_DB = 18;

interface Frame {
  crossings: number;
  db: number;
  isVoice: boolean;
}

/** Distinguishes speech from music by the variation of both in the last two seconds. */
class SpeechShape {
  private readonly frames: Frame[] = [];
  private speechFrames = 0;

  /** Speech so far, pauses not counted. */
  get speechMs(): number {
    return this.speechFrames * FRAME_MS;
  }

  /** Returns whether the frame is voice in a window that is like speech. */
  push(samples: Int16Array, isVoice: boolean, db: number): boolean {
    this.frames.push({ crossings: crossingsOf(samples), db, isVoice });
    if (this.frames.length > WINDOW) this.frames.shift();
    const isSpeech = isVoice && this.isLikeSpeech();
    if (isSpeech) this.speechFrames++;
    return isSpeech;
  }

  private isLikeSpeech(): boolean {
    const voiced = this.frames.filter((frame) => frame.isVoice);
    if (voiced.length < WINDOW / 4) return false;
    const mean = voiced.reduce((sum, { crossings }) => sum + crossings, 0) / voiced.length;
    const variance = voiced.reduce((sum, { crossings }) => sum + (crossings - mean) ** 2, 0) / voiced.length;
    if (Math.sqrt(variance) < MIN_SPREAD * mean) return false;
    const loudest = Math.max(...voiced.map(({ db }) => db));
    const from = this.frames.findIndex((frame) => frame.isVoice);
    const sounding = this.frames.slice(from);
    const gaps = sounding.filter(({ db }) => db < loudest - GAP_BELOW_DB).length;
    return gaps >= MIN_GAPS * sounding.length;
  }
}

/** Sign changes of louder samples. */
function crossingsOf(samples: Int16Array): number {
  let crossings = 0;
  for (let i = 1; i < samples.length; i++) {
    if ((samples[i - 1] as number) < 0 !== (samples[i] as number) < 0) crossings++;
  }
  return crossings;
}
