import { decode, Downsampler, encode, FRAME_MS, pcmBytes, Upsampler } from '@app/telephony';
import type { ListenedFrame } from './listening-task.js';

/** `l16`: 16 kHz, 16-bit little-endian. `pcmu`: 8 kHz, G.711 µ-law. */
export type ListenerFormat = 'l16' | 'pcmu';

export const LISTENER_FORMATS: readonly ListenerFormat[] = ['l16', 'pcmu'];

const FRAME_SAMPLES = { l16: 16 * FRAME_MS, pcmu: 8 * FRAME_MS };
const SAMPLE_BYTES = { l16: 2, pcmu: 1 };

/** 20 ms of one person. */
export const voiceFrameBytes = (format: ListenerFormat): number => FRAME_SAMPLES[format] * SAMPLE_BYTES[format];

const silence: Record<ListenerFormat, Buffer> = {
  l16: Buffer.alloc(2 * voiceFrameBytes('l16')),
  pcmu: Buffer.alloc(2 * voiceFrameBytes('pcmu'), 0xff),
};

/** 20 ms of silence on both channels: a shared buffer. */
export const silentStereo = (format: ListenerFormat): Buffer => silence[format];

type Convert = (samples: Int16Array) => Int16Array;

/** The frames of a call in the formats of its listeners, each computed once. One object per stream: its filters have a state. */
export class StereoFormats {
  private readonly converters = new Map<string, [Convert, Convert]>();
  private frame: Int16Array = new Int16Array(0);
  private rate: ListenedFrame['rate'] = 8_000;
  private readonly made = new Map<ListenerFormat, Buffer>();

  /** The next 20 ms. */
  take(samples: Int16Array, rate: ListenedFrame['rate']): void {
    this.frame = samples;
    this.rate = rate;
    this.made.clear();
  }

  /** The frame in this format, interleaved: 1,280 bytes of `l16`, 320 of `pcmu`. */
  as(format: ListenerFormat): Buffer {
    const known = this.made.get(format);
    if (known) return known;
    const samples = this.resampled(format === 'l16' ? 16_000 : 8_000);
    const made = format === 'l16' ? pcmBytes(samples) : encode('PCMU', samples);
    this.made.set(format, made);
    return made;
  }

  private resampled(rate: ListenedFrame['rate']): Int16Array {
    const { frame } = this;
    if (rate === this.rate) return frame;
    const [left, right] = this.convertersFor(rate);
    const channels = [left(channelOf(frame, 0)), right(channelOf(frame, 1))] as const;
    const both = new Int16Array(2 * channels[0].length);
    for (const [at, samples] of channels.entries()) samples.forEach((sample, i) => (both[2 * i + at] = sample));
    return both;
  }

  private convertersFor(rate: ListenedFrame['rate']): [Convert, Convert] {
    const key = `${this.rate} ${rate}`;
    const known = this.converters.get(key) ?? [converter(rate), converter(rate)];
    this.converters.set(key, known);
    return known;
  }
}

const channelOf = (both: Int16Array, channel: 0 | 1): Int16Array =>
  Int16Array.from({ length: both.length / 2 }, (_, i) => both[2 * i + channel]!);

function converter(rate: ListenedFrame['rate']): Convert {
  const filter = rate === 16_000 ? new Upsampler() : new Downsampler();
  return (samples) => {
    const converted = new Int16Array(rate === 16_000 ? 2 * samples.length : samples.length / 2);
    filter.process(samples, converted);
    return converted;
  };
}

/** The frames of a person as L16, 640 bytes each with memory of their own: they go to another thread. */
export class VoiceFrames {
  private readonly doubler = new Upsampler();

  constructor(private readonly format: ListenerFormat) {}

  l16(frame: Buffer): Uint8Array {
    if (this.format === 'l16') return Uint8Array.from(frame);
    const samples = new Int16Array(FRAME_SAMPLES.l16);
    this.doubler.process(decode('PCMU', frame), samples);
    return new Uint8Array(samples.buffer);
  }
}
