import { describe, expect, it } from '@jest/globals';
import { decode, encode } from './g711.js';
import { FRAME_BYTES, type G711 } from './media-port.js';
import { levelDb } from './voice-activity.js';
import { Volume } from './volume.js';

const loud = (law: G711): Buffer =>
  encode(
    law,
    Int16Array.from({ length: FRAME_BYTES }, (_, i) => 8_000 * Math.sin((2 * Math.PI * i) / 16)),
  );

/** Levels of consecutive frames relative to the original. */
function levels(law: G711, volume: Volume, frames: number): number[] {
  return Array.from({ length: frames }, () => {
    const frame = Buffer.from(loud(law));
    volume.apply(law, frame, FRAME_BYTES);
    return Math.round(levelDb(law, frame) - levelDb(law, loud(law)));
  });
}

describe.each<G711>(['PCMU', 'PCMA'])('the volume of %s', (law) => {
  it('reaches the requested level within two frames and returns as fast', () => {
    const volume = new Volume();
    volume.attenuate(12);
    expect(levels(law, volume, 3)).toEqual([-6, -12, -12]);
    volume.attenuate(0);
    expect(levels(law, volume, 3)).toEqual([-6, 0, 0]);
  });

  it('leaves audio unchanged by default', () => {
    const frame = Buffer.from(loud(law));
    new Volume().apply(law, frame, FRAME_BYTES);
    expect(frame).toEqual(loud(law));
  });

  it('keeps silence silent, and changes only the given bytes', () => {
    const frame = Buffer.concat([encode(law, new Int16Array(80)), loud(law).subarray(0, 80)]);
    const volume = new Volume();
    volume.attenuate(6);
    volume.apply(law, frame, 80);
    expect(decode(law, frame.subarray(0, 80)).every((sample) => Math.abs(sample) <= 8)).toBe(true);
    expect(frame.subarray(80)).toEqual(loud(law).subarray(0, 80));
  });
});
