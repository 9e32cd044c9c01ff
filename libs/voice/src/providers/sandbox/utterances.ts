import { VoiceActivity, type G711, type VoiceEvent } from '@app/telephony';

/** Shorter sounds are clicks and breath; a silence of 700 ms ends an utterance. */
const TIMINGS = { startMs: 200, stopMs: 700 };
/** A line that never falls silent (music, noise) is answered at last. */
const LONGEST_MS = 10_000;

/** Cuts the callee's audio into utterances by voice activity. `atMs` counts all the audio it was given. */
export class Utterances {
  private voice: VoiceActivity;
  /** Audio that earlier detectors were given. */
  private beforeMs = 0;
  private audioMs = 0;

  constructor(private readonly codec: G711) {
    this.voice = new VoiceActivity(codec, TIMINGS);
  }

  push(frame: Buffer): VoiceEvent | undefined {
    const event = this.voice.push(frame);
    this.audioMs += 20;
    if (event) return { ...event, atMs: event.atMs + this.beforeMs };
    return this.voice.speechMs >= LONGEST_MS ? this.cut() : undefined;
  }

  private cut(): VoiceEvent {
    const spokenMs = this.voice.speechMs;
    this.voice = new VoiceActivity(this.codec, TIMINGS);
    this.beforeMs = this.audioMs;
    return { type: 'speech-stop', atMs: this.audioMs, spokenMs };
  }
}
