import { describe, expect, it } from '@jest/globals';
import { measuresView } from '../presenters/call-measures.presenter.js';
import { answerMs, answerParts, type CallMeasures, percentile, type StoredLatency } from './call-measures.js';

describe('the parts of an answer', () => {
  it.each<[string, StoredLatency, (number | null)[]]>([
    [
      'of a pipeline are separate',
      { endpoint_ms: 300, first_token_ms: 700, first_audio_ms: 900, heard_ms: 920 },
      [300, 400, 0, 200, 20],
    ],
    [
      'of a speech-to-speech provider have no synthesis',
      { endpoint_ms: 300, first_audio_ms: 900, heard_ms: 920 },
      [300, 600, 0, null, 20],
    ],
    [
      'separate the tools from the model',
      { endpoint_ms: 300, first_token_ms: 1_700, tools_ms: 1_000, first_audio_ms: 1_900, heard_ms: 1_920 },
      [300, 400, 1_000, 200, 20],
    ],
    [
      'do not overlap when the model began before the end of the turn was certain',
      { endpoint_ms: 500, first_token_ms: 350, first_audio_ms: 480, heard_ms: 540 },
      [500, 0, 0, 0, 40],
    ],
    [
      'have no more tools than time, when a tool still runs while the agent speaks',
      { endpoint_ms: 300, first_token_ms: 500, tools_ms: 4_000, first_audio_ms: 600, heard_ms: 620 },
      [300, 0, 200, 100, 20],
    ],
    ['end with the answer', { endpoint_ms: 900, first_audio_ms: 950, heard_ms: 800 }, [800, 0, 0, null, 0]],
    ['of an immediate answer are zero', { endpoint_ms: 0, first_audio_ms: 0, heard_ms: 0 }, [0, 0, 0, null, 0]],
  ])('%s', (_, latency, parts) => {
    const answer = answerParts(latency);
    expect(Object.values(answer)).toEqual(parts);
    expect(answerMs(answer)).toBe(latency.heard_ms);
  });
});

it.each([
  [[7], 0.5, 7],
  [[1, 2], 0.5, 1],
  [[1, 2, 3], 0.5, 2],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9, 9],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 0.9, 10],
  [[1, 2, 3], 1, 3],
])('the percentile of %j at %f is %d', (values, share, value) => expect(percentile(values, share)).toBe(value));

const QUALITY = {
  codec: 'PCMU',
  received: { mos: 4.4, loss_rate: 0, jitter_ms: 1 },
  sent: { mos: 3.9, loss_rate: 0.01, jitter_ms: 2 },
  round_trip_ms: 42.4,
};
const answer = (endpointing_ms: number, model_ms: number, synthesis_ms: number | null) => {
  return { endpointing_ms, model_ms, tools_ms: 0, synthesis_ms, playout_ms: 20 };
};
const CONVERSATION = {
  answers: [answer(300, 400, 100), answer(200, 300, 200), answer(400, 1_000, null)],
  turns: { agent: 4, user: 3 },
  interruptions: { by_user: 1, false: 0, ignored: 2 },
  talk: { agent_ms: 3_000, user_ms: 1_000, silence_ms: 500 },
  tools: { calls: 0, failed: 0 },
  knowledge: { searches: 0, found: 0 },
};
const UNKNOWN = { quality: null, latency: null, interruptions: null, turns: null, talk: null };

describe('the numbers of a call', () => {
  it('show the worse direction, and percentiles of the whole and of each part', () => {
    const view = measuresView({ quality: QUALITY, conversation: CONVERSATION });
    expect(view.quality).toEqual({ mos: 3.9, ...QUALITY });
    expect(view.latency).toMatchObject({
      answers: 3,
      total: { mean_ms: 987, p50_ms: 820, p90_ms: 1_420, max_ms: 1_420 },
      endpointing: { mean_ms: 300, p50_ms: 300, p90_ms: 400, max_ms: 400 },
      model: { p50_ms: 400, max_ms: 1_000 },
      tools: { max_ms: 0 },
      // Of the two answers that know it.
      synthesis: { mean_ms: 150, p50_ms: 100, max_ms: 200 },
      playout: { p50_ms: 20 },
      network_ms: 42,
    });
    expect(view).toMatchObject({ interruptions: CONVERSATION.interruptions, turns: { agent: 4, user: 3 } });
    expect(view.talk).toEqual({ ...CONVERSATION.talk, agent_share: 0.75 });
  });

  it.each<[string, CallMeasures | null, object]>([
    ['are unknown for a call that stored none', null, UNKNOWN],
    ['of silence are unknown', { quality: null, conversation: null }, UNKNOWN],
    [
      'have one direction without reports of the remote party',
      { quality: { ...QUALITY, sent: null, round_trip_ms: null }, conversation: null },
      { ...UNKNOWN, quality: { mos: 4.4, ...QUALITY, sent: null, round_trip_ms: null } },
    ],
    [
      'have no latency without an answer, and no share without speech',
      {
        quality: null,
        conversation: { ...CONVERSATION, answers: [], talk: { agent_ms: 0, user_ms: 0, silence_ms: 9 } },
      },
      { latency: null, talk: { agent_ms: 0, user_ms: 0, silence_ms: 9, agent_share: null } },
    ],
    [
      'have no synthesis when the provider speaks itself',
      { quality: null, conversation: { ...CONVERSATION, answers: [answer(300, 500, null)] } },
      { latency: { synthesis: null, model: { mean_ms: 500 }, network_ms: null } },
    ],
  ])('%s', (_, measures, expected) => expect(measuresView(measures)).toMatchObject(expected));
});
