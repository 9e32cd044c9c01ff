import { decode, encode, FRAME_MS, type MediaPort, VoiceActivity } from '@app/telephony';
import { resample, SAMPLE_RATE, type Speech } from '@app/voice';
import { withWords } from '@app/sandbox';
import { type CallAudio, callAudioOf, type SpeechSpan } from './call-audio.js';
import type { LineProfile } from '@app/agents/scenarios';

const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1_000;
/** Frames in the queue of the line. */
const AHEAD = 2;
/** The agent's speech may pause for less within a sentence. */
const PAUSE_MS = 300;
const QUIET = 200;

export interface CallerVoice {
  speech: Speech;
  language?: string;
  /** The words travel beside the speech, for the recognisers of the sandbox. */
  carriesWords: boolean;
  /** Background noise at the level of the profile, repeated without end. */
  noise?: Float64Array;
}

/** A sound on its way to the line. */
interface Utterance {
  samples: Int16Array;
  at: number;
  startedMs?: number;
  spoken: (span: SpeechSpan | undefined) => void;
}

interface Waiter {
  isOver: () => boolean;
  resolve: () => void;
}

/** Mouth and ears of a tester caller: speaks over a running line with the sounds of its profile, and measures both voices. */
export class TesterAudio {
  private readonly agent: SpeechSpan[] = [];
  private readonly caller: SpeechSpan[] = [];
  private readonly intended: SpeechSpan[] = [];
  private readonly activity: VoiceActivity;
  private readonly startedAt: number;
  private readonly received: Int16Array[] = [];
  private readonly gain: number;
  private heardMs = 0;
  private utterances: Utterance[] = [];
  private noiseAt = 0;
  private waiters: Waiter[] = [];
  private closed = false;
  private readonly leave: () => void;

  constructor(
    private readonly media: MediaPort,
    private readonly profile: LineProfile,
    private readonly voice: CallerVoice,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.startedAt = now();
    this.gain = 10 ** (profile.volume_db / 20);
    this.activity = new VoiceActivity(media.codec, { stopMs: PAUSE_MS });
    this.leave = media.onFrame((frame) => this.hear(frame));
    for (let i = 0; i < AHEAD; i++) this.play();
  }

  /** Since the answer. */
  get nowMs(): number {
    return Math.round(this.now() - this.startedAt);
  }

  get isAgentSpeaking(): boolean {
    return this.activity.speaking;
  }

  /** Since the agent's last sound; Infinity: it has said nothing. */
  get agentQuietMs(): number {
    if (this.activity.speaking) return 0;
    return this.agent.length === 0 ? Infinity : this.nowMs - this.agent.at(-1)!.endMs;
  }

  /** The end of the agent's last sound. */
  get agentHeardMs(): number {
    return this.agent.at(-1)?.endMs ?? 0;
  }

  /** The agent's current speech. */
  get agentSpeechMs(): number {
    return this.activity.speechMs;
  }

  /** Speaks at once. Resolves when the last sound has left, or the line has ended; undefined: no sound has left. */
  async say(text: string): Promise<SpeechSpan | undefined> {
    const samples = await this.spoken(text);
    if (this.closed) return undefined;
    return new Promise((spoken) => this.utterances.push({ samples, at: 0, spoken }));
  }

  async press(keys: string): Promise<void> {
    // The line ended: the conversation says so.
    await this.media.sendDtmf(keys).catch(() => undefined);
  }

  /** A silence that the scenario wants. */
  async pause(ms: number, isOver: () => boolean): Promise<void> {
    const startMs = this.nowMs;
    await this.until(() => isOver() || this.nowMs - startMs >= ms);
    this.intended.push({ startMs, endMs: this.nowMs });
  }

  /** Resolves when the condition holds: it is asked every 20 ms, and at the end of the line. */
  until(isOver: () => boolean): Promise<void> {
    if (this.closed || isOver()) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ isOver, resolve }));
  }

  /** The line has ended. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.leave();
    const { speaking, speechMs } = this.activity;
    if (speaking) this.agent.push({ startMs: Math.max(0, this.nowMs - speechMs), endMs: this.nowMs });
    for (const one of this.utterances.splice(0)) this.left(one);
    for (const waiter of this.waiters.splice(0)) waiter.resolve();
    this.endMs = this.nowMs;
  }

  private endMs: number | undefined;

  /** Facts of the conversation so far. */
  facts(): CallAudio {
    const { agent, caller, intended, endMs = this.nowMs } = this;
    return callAudioOf({ agent, caller, intended, endMs });
  }

  private async spoken(text: string): Promise<Int16Array> {
    const { speech, language, carriesWords } = this.voice;
    const sounds: Int16Array[] = [];
    const never = new AbortController().signal;
    for await (const { text: sentence, samples } of speech.samples(text, language, never)) {
      const paced = await resample(samples, SAMPLE_RATE * this.profile.speaking_rate, SAMPLE_RATE);
      sounds.push(carriesWords ? withWords(paced, sentence) : paced);
    }
    return trim(join(sounds));
  }

  private hear(frame: Buffer): void {
    this.heardMs += FRAME_MS;
    if (this.profile.echo) this.received.push(decode(this.media.codec, frame));
    const event = this.activity.push(frame);
    if (event?.type === 'speech-stop') {
      const endMs = this.nowMs - (this.heardMs - event.atMs);
      this.agent.push({ startMs: Math.max(0, endMs - event.spokenMs), endMs: Math.max(0, endMs) });
    }
  }

  /** Sends the next 20 ms; the line calls back when they have left, which is the clock of the caller. */
  private play(): void {
    const frame = this.nextFrame();
    this.media.write(encode(this.media.codec, frame.samples), (played) => {
      for (const one of frame.ended) this.left(one);
      if (!played || this.closed) return this.close();
      this.waiters = this.waiters.filter(({ isOver, resolve }) => {
        const isDone = isOver();
        if (isDone) resolve();
        return !isDone;
      });
      this.play();
    });
  }

  private nextFrame(): { samples: Int16Array; ended: Utterance[] } {
    const mixed = new Float64Array(FRAME_SAMPLES);
    const ended = this.addSpeech(mixed);
    const { noise } = this.voice;
    if (noise)
      for (let i = 0; i < FRAME_SAMPLES; i++) mixed[i]! += noise[(this.noiseAt = (this.noiseAt + 1) % noise.length)]!;
    for (let i = 0; i < FRAME_SAMPLES; i++) mixed[i]! *= this.gain;
    this.addEcho(mixed);
    const samples = Int16Array.from(mixed, (one) => (one > 32_767 ? 32_767 : one < -32_768 ? -32_768 : one));
    return { samples, ended };
  }

  private addSpeech(mixed: Float64Array): Utterance[] {
    const [utterance] = this.utterances;
    if (!utterance) return [];
    const { samples, at } = utterance;
    // The frames in the queue leave first.
    utterance.startedMs ??= this.nowMs + AHEAD * FRAME_MS - FRAME_MS;
    for (let i = 0; i < FRAME_SAMPLES; i++) mixed[i] = samples[at + i] ?? 0;
    utterance.at += FRAME_SAMPLES;
    if (utterance.at < samples.length) return [];
    this.utterances.shift();
    return [utterance];
  }

  private addEcho(mixed: Float64Array): void {
    const { echo } = this.profile;
    if (!echo || this.received.length * FRAME_MS < echo.delay_ms) return;
    const gain = 10 ** (echo.db / 20);
    this.received.shift()?.forEach((sample, i) => (mixed[i]! += sample * gain));
  }

  private left({ startedMs, spoken }: Utterance): void {
    const span = startedMs === undefined ? undefined : { startMs: startedMs, endMs: Math.max(startedMs, this.nowMs) };
    if (span) this.caller.push(span);
    spoken(span);
  }
}

function join(sounds: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(sounds.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const sound of sounds) {
    all.set(sound, at);
    at += sound.length;
  }
  return all;
}

/** Without the pause after the last sentence: the caller's turn ends with its last sound. */
const trim = (samples: Int16Array): Int16Array =>
  samples.subarray(0, samples.findLastIndex((sample) => Math.abs(sample) > QUIET) + 1);
