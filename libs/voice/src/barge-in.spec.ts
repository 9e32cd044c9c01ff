import { describe, expect, it } from '@jest/globals';
import { BargeIn, type BargeInTimings } from './barge-in.js';

const FRAME = Buffer.alloc(160);

/** Fake voice activity: `-` silence, `#` voice, 20 ms each. Like the real detector it needs 60 ms to report voice. */
function steps(line: string, timings: Partial<BargeInTimings> = {}): string {
  const voice = { speaking: false, speechMs: 0, silenceMs: 0, push: () => undefined };
  const bargeIn = new BargeIn(voice, { duckMs: 60, interruptMs: 200, guardMs: 0, ...timings });
  let voicedMs = 0;
  const marks = { duck: 'd', restore: 'r', stop: 'S', none: '.' };
  return Array.from(line, (sound) => {
    voice.silenceMs = sound === '#' ? 0 : voice.silenceMs + 20;
    voicedMs = sound === '#' || voice.speaking ? voicedMs + 20 : 0;
    voice.speaking = voicedMs >= 60 && voice.silenceMs < 400;
    voice.speechMs = voice.speaking ? voicedMs : 0;
    return marks[bargeIn.heard(FRAME, true) ?? 'none'];
  }).join('');
}

describe('speech over the agent', () => {
  it.each([
    ['silence has no effect', '----------', '..........'],
    ['a click has no effect', '-##-------', '..........'],
    ['a cough makes the agent quieter for a moment', '-####-----------', '...d.....r......'],
    ['speech of 200 ms stops the agent', '-##########--', '...d......SSS'],
    ['speech with a short pause stops the agent', '-####--#####-', '...d......SSS'],
    [
      'speech that ends too early makes the agent quieter for a moment',
      '-#########------------',
      '...d..........r.......',
    ],
  ])('%s', (_, heard, expected) => expect(steps(heard)).toBe(expected));

  it('speech does not interrupt the guarded first words of the agent', () => {
    expect(steps('####################', { guardMs: 200 })).toBe('.........SSSSSSSSSSS');
  });

  it('with a duck time equal to the interrupt time, speech stops the agent without ducking it first', () => {
    expect(steps('-##########', { duckMs: 200 })).toBe('..........S');
  });
});
