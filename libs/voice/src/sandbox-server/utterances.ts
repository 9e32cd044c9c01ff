import { VoiceActivity, type G711, type VoiceEvent } from '@app/telephony';

/** Shorter sounds are clicks and breath. */
const START_MS = 200;
/** Pauses between words are shorter. */
const SHORTEST_STOP_MS = 200;
/** A line that never falls silent (music, noise) is answered at last. */
const LONGEST_MS = 10_000;

/** Cuts the callee's audio into utterances by voice activity. `atMs` counts all the audio it was given. */
export class Utterances {
  private voice: VoiceActivity;
  private audioMs: number;

  /** `stopMs`: a silence that ends an utterance. `beforeMs`: audio that earlier detectors were given. */
  constructor(
    private readonly codec: G711,
    private readonly stopMs = 700,
    private beforeMs = 0,
  ) {
    this.voice = this.detector();
    this.audioMs = beforeMs;
  }

  push(frame: Buffer): VoiceEvent | undefined {
    const event = this.voice.push(frame);
    this.audioMs += 20;
    if (event) return { ...event, atMs: event.atMs + this.beforeMs };
    return this.voice.speechMs >= LONGEST_MS ? this.cut() : undefined;
  }

  private cut(): VoiceEvent {
    const spokenMs = this.voice.speechMs;
    this.voice = this.detector();
    this.beforeMs = this.audioMs;
    return { type: 'speech-stop', atMs: this.audioMs, spokenMs };
  }

  private detector(): VoiceActivity {
    return new VoiceActivity(this.codec, { startMs: START_MS, stopMs: Math.max(SHORTEST_STOP_MS, this.stopMs) });
  }
}
