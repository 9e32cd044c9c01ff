import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentsEnvironment, AGENTS } from '../support/agents-environment.js';
import type { Workspace } from '../support/factories.js';
import { LiveCall } from '../support/live-call.js';
import type { Service } from '../support/service.js';

let environment: AgentsEnvironment;
let service: Service;
let own: Workspace;
let created: AgentsEnvironment['created'];
let send: AgentsEnvironment['send'];

beforeAll(async () => {
  environment = await AgentsEnvironment.open();
  ({ api: service, own, created, send } = environment);
});
afterAll(() => environment?.close());

const collect = {
  type: 'object',
  properties: { name: { type: 'string' }, reason: { type: 'string', enum: ['book', 'other'] } },
  required: ['name', 'reason'],
};

const FLOW = {
  start: 'identify',
  steps: [
    {
      name: 'identify',
      instructions: 'Find out who is calling.',
      collect,
      exits: [
        { to: 'book', if: "vars.reason == 'book'" },
        { to: 'goodbye', when: 'The caller has nothing to ask.' },
        { to: 'goodbye', if: 'turns > 5' },
      ],
    },
    { name: 'book', instructions: 'Book a time for {{name}}.', exits: [{ to: 'goodbye', when: 'It is booked.' }] },
    { name: 'goodbye', action: { end: 'Goodbye from the clinic.' } },
  ],
};

const RULES = [
  {
    on: { text: 'I am (\\w+)' },
    step: 'identify',
    call: { tool: 'continue_flow', arguments: { name: '{{match.1}}', reason: 'book' } },
  },
  { on: { text: 'wrong' }, step: 'identify', call: { tool: 'continue_flow', arguments: { reason: 'nonsense' } } },
  { on: { tool: 'continue_flow', failed: true }, say: 'Refused: {{result.error.problems}}.' },
  { on: 'entered', step: 'book', say: 'When do you want to come?' },
  { on: { text: 'Monday' }, step: 'book', call: { tool: 'continue_flow', arguments: { next: 'goodbye' } } },
  { on: { text: 'go to step goodbye' }, say: 'I stay here.' },
  {
    on: { digits: '1' },
    step: 'identify',
    call: { tool: 'continue_flow', arguments: { name: 'Ada', reason: 'book' } },
  },
];

interface Simulated {
  passed: boolean;
  steps: { failures: string[]; said: string[] }[];
  tool_calls: { name: string; ok: boolean; result: unknown }[];
  end: { cause: string } | null;
}

const simulated = async (agentId: number, steps: object[]): Promise<Simulated> => {
  const answer = await send('post', `${AGENTS}/${agentId}/simulations`, { steps });
  expect([answer.status, answer.body.message]).toEqual([200, undefined]);
  return answer.body.data as Simulated;
};

const script = (rules: object[]): object => ({ greeting: 'Hello, the clinic.', script: { rules } });

describe('a flow in a simulation', () => {
  it.each(['sandbox', 'pipeline'])(
    'collects values, follows its exits, and ends with its action (%s)',
    async (provider) => {
      const id = await created({
        ...script(RULES),
        ...(provider === 'pipeline' && { provider, pipeline: {} }),
        flow: FLOW,
      });
      const result = await simulated(id, [
        { says: 'go to step goodbye', expects: 'I stay here', ends: false },
        { says: 'wrong', expects: 'Refused' },
        { says: 'I am Ada', expects: 'When do you want to come', calls: 'continue_flow' },
        { says: 'Monday', expects: 'Goodbye from the clinic', ends: true },
      ]);
      expect([result.steps.map(({ failures }) => failures), result.end]).toEqual([
        [[], [], [], []],
        { cause: 'agent_hangup', ended_by: 'agent' },
      ]);
      expect(result.tool_calls.map(({ ok }) => ok)).toEqual([false, true, true]);
      expect(JSON.stringify(result.tool_calls[0]?.result)).toContain('reason');
    },
  );

  it.each(['full', 'summary', 'none'])('hands over to another agent with the context %s', async (context) => {
    const other = await created({
      name: `Specialist ${context}`,
      ...script([
        { on: 'entered', say: 'The specialist speaks.' },
        { on: { text: true }, say: 'Specialist: {{text}}' },
      ]),
      greeting: context === 'none' ? 'The specialist speaks.' : '',
    });
    const rules = [{ on: { text: 'expert' }, call: { tool: `hand_over_to_specialist_${context}`, arguments: {} } }];
    const id = await created({
      ...script(rules),
      handoffs: [{ agent: other, when: 'The caller wants an expert.', context }],
    });
    const result = await simulated(id, [
      { says: 'An expert, please.', expects: 'The specialist speaks' },
      { says: 'Are you there', expects: 'Specialist: Are you there', ends: false },
    ]);
    expect(result.steps.map(({ failures }) => failures)).toEqual([[], []]);
  });
});

describe('a flow in a call over SIP', () => {
  it('keeps its path and values, and the agents that spoke', async () => {
    const other = await created({
      name: 'Booking desk',
      ...script([{ on: 'entered', say: 'The booking desk speaks.', hang_up: true }]),
    });
    const [identify] = FLOW.steps;
    const flow = {
      start: 'identify',
      steps: [identify, { name: 'book', handoff: { agent: other, context: 'summary' } }, FLOW.steps[2]],
    };
    const id = await created({ ...script(RULES), flow });
    const call = await LiveCall.place(service, { ...own, agentId: id }, 'press_1');
    await call.said(/The booking desk speaks/);
    const ended = await call.ended();
    expect(ended).toMatchObject({
      agent_id: id,
      path: ['identify', 'book'],
      values: { name: 'Ada', reason: 'book' },
      agents: [{ agent_id: id }, { agent_id: other, name: 'Booking desk' }],
    });
    expect(call.events.filter(({ type }) => type === 'step_entered').map(({ data }) => [data.step, data.by])).toEqual([
      ['identify', 'start'],
      ['book', 'if'],
    ]);
  });
});
