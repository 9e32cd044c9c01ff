import type { Voice } from '@app/voice';
import { setImmediate as breathe } from 'node:timers/promises';
import { gesturesOf } from './prosody.js';
import { readingOf } from './reading.js';
import { SAMPLE_RATE, VocalTract } from './vocal-tract.js';

/** Blocks between two pauses: half a second of sound, about 1 ms of work. */
const BLOCKS_AT_ONCE = 100;

/** The built-in voice: small, robotic, always available. It reads every script, English best. */
export class FormantVoice implements Voice {
  readonly name = 'formant';

  async speak(sentence: string): Promise<Int16Array> {
    const blocks: Int16Array[] = [];
    for (const block of new VocalTract().perform(gesturesOf(readingOf(sentence)))) {
      blocks.push(block);
      if (blocks.length % BLOCKS_AT_ONCE === 0) await breathe();
    }
    return joined(blocks);
  }
}

function joined(blocks: Int16Array[]): Int16Array {
  const samples = new Int16Array(blocks.length * (SAMPLE_RATE / 200));
  blocks.forEach((block, index) => samples.set(block, index * block.length));
  return samples;
}
