import { Resampler } from './resampler.js';

/** The sampling rate of the audio on the connection. */
export const WIRE_RATE = 16_000;
/** Samples of a frame: 20 ms. */
export const FRAME_SAMPLES = WIRE_RATE / 50;

/** A frame for the connection. */
export interface MicrophoneFrame {
  /** 16-bit little-endian samples. */
  frame: ArrayBuffer;
  /** Largest amplitude in the frame, 0 to 1. */
  peak: number;
}

/** Turns blocks of the microphone into frames of 20 ms at 16 kHz. */
export class FrameSlicer {
  private readonly resampler: Resampler;
  private frame = new DataView(new ArrayBuffer(2 * FRAME_SAMPLES));
  private filled = 0;
  private peak = 0;

  constructor(
    rate: number,
    private readonly emit: (frame: MicrophoneFrame) => void,
  ) {
    this.resampler = new Resampler(rate, WIRE_RATE);
  }

  push(block: Float32Array): void {
    for (const sample of block) {
      this.resampler.push(sample);
      while (!this.resampler.isHungry) this.add(this.resampler.pull());
    }
  }

  private add(sample: number): void {
    this.frame.setInt16(2 * this.filled, toInt16(sample), true);
    this.peak = Math.max(this.peak, Math.abs(sample));
    this.filled += 1;
    if (this.filled < FRAME_SAMPLES) return;
    this.emit({ frame: this.frame.buffer, peak: Math.min(1, this.peak) });
    this.frame = new DataView(new ArrayBuffer(2 * FRAME_SAMPLES));
    [this.filled, this.peak] = [0, 0];
  }
}

/** -1 and 1 are full scale, and louder samples are clipped. */
const toInt16 = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
