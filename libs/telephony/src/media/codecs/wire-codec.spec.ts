import { describe, expect, it } from '@jest/globals';
import { decode, encode, transcode } from './g711.js';
import { tone } from '../signals/tones.js';
import { fromWire, toWire } from './wire-codec.js';

/** The best signal-to-difference ratio over the possible delays of the filters. */
function snrDb(sent: Int16Array, heard: Int16Array): number {
  const ratios = Array.from({ length: 60 }, (_, delay) => {
    let signal = 0;
    let noise = 0;
    for (let i = 800; i < sent.length - 800; i++) {
      signal += sent[i]! ** 2;
      noise += (sent[i]! - heard[i + delay]!) ** 2;
    }
    return 10 * Math.log10(signal / noise);
  });
  return Math.max(...ratios);
}

describe('audio over the wire and back', () => {
  it.each(['PCMU', 'PCMA'] as const)('in %s is heard unchanged over G.722', (law) => {
    const said = encode(law, tone([440, 1_000, 2_500], 1_000, 4_000));
    const [there, back] = [toWire(law, 'G722'), fromWire('G722', law)];
    const frames = Array.from({ length: 50 }, (_, i) =>
      back.convert(there.convert(said.subarray(160 * i, 160 * i + 160))),
    );
    // The delay of the filters is not a whole sample, which costs more than codec and companding; both sound clean.
    expect(snrDb(decode(law, said), decode(law, Buffer.concat(frames)))).toBeGreaterThan(20);
  });

  it('accepts payloads of any length', () => {
    const back = fromWire('G722', 'PCMA');
    expect([0, 1, 80, 240].map((bytes) => back.convert(Buffer.alloc(bytes, 0x5a)).length)).toEqual([0, 1, 80, 240]);
  });

  it('is converted by table between the laws', () => {
    const frame = Buffer.from([0xff, 0x00, 0x80]);
    expect(toWire('PCMU', 'PCMU').convert(frame)).toBe(frame);
    expect(toWire('PCMU', 'PCMA').convert(frame)).toEqual(transcode(frame, 'PCMU', 'PCMA'));
    expect(fromWire('PCMA', 'PCMU').convert(frame)).toEqual(transcode(frame, 'PCMA', 'PCMU'));
  });
});
