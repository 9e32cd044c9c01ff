import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';

const NOTICE = 'I am a virtual assistant.';
const GUARDRAILS = [
  { name: 'no_promise', on: 'agent', pattern: 'guarantee[ds]?', action: 'replace', text: 'I cannot promise that.' },
  { name: 'risk_notice', on: 'agent', topics: ['share price'], action: 'say', text: 'Prices can fall.' },
  { name: 'no_diagnosis', on: 'user', topics: ['diagnosis'], action: 'say', text: 'Please ask your doctor.' },
  { name: 'insult', on: 'user', topics: ['idiot'], action: 'end', text: 'Goodbye then.' },
  { name: 'secret_word', on: 'agent', pattern: 'swordfish', action: 'block' },
  { name: 'large_order', on: 'tool', pattern: '"count":\\s*[0-9]{3}', action: 'block', text: 'At most 99 pieces.' },
  { name: 'noted', on: 'user', topics: ['complain'], action: 'flag' },
];
const SCRIPT = {
  rules: [
    { on: { text: 'return' }, say: 'Let me see. This return is guaranteed. Anything else?' },
    { on: { text: 'share' }, say: 'The share prices are at ten euros.' },
    { on: { text: 'password' }, say: 'It is swordfish.' },
    { on: { text: 'diagnos' }, say: 'You have a cold.' },
    { on: { text: 'complain' }, say: 'I am sorry to hear that.' },
    { on: { text: 'order' }, call: { tool: 'order', arguments: { count: 500 } } },
  ],
};
const AGENT = {
  greeting: 'Hello, this is ACME.',
  script: SCRIPT,
  guardrails: GUARDRAILS,
  disclosure: [
    { language: 'en', text: NOTICE },
    { language: 'de', text: 'Ich bin ein Assistent.' },
  ],
};

const service = Service.get();
let own: StoryAccount;
let other: StoryAccount;
let agentId: number;

beforeAll(async () => {
  [own, other] = await Promise.all([StoryAccount.open(service), StoryAccount.open(service)]);
  ({ agentId } = own.workspace);
  await own.me.patch(`/api/v1/agents/${agentId}`).send(AGENT).expect(200);
  const order = {
    name: 'order',
    description: 'Orders pieces.',
    parameters: { type: 'object', properties: { count: { type: 'integer' } } },
    webhook_actions: [{ name: 'shop', url: 'https://example.com/orders' }],
  };
  await own.me.post(`/api/v1/agents/${agentId}/tools`).send(order).expect(201);
});
afterAll(() => service.close());

interface Played {
  passed: boolean;
  steps: { failures: string[]; said: string[] }[];
  checks: { name: string; failures: string[] }[];
  tool_calls: { result: unknown }[];
  transcript: { role: string; text: string }[];
  end: { cause: string } | null;
}

const play = async (scenario: object): Promise<Played> => {
  const answer = await own.me.post(`/api/v1/agents/${agentId}/simulations`).send(scenario);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body.data as Played;
};

describe('the settings', () => {
  it('are returned as they were given, and an update with null clears them', async () => {
    const path = `/api/v1/agents/${other.agentId}`;
    const { guardrails, disclosure } = AGENT;
    const saved = await other.me.patch(path).send({ guardrails, disclosure }).expect(200);
    expect(saved.body.data).toMatchObject({ guardrails, disclosure });
    const cleared = await other.me.patch(path).send({ guardrails: null, disclosure: null }).expect(200);
    expect(cleared.body.data).toMatchObject({ guardrails: [], disclosure: [] });
  });

  it('are refused with the path of each fault', async () => {
    const rule = { name: 'rule', on: 'agent', topics: ['a'], action: 'flag' };
    const faults: [object, string][] = [
      [{ ...rule, topics: undefined }, 'pattern'],
      [{ ...rule, pattern: 'a' }, 'pattern'],
      [{ ...rule, topics: undefined, pattern: '(?=a)' }, 'pattern'],
      [{ ...rule, on_timeout: 'block' }, 'on_timeout'],
      [{ ...rule, on: 'user', action: 'replace', text: 'x' }, 'action'],
      [{ ...rule, action: 'replace' }, 'text'],
      [{ ...rule, action: 'say' }, 'text'],
      [{ ...rule, text: 'x' }, 'text'],
      [{ ...rule, action: 'block', text: 'x' }, 'text'],
      [{ ...rule, name: 'No Name' }, 'name'],
    ];
    for (const [given, field] of faults) {
      const body = { guardrails: [{ ...rule, name: 'first' }, given] };
      const answer = await own.me.patch(`/api/v1/agents/${agentId}`).send(body);
      expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, [`guardrails.1.${field}`]]);
    }
    const twice = [
      { language: 'en', text: 'a' },
      { language: 'EN', text: 'b' },
    ];
    const answer = await own.me.patch(`/api/v1/agents/${agentId}`).send({ disclosure: twice });
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, ['disclosure']]);
  });

  it('belong to one account', async () => {
    const answer = await other.me.patch(`/api/v1/agents/${agentId}`).send({ guardrails: [] });
    expect(answer.status).toBe(404);
  });
});

describe('a conversation in text', () => {
  it('begins with the disclosure, and each rule acts on its words', async () => {
    const {
      steps,
      checks,
      tool_calls: calls,
      passed,
    } = await play({
      tools: 'mock',
      mocks: { order: { result: { ordered: true } } },
      guardrails: ['no_promise', 'noted'],
      no_guardrails: ['insult'],
      steps: [
        { expects: [NOTICE, 'this is ACME'], absent: { guardrails: 'no_promise' } },
        { says: 'What about the return?', expects: ['Let me see', 'cannot promise'], absent: { says: 'guaranteed' } },
        { says: 'And the shares?', expects: ['ten euros', 'can fall'], guardrails: 'risk_notice' },
        { says: 'Any diagnoses?', expects: 'your doctor', absent: { says: 'cold' }, guardrails: 'no_diagnosis' },
        { says: 'I am complaining.', expects: 'sorry', guardrails: 'noted' },
        { says: 'I order 500.', calls: { tool: 'order', ok: false }, guardrails: 'large_order' },
      ],
    });
    expect([...steps, ...checks].flatMap(({ failures }) => failures)).toEqual([]);
    expect(passed).toBe(true);
    expect(calls[0]!.result).toEqual({ error: { code: 'blocked_by_guardrail', message: 'At most 99 pieces.' } });
  });

  it('ends by a rule, after its words', async () => {
    const { end, transcript } = await play({ steps: [{ says: 'You idiots!', ends: 'hangup' }] });
    expect(end?.cause).toBe('agent_hangup');
    expect(transcript.at(-1)).toMatchObject({ role: 'agent', text: 'Goodbye then.' });
  });

  it('fails when an expected rule does not apply, or another one does', async () => {
    const { passed, checks } = await play({
      guardrails: 'insult',
      no_guardrails: true,
      steps: [{ says: 'I complain.' }],
    });
    expect(passed).toBe(false);
    expect(checks).toMatchObject([
      { name: 'guardrails', failures: ['The rule insult did not apply.', 'The rule noted applied.'] },
    ]);
  });
});

describe('a call over SIP', () => {
  it('speaks the disclosure to its end, keeps forbidden words from being heard, and shows both', async () => {
    const scenario = {
      ...{ channel: 'sip', direction: 'outbound', max_seconds: 90, tools: 'live' },
      steps: [
        { expects: [NOTICE, 'this is ACME'] },
        { says: 'What about the return?', expects: 'cannot promise', absent: { says: 'guaranteed' } },
      ],
    };
    const answer = await own.me.post(`/api/v1/agents/${agentId}/simulations`).send(scenario);
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    const { data } = answer.body as { data: Played & { call: { id: string } } };
    expect(data.steps.flatMap(({ failures }) => failures)).toEqual([]);
    const call = await eventually(
      async () => (await own.me.get(`/api/v1/calls/${data.call.id}`)).body.data,
      (one) => one.ended_at !== null,
    );
    const { language, heard_ms: heard, of_ms: all } = call.disclosure;
    expect([language, heard > 500, heard]).toEqual(['en', true, all]);
    expect(call.guardrail_hits).toMatchObject([{ name: 'no_promise', on: 'agent', action: 'replace' }]);
    const events = (await own.me.get(`/api/v1/calls/${data.call.id}/events`).set('Accept', 'application/json')).body
      .data as { type: string }[];
    expect(events.find(({ type }) => type === 'guardrail_hit')).toMatchObject({
      data: { name: 'no_promise', words: 'This return is guaranteed.' },
    });
    const first = events.findIndex(({ type }) => type === 'disclosure_played');
    expect(first).toBeGreaterThan(0);
    const counted = await own.me.get('/api/v1/analytics/guardrails').expect(200);
    expect(counted.body.data).toMatchObject([{ agent_id: agentId, name: 'no_promise', hits: 1, calls: 1 }]);
    const ofOther = await other.me.get('/api/v1/analytics/guardrails').expect(200);
    expect(ofOther.body.data).toEqual([]);
    const status = await other.me.get(`/api/v1/calls/${data.call.id}`);
    expect(status.status).toBe(404);
  });
});
