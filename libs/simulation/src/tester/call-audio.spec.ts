import { describe, expect, it } from '@jest/globals';
import { readScenario, CLEAN_LINE } from '@app/agents/scenarios';
import { callAudioOf, type SpeechSpan } from './call-audio.js';
import { PacketFates } from './packet-path.js';

const spans = (...pairs: [startMs: number, endMs: number][]): SpeechSpan[] =>
  pairs.map(([startMs, endMs]) => ({ startMs, endMs }));

describe("what a caller's phone heard", () => {
  it('of a polite conversation is the time of each answer, and the longest silence', () => {
    const agent = spans([300, 2_000], [4_500, 6_000]);
    const caller = spans([2_500, 3_500]);
    expect(callAudioOf({ agent, caller, intended: [], endMs: 6_200 })).toEqual({
      responses: [1_000],
      longest_silence_ms: 1_000,
      overlap_ms: 0,
      interruptions: [],
      talked_over: 0,
      first_sound_ms: 300,
      agent_speech_ms: 3_200,
      caller_speech_ms: 1_000,
    });
  });

  it('tells an interruption by the caller from an agent that speaks over the caller', () => {
    const interrupted = { agent: spans([0, 3_400]), caller: spans([3_000, 4_000]), intended: [], endMs: 4_000 };
    expect(callAudioOf(interrupted)).toMatchObject({ interruptions: [400], talked_over: 0, overlap_ms: 400 });
    const rude = { agent: spans([3_500, 5_000]), caller: spans([3_000, 4_000]), intended: [], endMs: 5_000 };
    expect(callAudioOf(rude)).toMatchObject({ interruptions: [], talked_over: 1, responses: [] });
  });

  it.each([
    ['of the agent counts', [], 9_000],
    ['that the scenario wants does not count', spans([1_000, 9_500]), 500],
  ])('a silence %s', (_, intended, longest) => {
    const heard = { agent: spans([0, 1_000], [10_000, 11_000]), caller: [], intended, endMs: 11_000 };
    expect(callAudioOf(heard).longest_silence_ms).toBe(longest);
  });

  it('of a silent agent is nothing', () => {
    const heard = { agent: [], caller: spans([500, 900]), intended: [], endMs: 8_000 };
    expect(callAudioOf(heard)).toMatchObject({ responses: [], first_sound_ms: null, longest_silence_ms: 7_100 });
  });
});

describe('a network with faults', () => {
  const fates = (network: object, seed = 'seed'): (number | undefined)[] => {
    const next = new PacketFates({ ...CLEAN_LINE, ...network }, seed);
    return Array.from({ length: 20_000 }, () => next.next());
  };
  const lost = (all: readonly (number | undefined)[]): number => all.filter((one) => one === undefined).length;

  it('does the same to the same packets for the same seed, and something else for another', () => {
    const network = { loss: { share: 0.1, burst: 3 }, jitter_ms: 40 };
    expect(fates(network)).toEqual(fates(network));
    expect(fates(network)).not.toEqual(fates(network, 'other'));
  });

  it.each([1, 2, 8])('loses the share of packets, in bursts of %d', (burst) => {
    const all = fates({ loss: { share: 0.1, burst } });
    const bursts = all.filter((one, i) => one === undefined && all[i - 1] !== undefined).length;
    expect(lost(all) / all.length).toBeCloseTo(0.1, 1);
    expect(lost(all) / bursts).toBeGreaterThan(burst * 0.8);
    expect(lost(all) / bursts).toBeLessThan(burst * 1.25 + 0.2);
  });

  it('delays each packet within its jitter', () => {
    const delays = fates({ delay_ms: 100, jitter_ms: 30 }).filter((one) => one !== undefined);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...delays)).toBeLessThan(130);
  });
});

describe('the profile of a scenario', () => {
  const profileOf = (profile: unknown) =>
    readScenario({ name: 'p', channel: 'audio', steps: [{ says: 'Hi' }], profile }).profile;

  it.each([
    ['clean', { codec: 'PCMU', noise: null, loss: null, name: 'clean' }],
    ['street', { noise: { kind: 'traffic', snr_db: 12 }, name: 'street' }],
    [
      { like: 'street', loss: { share: 0.1 } },
      { noise: { kind: 'traffic' }, loss: { share: 0.1, burst: 1 } },
    ],
    [
      { like: 'street', noise: null },
      { noise: null, name: 'custom' },
    ],
    [{ volume_db: -20 }, { codec: 'PCMU', volume_db: -20 }],
    [undefined, { name: 'clean' }],
  ])('%j has its values', (given, expected) => expect(profileOf(given)).toMatchObject(expected));

  it.each([['tunnel'], [{ loss: { share: 0.9 } }], [{ like: 'tunnel' }], [{ volume: 3 }]])('%j is refused', (given) =>
    expect(() => profileOf(given)).toThrow(/profile/),
  );
});
