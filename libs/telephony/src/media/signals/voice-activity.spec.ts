import { describe, expect, it } from '@jest/globals';
import { encode } from '../codecs/g711.js';
import { FRAME_BYTES, type G711 } from '../session/media-port.js';
import { join, silence, tone } from './tones.js';
import { levelDb, VoiceActivity, type VoiceEvent } from './voice-activity.js';

/** A repeatable noise of the given peak: a linear congruential generator. */
function noise(ms: number, peak: number): Int16Array {
  let state = 12_345;
  return Int16Array.from({ length: ms * 8 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.round((state / 0x40000000 - 1) * peak);
  });
}

/** Syllables of 160 ms with 80 ms between them. */
const speech = (syllables: number, level = 6_000): Int16Array =>
  join(Array.from({ length: syllables }, () => [tone([180, 720, 1_400], 160, level / 3), silence(80)]).flat());

const mix = (a: Int16Array, b: Int16Array): Int16Array => a.map((sample, i) => sample + (b[i] ?? 0));

function listen(activity: VoiceActivity, pcm: Int16Array, codec: G711 = 'PCMU'): VoiceEvent[] {
  const audio = encode(codec, pcm);
  const events: VoiceEvent[] = [];
  for (let at = 0; at < audio.length; at += FRAME_BYTES) {
    const event = activity.push(audio.subarray(at, at + FRAME_BYTES));
    if (event) events.push(event);
  }
  return events;
}

const types = (events: VoiceEvent[]): string[] => events.map((event) => event.type);

describe('voice activity', () => {
  it.each<G711>(['PCMU', 'PCMA'])('detects one utterance with its times (%s)', (codec) => {
    const events = listen(new VoiceActivity(codec), join([silence(500), speech(5), silence(1_000)]), codec);
    expect(events).toEqual([
      { type: 'speech-start', atMs: 500 },
      { type: 'speech-stop', atMs: 1_620, spokenMs: 1_120 },
    ]);
  });

  it.each([
    ['digital silence', silence(3_000), []],
    ['soft line noise', noise(3_000, 60), []],
    ['a click of 20 ms', join([silence(400), tone([800], 20, 20_000), silence(800)]), []],
    ['a word of 200 ms', join([silence(400), tone([300], 200), silence(800)]), ['speech-start', 'speech-stop']],
    [
      'two words with a breath',
      join([speech(1), silence(300), speech(1), silence(600)]),
      ['speech-start', 'speech-stop'],
    ],
    [
      'two sentences',
      join([speech(3), silence(900), speech(3), silence(900)]),
      ['speech-start', 'speech-stop', 'speech-start', 'speech-stop'],
    ],
    [
      'speech over line noise',
      mix(join([silence(800), speech(4), silence(900)]), noise(2_660, 200)),
      ['speech-start', 'speech-stop'],
    ],
  ])('%s', (_name, pcm, expected) => expect(types(listen(new VoiceActivity('PCMU'), pcm))).toEqual(expected));

  it('stops treating a steady noise as speech once the noise floor has risen', () => {
    const activity = new VoiceActivity('PCMU');
    const events = listen(activity, noise(8_000, 900));
    expect(types(events)).toEqual(['speech-start', 'speech-stop']);
    expect(types(listen(activity, mix(speech(5, 24_000), noise(1_200, 900))))).toEqual(['speech-start']);
  });

  it('reports the duration of the current speech for a barge-in policy', () => {
    const activity = new VoiceActivity('PCMU', { startMs: 60 });
    listen(activity, join([silence(200), tone([300], 60)]));
    expect(activity.speechMs).toBe(60);
    listen(activity, tone([300], 140));
    expect(activity.speechMs).toBe(200);
    expect(activity.speaking).toBe(true);
  });

  it('measures levels in dB below full scale', () => {
    expect(levelDb('PCMU', encode('PCMU', tone([1_000], 200, 32_000)))).toBeCloseTo(-3.3, 0);
    expect(levelDb('PCMU', encode('PCMU', silence(20)))).toBe(-100);
  });
});
