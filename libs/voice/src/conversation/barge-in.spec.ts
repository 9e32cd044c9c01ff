import { describe, expect, it } from '@jest/globals';
import { BargeIn, type BargeInTimings } from './barge-in.js';

const FRAME = Buffer.alloc(160);
const MARKS = { duck: 'd', restore: 'r', stop: 'S', hold: 'H', continue: 'C', none: '.' };

/** Fake voice activity: `-` silence, `#` voice, 20 ms each. Like the real detector it needs 60 ms to report voice. */
function sounds(timings: Partial<BargeInTimings>) {
  const voice = { speaking: false, speechMs: 0, silenceMs: 0, push: () => undefined };
  const bargeIn = new BargeIn(voice, { duckMs: 60, interruptMs: 200, guardMs: 0, ...timings });
  let voicedMs = 0;
  const hear = (sound: string): void => {
    const isQuiet = sound === '-' || sound === 'o';
    voice.silenceMs = isQuiet ? voice.silenceMs + 20 : 0;
    voicedMs = !isQuiet || voice.speaking ? voicedMs + 20 : 0;
    voice.speaking = voicedMs >= 60 && voice.silenceMs < 400;
    if (!voice.speaking && isQuiet) voicedMs = 0;
    voice.speechMs = voice.speaking ? voicedMs : 0;
  };
  return { bargeIn, hear };
}

function steps(line: string, timings: Partial<BargeInTimings> = {}): string {
  const { bargeIn, hear } = sounds(timings);
  return Array.from(line, (sound) => {
    hear(sound);
    return MARKS[bargeIn.heard(FRAME, { speaks: true }) ?? 'none'];
  }).join('');
}

/**
 * The same for a provider that judges interruptions: `n` is voice with a judgement `not_interrupted` before it, `x` voice and
 * `o` silence after the provider was lost, `c` voice while the agent says goodbye.
 */
function judge(line: string): string {
  const { bargeIn, hear } = sounds({});
  let isHeld = false;
  let isJudged = true;
  return Array.from(line, (sound) => {
    hear(sound);
    if ('xo'.includes(sound)) isJudged = false;
    if (sound === 'n') {
      bargeIn.harmless();
      isHeld = false;
    }
    const step = bargeIn.heard(FRAME, { speaks: sound !== 'c', isHeld, isJudged });
    if (step === 'hold' || step === 'continue' || step === 'stop') isHeld = step === 'hold';
    return MARKS[step ?? 'none'];
  }).join('');
}

const times = (count: number, text: string): string => text.repeat(count);

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

describe('speech over an agent whose provider judges interruptions', () => {
  it.each([
    ['a cough makes the agent quieter and does not hold it', '-####-----------', '...d.....r......'],
    ['speech of 200 ms holds the agent once', '-###############', '...d......H.....'],
    [
      'the agent continues 1.5 s after the voice when there is no judgement',
      `-###########${times(78, '-')}`,
      `...d......H.${times(74, '.')}C...`,
    ],
    [
      'the agent continues after 3 s of voice without a judgement, and is not held again by that voice',
      times(200, '#'),
      `..d......H${times(149, '.')}C${times(40, '.')}`,
    ],
    [
      'after a judgement the same speech does not hold the agent again, and a later one does',
      `-###########n####${times(20, '-')}##########`,
      `...d......H.d........r${times(24, '.')}`.slice(0, 39) + 'd......H',
    ],
    ['speech stops the agent when the provider is lost', '-###########xx', '...d......H.SS'],
    ['the agent continues when the provider is lost after the voice', '-##########------o', '...d......H......C'],
    ['the agent continues when it says goodbye', '-###########c', '...d......H.C'],
  ])('%s', (_, heard, expected) => expect(judge(heard)).toBe(expected));
});
