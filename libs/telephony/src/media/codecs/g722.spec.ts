import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { G722Decoder, G722Encoder } from './g722.js';

/**
 * The oracle is FFmpeg 5.1. speech.g722 is two seconds of espeak-ng speech encoded by it; the digests are those of its output for the
 * same input: `ffmpeg -f g722 -i in.g722 -f s16le out.raw`, `ffmpeg -f s16le -ar 16000 -ac 1 -i in.raw -c:a g722 out.g722`.
 */
const SPEECH = readFileSync(new URL('../../../test/speech.g722', import.meta.url));

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesOf = (pcm: Int16Array): Uint8Array => new Uint8Array(pcm.buffer);

function decode(encoded: Uint8Array, frameBytes: number): Int16Array {
  const decoder = new G722Decoder();
  const pcm = new Int16Array(encoded.length * 2);
  for (let at = 0; at < encoded.length; at += frameBytes) {
    decoder.decode(encoded.subarray(at, at + frameBytes), pcm.subarray(2 * at, 2 * (at + frameBytes)));
  }
  return pcm;
}

function encode(pcm: Int16Array, frameBytes: number): Uint8Array {
  const encoder = new G722Encoder();
  const encoded = new Uint8Array(pcm.length / 2);
  for (let at = 0; at < encoded.length; at += frameBytes) {
    encoder.encode(pcm.subarray(2 * at, 2 * (at + frameBytes)), encoded.subarray(at, at + frameBytes));
  }
  return encoded;
}

/** The same on every machine: no floating point. */
function* random(state: number): Generator<number, never> {
  for (;;) yield (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
}

/** Noise from full scale down to one step, silence, and an overdriven square wave: a quarter of a second each. */
function harshAudio(): Int16Array {
  const numbers = random(1);
  return Int16Array.from({ length: 32_000 }, (_, i) => {
    const noise = (numbers.next().value >>> 16) - 32_768;
    const part = Math.floor(i / 4_000);
    if (part === 7) return i % 53 < 26 ? 32_767 : -32_768;
    return part === 6 ? 0 : noise >> (2 * part);
  });
}

describe('G.722', () => {
  it.each([160, 80, 16_000])('decodes speech like the reference decoder, in pieces of %i bytes', (frameBytes) => {
    const pcm = decode(SPEECH, frameBytes);
    expect(digest(bytesOf(pcm))).toBe('30090672d5418e87bf68b77837c5cc8dd46567220259369dbeb51c73a02ad1f6');
  });

  it.each([160, 80, 16_000])('encodes speech like the reference encoder, in pieces of %i bytes', (frameBytes) => {
    const encoded = encode(decode(SPEECH, 160), frameBytes);
    expect(digest(encoded)).toBe('b8e9196fad4c2d77710fdde7b0c783334e9b8a5b4e566167439fc6f8c1f56a7f');
  });

  it('encodes noise, silence and clipping like the reference encoder', () => {
    const encoded = encode(harshAudio(), 160);
    expect(digest(encoded)).toBe('77573b48e93ffd36e421cda573a2891d7f35f119adf01c51eb04910815f1e11d');
  });

  it('decodes random bytes like the reference decoder', () => {
    const numbers = random(7);
    const bytes = Uint8Array.from({ length: 16_000 }, () => numbers.next().value >>> 24);
    const pcm = decode(bytes, 160);
    expect(digest(bytesOf(pcm))).toBe('52fa1580d7fbc0b899a0e5057008acf8ef9a51718303631159880b73b5ee317c');
  });
});
