import { afterAll, describe, expect, it } from '@jest/globals';
import { createLog, deepWithSecureValues } from '@app/common';
import { knowledgeTool } from '@app/agents';
import { argumentProblems } from '@app/json-schema';
import { systemClock } from '@app/voice';
import { SandboxProvider, SandboxServer } from '@app/sandbox';
import { readScenario } from '@app/agents/scenarios';
import { SILENT_SPEECH } from './silent-line.js';
import { simulate } from './simulation.js';
import type { SimulatedAgent } from './simulated-agent.js';

const server = await SandboxServer.start({ speech: SILENT_SPEECH });
afterAll(() => server.close());

const log = createLog({ level: 'silent', role: 'test' });
const settings = {
  agent: { name: 'Ada', instructions: 'Take orders for tea.', greeting: 'Hello, this is the tea house.' },
};
const search = knowledgeTool(() => Promise.resolve([]), { titles: ['Prices'], languages: [] });

const play = (scenario: object, agent: Partial<SimulatedAgent> = {}) =>
  simulate(
    {
      provider: new SandboxProvider({ server, speech: SILENT_SPEECH, clock: systemClock }),
      settings,
      tools: () => [],
      others: [search],
      mayTransfer: true,
      checkArguments: argumentProblems,
      ...agent,
    },
    readScenario(scenario),
    log,
  );

describe('a simulated conversation', () => {
  it('plays greeting, keys, a mocked search and the hangup', async () => {
    const passages = [{ title: 'Prices', text: 'Article 4711 costs three euros.' }];
    const result = await play({
      mocks: { search_knowledge_base: { arguments: { query: '4711' }, result: { results: passages } } },
      steps: [
        { expects: 'the tea house', absent: { calls: 'end_call' } },
        { keys: '4711#', expects: { matches: '(three|3) euros' }, calls: { tool: 'search_knowledge_base', ok: true } },
        { says: 'What does 4711 cost?', calls: { tool: 'search_knowledge_base', arguments: { query: 'nothing' } } },
        { keys: 9, expects: 'Goodbye', calls: 'end_call', ends: 'hangup' },
      ],
    });
    expect(result.steps.map(({ passed }) => passed)).toEqual([true, true, false, true]);
    expect(result.steps[2]?.failures).toEqual([
      expect.stringMatching(/^The agent called search_knowledge_base, but not with \{"query":"nothing"\}/),
      'search_knowledge_base has no mock for these arguments.',
    ]);
    expect(result).toMatchObject({ passed: false, end: { cause: 'agent_hangup' }, error: null });
    expect(result.transcript.map(({ role }) => role)).toEqual(expect.arrayContaining(['agent', 'caller']));
  });

  it('enters secret digits by keys: the tool of the account gets them, the result of the simulation does not have them', async () => {
    const paid: unknown[] = [];
    const card = {
      ...{ name: 'card', prompt: 'Please enter your card number.', minLength: 12, maxLength: 19, finishKey: '#' },
      ...{ timeoutSeconds: 5, attempts: 2, secure: true, validate: 'luhn' as const },
    };
    const script = {
      rules: [
        { on: { text: 'pay' }, call: { tool: 'collect_digits', arguments: { name: 'card' } } },
        { on: { tool: 'collect_digits', failed: true }, say: 'That failed: {{result.error.code}}.' },
        { on: { tool: 'collect_digits' }, call: { tool: 'pay', arguments: { card: '{{result.value}}' } } },
        { on: { tool: 'pay' }, say: 'It is paid.' },
      ],
    };
    const result = await play(
      {
        tools: 'live',
        steps: [
          { says: 'I want to pay.', expects: 'enter your card' },
          { keys: '4242424242424241#', expects: 'enter your card' },
          {
            keys: '4242424242424242#',
            expects: 'paid',
            calls: { tool: 'pay', arguments: { card: '{{secure.card}}' } },
          },
          { says: 'I want to pay again.', expects: 'enter your card' },
          { silence: 30, expects: 'failed: no_input' },
        ],
      },
      {
        provider: new SandboxProvider({ server, speech: SILENT_SPEECH, clock: systemClock, script }),
        settings: { ...settings, digitInputs: [card] },
        tools: (_noteRun, { secure }) => [
          {
            ...{ name: 'pay', description: 'Pays.', parameters: { type: 'object' } },
            run: (args) => Promise.resolve(paid.push(deepWithSecureValues(args, secure))),
          },
        ],
      },
    );
    expect(result.steps.flatMap(({ failures }) => failures)).toEqual([]);
    expect(paid).toEqual([{ card: '4242424242424242' }]);
    expect(JSON.stringify(result)).not.toContain('42424');
  });

  it('skips silence: two idle prompts and the hangup take no real time', async () => {
    const result = await play({
      steps: [
        { silence: 11, expects: 'still there', ends: false },
        { silence: 25, expects: 'hang up', ends: 'agent_hangup' },
      ],
    });
    expect(result.steps.flatMap(({ failures }) => failures)).toEqual([]);
    expect(result.conversationMs).toBeGreaterThan(30_000);
    expect(result.durationMs).toBeLessThan(10_000);
  });

  it('skips the time of a mocked tool, in which the agent says that it is still there', async () => {
    const slow = { result: { results: [] }, after_ms: 4_000 };
    const result = await play({
      mocks: { search_knowledge_base: [slow, { error: { code: 'search_failed', message: 'No.' } }] },
      steps: [
        { keys: '4711#', expects: [{ any_of: ['one moment', 'let me'] }, 'I found nothing'], within_ms: 1_500 },
        { keys: '4712#', calls: { tool: 'search_knowledge_base', ok: false }, expects: 'did not work' },
      ],
    });
    expect(result.steps.flatMap(({ failures }) => failures)).toEqual([]);
    expect(result.conversationMs).toBeGreaterThanOrEqual(4_000);
  });

  it('reads keys after their pause, and transfers without dialling', async () => {
    const result = await play({
      steps: [{ keys: '8', expects: 'connecting', calls: 'call_transfer', ends: 'transfer' }],
    });
    expect(result.steps.flatMap(({ failures }) => failures)).toEqual([]);
    expect(result.end).toEqual({ endedBy: 'agent', cause: 'transferred' });
  });

  it('reports late, missing and unwanted events, and an early end', async () => {
    const result = await play({
      steps: [
        { keys: '5', within_ms: 1_000, absent: { says: 'key 5' } },
        { keys: '9', ends: false },
        { says: 'Hello?' },
      ],
    });
    const failures = result.steps.map((step) => step.failures.join(' '));
    expect(failures[0]).toMatch(/^The agent said "key 5".* The agent spoke after 2\d{3} ms, not within 1000\.$/);
    expect(failures.slice(1)).toEqual([
      'The conversation ended: agent_hangup.',
      'The conversation was over before this step: agent_hangup.',
    ]);
  });
});
