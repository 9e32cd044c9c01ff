import { createLog } from '@app/common';
import { argumentProblems } from '@app/json-schema';
import { systemClock, type VoiceTool } from '@app/voice';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { SandboxProvider, SandboxServer, readScript } from '@app/sandbox';
import { readScenario, readScenarioFile, type Scenario } from '@app/agents/scenarios';
import { SILENT_SPEECH } from './silent-line.js';
import { simulate, type SimulationResult } from './simulation.js';

const FOLDER = 'test/data/testers';
const agents = parse(readFileSync(`${FOLDER}/agents.yaml`, 'utf8')) as {
  greeting: string;
  healthy: object[];
  faults: Record<string, object[]>;
};
const [price, person] = readScenarioFile(readFileSync(`${FOLDER}/scenarios.yaml`, 'utf8')).map(
  ({ scenario }) => scenario,
);

const server = await SandboxServer.start({ speech: SILENT_SPEECH });
afterAll(() => server.close());

const checkIdentity: VoiceTool = {
  name: 'check_identity',
  description: 'Checks a customer number.',
  parameters: { type: 'object', properties: { customer: { type: 'string' } } },
  run: () => Promise.resolve({ known: true }),
};

const play = (
  rules: object[],
  scenario: Scenario,
  repetition = 0,
  greeting = agents.greeting,
): Promise<SimulationResult> => {
  const script = readScript({ rules });
  return simulate(
    {
      provider: new SandboxProvider({ server, speech: SILENT_SPEECH, clock: systemClock, script }),
      settings: { agent: { name: 'Ada', instructions: 'Sell tea.', greeting } },
      tools: () => [checkIdentity],
      others: [],
      mayTransfer: true,
      checkArguments: argumentProblems,
    },
    scenario,
    createLog({ level: 'silent', role: 'test' }),
    { repetition },
  );
};

const failuresOf = ({ steps, checks, error }: SimulationResult): string[] => [
  ...(error === null ? [] : [error]),
  ...[...steps, ...checks].flatMap(({ failures }) => failures),
];

/** The results of all conversations of a scenario. */
const repeated = (rules: object[], scenario: Scenario): Promise<SimulationResult[]> =>
  Promise.all(Array.from({ length: scenario.repeat }, (_, repetition) => play(rules, scenario, repetition)));

describe('tester callers', () => {
  it.each([
    ['a price', price!],
    ['a transfer', person!],
  ])('pass a healthy agent 20 of 20 times: %s', async (_, scenario) => {
    const results = await repeated(agents.healthy, scenario);
    expect(results.flatMap(failuresOf)).toEqual([]);
    expect(results.map(({ passed }) => passed)).toEqual(Array<boolean>(20).fill(true));
    expect(
      new Set(results.map(({ transcript }) => JSON.stringify(transcript.map(({ text }) => text)))).size,
    ).toBeGreaterThan(1);
  });

  it.each<[string, Scenario, RegExp]>([
    ['wrong_price', price!, /did not say "three euros"/],
    ['no_identity_check', price!, /before the agent called check_identity/],
    ['endless_talk', price!, /words in one turn, more than 20/],
    ['no_transfer', person!, /did not reach its goal|gave up/],
  ])('find the broken agent %s in every conversation', async (fault, scenario, sentence) => {
    const results = await repeated([...agents.faults[fault]!, ...agents.healthy], scenario);
    expect(results.map(({ passed }) => passed)).toEqual(Array<boolean>(20).fill(false));
    for (const result of results) expect(failuresOf(result).join(' ')).toMatch(sentence);
  });

  it('make the same choices with the same seed, and other ones with another seed', async () => {
    const words = async (seed: number): Promise<string> => {
      const scenario = { ...price!, repeat: 5, persona: { ...price!.persona!, seed } } as Scenario;
      const results = await repeated(agents.healthy, scenario);
      return JSON.stringify(results.map(({ transcript }) => transcript.map(({ text }) => text)));
    };
    const [first, again, other] = [await words(1), await words(1), await words(2)];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });
});

describe('a scripted persona', () => {
  const TALKER = [{ on: { text: true }, say: 'Well, well.' }];
  const persona = (fields: object, more: object = {}) => readScenario({ persona: fields, ...more });

  it('hangs up when no rule applies to several replies, and the conversation has failed', async () => {
    const scenario = persona({
      rules: [{ when: 'help', say: 'Hello.' }],
      otherwise: 'Pardon?',
      impatience: { replies: 2 },
    });
    const result = await play(TALKER, scenario);
    expect(result.transcript.map(({ text }) => text).slice(1)).toEqual([
      'Hello.',
      'Well, well.',
      'Pardon?',
      'Well, well.',
    ]);
    expect(failuresOf(result)).toEqual([
      'The caller gave up: no rule applied to 2 replies in sequence. The agent said last: "Well, well."',
    ]);
    expect(result.end).toBeNull();
  });

  it('says farewell when its goal is reached, and presses keys', async () => {
    const rules = [
      { on: { digits: '1' }, say: 'Opening times: nine to five.' },
      { on: { text: 'bye' }, say: 'Goodbye.', hang_up: true },
    ];
    const scenario = persona(
      { rules: [{ when: 'help', keys: '1#' }], goal: 'nine to five', farewell: 'Thanks, bye.' },
      { judge: { ends: 'hangup', order: { first: { hears: '1' }, then: 'nine to five' } } },
    );
    const result = await play(rules, scenario);
    expect(failuresOf(result)).toEqual([]);
    expect(result.transcript.at(-1)?.text).toBe('Goodbye.');
  });

  it('fails when the agent ends the call before the goal is reached, or when its turns are used up', async () => {
    const fields = { rules: [{ say: 'Go on.', times: 100 }], goal: 'the price is', max_turns: 3 };
    const early = await play([{ on: { text: true }, say: 'Bye.', hang_up: true }], persona(fields));
    const late = await play(TALKER, persona(fields));
    for (const result of [early, late])
      expect(failuresOf(result)).toEqual(['The caller did not reach its goal: that the agent said "the price is".']);
    expect(late.transcript.filter(({ role }) => role === 'caller')).toHaveLength(3);
  });

  it('interrupts while a tool of the agent is running', async () => {
    const rules = [
      { on: { text: 'number' }, say: 'One moment.', call: { tool: 'check_identity', arguments: {} } },
      { on: { text: 'wait' }, say: 'Very well.', hang_up: true },
    ];
    const rule = { when: 'One moment', say: 'I cannot wait.' };
    const mocks = { check_identity: { result: {}, after_ms: 60_000 } };
    const first = { when: 'help', say: 'My number is 7.' };
    const impatient = await play(rules, persona({ rules: [first, { ...rule, interrupts: true }] }, { mocks }));
    const said = impatient.transcript.map(({ text }) => text);
    expect(said).toContain('I cannot wait.');
    expect(impatient.conversationMs).toBeLessThan(50_000);
  });

  it('continues with the words of the last step, and hangs up when the agent falls silent', async () => {
    const fields = { rules: [{ when: 'help', say: 'Hello?' }], impatience: { seconds: 3 } };
    const result = await play([{ on: { text: true }, say: '' }], persona(fields, { steps: [{ expects: 'help' }] }));
    expect(result.steps[0]?.passed).toBe(true);
    expect(result.transcript.map(({ role }) => role)).toEqual(['agent', 'caller']);
    expect(failuresOf(result)).toEqual(['The caller gave up: the agent said nothing for 3 seconds.']);
  });
});

describe('the scenario of a tester caller', () => {
  it.each<[string, object, string]>([
    ['neither steps nor a persona', {}, 'steps'],
    ['a persona without rules', { persona: { rules: [] } }, 'persona.rules'],
    ['a rule that does nothing', { persona: { rules: [{ when: 'a' }] } }, 'persona.rules.0'],
    ['a judge that judges nothing', { steps: [{ says: 'a' }], judge: {} }, 'judge'],
    [
      'a score to pass that cannot be reached',
      { steps: [{ says: 'a' }], judge: { rubric: [{ name: 'a', question: 'b', type: 'score', pass: 9 }] } },
      'judge.rubric.0.pass',
    ],
    ['an unknown profile', { channel: 'audio', steps: [{ says: 'a' }], profile: 'tunnel' }, 'profile'],
    ['a model without a vendor', { persona: { prompt: 'a', goal: 'b', model: 'gpt' } }, 'persona.model'],
  ])('with %s is refused with its place', (_, value, place) => {
    expect(() => readScenario(value)).toThrow(
      expect.objectContaining({ problems: expect.objectContaining({ [place]: expect.anything() }) }),
    );
  });
});
