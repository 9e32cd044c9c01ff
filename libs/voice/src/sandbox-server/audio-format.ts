import { encode } from '@app/telephony';
import { resample } from '../speech/resample.js';
import type { AudioFormat } from './client-events.js';

const PCM_RATE = 24_000;
const CLIP_RATE = 8_000;

/** Bytes of one millisecond. */
export const bytesPerMs = ({ type }: AudioFormat): number => (type === 'audio/pcm' ? 48 : 8);

/** A spoken sentence, 8 kHz, in the format that the client wants. */
export async function encoded(samples: Int16Array, { type }: AudioFormat): Promise<Buffer> {
  if (type === 'audio/pcmu') return encode('PCMU', samples);
  if (type === 'audio/pcma') return encode('PCMA', samples);
  const { buffer, byteOffset, byteLength } = await resample(samples, CLIP_RATE, PCM_RATE);
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The same as G.711 at 8 kHz, which is enough to hear that somebody speaks. Whole frames of 20 ms in. */
export function asMuLaw(pcm: Buffer): Buffer {
  const samples = new Int16Array(pcm.length / 6);
  for (let i = 0; i < samples.length; i++) {
    const at = i * 6;
    samples[i] = (pcm.readInt16LE(at) + pcm.readInt16LE(at + 2) + pcm.readInt16LE(at + 4)) / 3;
  }
  return encode('PCMU', samples);
}
