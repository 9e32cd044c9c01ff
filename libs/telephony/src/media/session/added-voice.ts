import { Downsampler } from '../codecs/sub-band.js';
import { pcmSamples } from '../codecs/wire-codec.js';
import { FRAME_BYTES } from './media-port.js';

/** Frames of a network connection arrive in bursts: the voice begins when so many are there. */
const PREFILL_FRAMES = 3;
/** 200 ms; more is delay. */
const MAX_FRAMES = 10;

/** The voice of a person who is added to the audio of a leg, which goes on below it. */
export class AddedVoice {
  private readonly waiting: Int16Array[] = [];
  private isFilling = true;
  private readonly halver = new Downsampler();
  private readonly narrow = new Int16Array(FRAME_BYTES);

  /** 20 ms of L16. */
  speak(frame: Buffer): void {
    this.waiting.push(Int16Array.from(pcmSamples(frame)));
    if (this.waiting.length > MAX_FRAMES) this.waiting.shift();
    if (this.waiting.length >= PREFILL_FRAMES) this.isFilling = false;
  }

  /** Adds the next 20 ms to `samples`, 160 or 320. */
  mix(samples: Int16Array): void {
    if (this.isFilling) return;
    const next = this.waiting.shift();
    this.isFilling = next === undefined;
    if (!next) return;
    const voice = samples.length === FRAME_BYTES ? this.halved(next) : next;
    for (let i = 0; i < samples.length; i++) samples[i] = limit(samples[i]! + (voice[i] ?? 0));
  }

  private halved(samples: Int16Array): Int16Array {
    this.halver.process(samples, this.narrow);
    return this.narrow;
  }
}

const limit = (sample: number): number => Math.max(-32_768, Math.min(32_767, sample));
