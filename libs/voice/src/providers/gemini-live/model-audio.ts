import { encode, pcmBytes, pcmSamples } from '@app/telephony';
import { resampler, type StreamResampler } from '../../speech/polyphase.js';
import type { ConnectRequest } from '../voice-provider.js';

const USUAL_RATE = 24_000;
const MAX_RATE = 48_000;

/** Converts the audio of the model to that of the call. */
export class ModelAudio {
  private stream: { rate: number; resampler: StreamResampler } | undefined;

  constructor(private readonly codec: ConnectRequest['codec']) {}

  /** Another turn begins. */
  restart(): void {
    this.stream = undefined;
  }

  /** Undefined: audio of this rate cannot be played. */
  converted(base64: string, rate: number): Buffer | undefined {
    if (rate % 8_000 !== 0 || rate > MAX_RATE) return undefined;
    if (this.stream?.rate !== rate)
      this.stream = { rate, resampler: resampler(rate, this.codec === 'L16' ? 16_000 : 8_000) };
    const samples = this.stream.resampler.push(pcmSamples(Buffer.from(base64, 'base64')));
    return this.codec === 'L16' ? pcmBytes(samples) : encode(this.codec, samples);
  }
}

/** In the type of audio that the service names, such as `audio/pcm;rate=24000`. */
export const rateOf = (mimeType = ''): number => Number(/rate=(\d{4,6})/.exec(mimeType)?.[1] ?? USUAL_RATE);
