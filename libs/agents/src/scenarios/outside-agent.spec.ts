import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { readScenario, readScenarioFile, type Scenario, ScenarioInvalid } from './scenario.js';

const TARGET = {
  channel: 'sip',
  target: 'sip:agent@voice.example.com',
  transcriber: { provider: 'deepgram' },
  steps: [{ expects: 'Hello' }],
};

const read = (fields: object): Scenario => readScenario({ ...TARGET, ...fields }, { allowsTarget: true });

function problemsOf(run: () => unknown): Record<string, string[]> {
  try {
    run();
  } catch (error) {
    if (error instanceof ScenarioInvalid) return error.problems;
    throw error;
  }
  return {};
}

describe('a scenario with an agent outside of Trunkline', () => {
  it.each<[string, object, string, RegExp]>([
    ['without a transcriber', { transcriber: undefined }, 'transcriber', /required with a target/],
    ['with the sandbox as transcriber', { transcriber: { provider: 'sandbox' } }, 'transcriber.provider', /deepgram/],
    ['with a key in the file', { transcriber: { provider: 'deepgram', key: 'x' } }, 'transcriber', /unknown field key/],
    ['with a transcriber and no target', { target: undefined }, 'transcriber', /needs a target/],
    ['in text', { channel: 'text' }, 'channel', /must be sip/],
    ['in audio', { channel: 'audio' }, 'channel', /must be sip/],
    ['that calls the tester', { direction: 'outbound' }, 'direction', /must be inbound/],
    ['with a number as target', { target: '+15550001111' }, 'target', /must be a SIP URI/],
    ['with a web address as target', { target: 'https://example.com' }, 'target', /must be a SIP URI/],
    ['with live tools', { tools: 'live' }, 'tools', /tools of an agent outside/],
    ['with mocks', { mocks: { look_up: { result: 1 } } }, 'mocks', /tools of an agent outside/],
    ['with metadata', { metadata: { a: 1 } }, 'metadata', /only agents of Trunkline/],
    ['with variables', { variables: { a: 1 } }, 'variables', /only agents of Trunkline/],
    ['with knowledge bases', { knowledge_base_ids: [1] }, 'knowledge_base_ids', /only agents of Trunkline/],
    ['that expects a tool call', { steps: [{ calls: 'look_up' }] }, 'steps.0.calls', /tools of/],
    ['that forbids a tool call', { steps: [{ absent: { calls: 'look_up' } }] }, 'steps.0.absent.calls', /tools of/],
    ['that expects a transfer', { steps: [{ ends: 'transfer' }] }, 'steps.0.ends', /must be hangup, true or false/],
    ['with a tool as goal', { persona: { rules: [{ keys: 1 }], goal: { calls: 'a' } } }, 'persona.goal', /tools of/],
    ['whose judge expects a tool', { judge: { must_call: 'a' } }, 'judge.must_call', /tools of/],
    ['whose judge forbids a tool', { judge: { must_not_call: 'a' } }, 'judge.must_not_call', /tools of/],
    [
      'whose judge orders a tool',
      { judge: { order: { first: { calls: 'a' }, then: 'b' } } },
      'judge.order',
      /tools of/,
    ],
    ['whose judge expects an unknown end', { judge: { ends: ['hangup', 'drained'] } }, 'judge.ends', /must be hangup/],
    [
      'whose judge expects a recording',
      { judge: { audio: { recording: true } } },
      'judge.audio.recording',
      /recordings/,
    ],
  ])('%s is refused with the place of the problem', (_, fields, place, sentence) => {
    const problems = problemsOf(() => read(fields));
    expect(Object.keys(problems)).toEqual([place]);
    expect(problems[place]!.join()).toMatch(sentence);
  });

  it.each<[string, object]>([
    ['words and times', { steps: [{ says: 'Hi', expects: 'Hello', within_ms: 2_000, absent: { says: 'x' } }] }],
    ['keys and the end', { steps: [{ keys: 9, ends: 'hangup' }] }],
    ['a goal in words', { persona: { rules: [{ say: 'Hi' }], goal: { says: 'three euros' } } }],
    ['a caller that a model plays', { persona: { prompt: 'A customer.', goal: 'The price.' } }],
    ['limits of the audio', { judge: { audio: { response_ms: 2_000, silence_ms: 5_000, talks_over: 0, mos: 3.5 } } }],
    ['a rubric', { judge: { rubric: [{ name: 'a', question: 'b', type: 'boolean' }] } }],
    ['another transport', { target: 'sip:agent@voice.example.com:5070;transport=tcp' }],
    ['a model and its language', { transcriber: { provider: 'openai', model: 'a', language: 'de', keywords: ['b'] } }],
  ])('has %s', (_, fields) => expect(read(fields).target).toMatch(/^sip:/));

  it.each<[string, unknown, object]>([
    ['an absent profile', undefined, { voice: 'program', carries_words: false, noise: null }],
    ['a named profile', 'street', { voice: 'program', carries_words: false, noise: { kind: 'traffic' } }],
    ['a profile with values', { like: 'lossy', carries_words: true }, { voice: 'program', carries_words: true }],
  ])('hears a real voice without tones by %s', (_, profile, expected) =>
    expect(read({ profile }).profile).toMatchObject(expected),
  );

  it('shares target and transcriber with the other scenarios of a file', () => {
    const { target, transcriber } = TARGET;
    const scenarios = [
      { name: 'one', channel: 'sip', steps: [{ keys: 9 }] },
      { name: 'two', channel: 'sip', steps: [{ keys: 9 }], target: 'sip:other@voice.example.com' },
    ];
    const file = JSON.stringify({ account: 'acme', target, transcriber, scenarios });
    expect(readScenarioFile(file, { allowsTarget: true })).toMatchObject([
      { account: 'acme', scenario: { target, transcriber } },
      { account: 'acme', scenario: { target: 'sip:other@voice.example.com', transcriber } },
    ]);
    expect(problemsOf(() => readScenarioFile(file))).toEqual({
      'scenarios.0.target': ['is supported by the command `trunkline simulate` only'],
    });
  });

  it('is valid as docs/outside-agents.md has it', () => {
    const [, documented = ''] =
      /```yaml\n(# outside\.yaml\n.*?)```/s.exec(readFileSync('docs/outside-agents.md', 'utf8')) ?? [];
    expect(readScenarioFile(documented, { allowsTarget: true })).toMatchObject([
      { scenario: { target: TARGET.target, profile: { noise: { kind: 'traffic' }, carries_words: false } } },
    ]);
  });

  it('is refused where the command line does not play it', () =>
    expect(problemsOf(() => readScenario(TARGET))).toEqual({
      target: ['is supported by the command `trunkline simulate` only'],
    }));
});
