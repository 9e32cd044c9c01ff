import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentsEnvironment, AGENTS } from '../support/agents-environment.js';
import { LiveCall } from '../support/live-call.js';

let environment: AgentsEnvironment;
let created: AgentsEnvironment['created'];
let send: AgentsEnvironment['send'];

beforeAll(async () => {
  environment = await AgentsEnvironment.open();
  ({ created, send } = environment);
});
afterAll(() => environment?.close());

const patched = async (id: number, body: object): Promise<void> => {
  const answer = await send('patch', `${AGENTS}/${id}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
};
const placed = (agentId: number, extension: string) =>
  LiveCall.place(environment.api, { ...environment.own, agentId }, extension);

describe('a handoff in a call', () => {
  const collect = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const rules = [{ on: { digits: '1' }, call: { tool: 'continue_flow', arguments: { name: 'Ada' } } }];

  it.each(['full', 'summary', 'none'])(
    'with the context %s keeps values, limits and the bill of the call',
    async (context) => {
      const seen = { greeting: '', script: { rules: [{ on: 'entered', say: 'The desk speaks.', hang_up: true }] } };
      const desk = await created({
        name: `Desk ${context}`,
        ...seen,
        ...(context === 'none' && {
          greeting: 'The desk speaks.',
          script: { rules: [{ on: { speech: true }, say: 'Bye.', hang_up: true }] },
        }),
      });
      const agent = await created({
        greeting: 'Hello.',
        script: { rules },
        flow: {
          start: 'identify',
          steps: [
            { name: 'identify', collect, exits: [{ to: 'desk', if: 'vars.name != null' }] },
            { name: 'desk', handoff: { agent: desk, context } },
          ],
        },
      });
      const call = await placed(agent, 'press_1');
      await call.said(/The desk speaks/);
      const ended = await call.ended();
      expect(ended).toMatchObject({
        agent_id: agent,
        values: { name: 'Ada' },
        path: ['identify', 'desk'],
        agents: [
          { agent_id: agent, from_ms: 0 },
          { agent_id: desk, name: `Desk ${context}`, reason: 'desk' },
        ],
      });
      const { data } = await call.until(({ type }) => type === 'handed_over');
      expect(data).toMatchObject({ from_agent_id: agent, to_agent_id: desk, context, by: 'flow' });
    },
  );

  it('brings the rules of the agent that takes over, and ends those of the first one', async () => {
    const replaced = (name: string, pattern: string) => ({
      guardrails: [{ name, on: 'agent', pattern, action: 'replace', text: `Replaced by ${name}.` }],
    });
    const say = 'We go to court. The price is ten.';
    const desk = await created({
      name: 'Strict',
      script: { rules: [{ on: 'entered', say }] },
      ...replaced('of_desk', 'price'),
    });
    const agent = await created({
      greeting: 'Hello.',
      script: { rules: [{ on: { digits: '1' }, call: { tool: 'hand_over_to_strict', arguments: {} } }] },
      handoffs: [{ agent: desk, when: 'Always.' }],
      ...replaced('of_first', 'court'),
    });
    const call = await placed(agent, 'press_1');
    await call.said(/Replaced by of_desk/);
    expect((await call.cancel()).guardrail_hits).toMatchObject([{ name: 'of_desk' }]);
  });

  it('to an agent that was deactivated leaves the conversation with the first one', async () => {
    const desk = await created({ script: { rules: [] } });
    const again = { on: { digits: '1' }, call: { tool: 'hand_over_to_desk', arguments: {} } };
    await patched(desk, { name: 'desk', active: false });
    const agent = await created({
      greeting: 'Hello.',
      script: { rules: [again, { on: { text: 'could not be handed over' }, say: 'I stay here.', hang_up: true }] },
      handoffs: [{ agent: desk, when: 'Always.' }],
    });
    const call = await placed(agent, 'press_1');
    const { data } = await call.until(({ type }) => type === 'error');
    expect(data).toMatchObject({ code: 'handoff_failed' });
    expect((await call.cancel()).agents).toEqual([]);
  });
});

describe('agents that hand over to each other', () => {
  it('end after ten handoffs: the last one goes on, and learns why', async () => {
    const other = await created({ name: 'Pong' });
    const first = await created({ name: 'Ping', greeting: 'Hello.' });
    const rulesOf = (next: string) => [
      { on: 'entered', call: { tool: `hand_over_to_${next}`, arguments: { reason: 'Again.' } } },
      { on: { text: 'start' }, call: { tool: `hand_over_to_${next}`, arguments: {} } },
      { on: { tool: `hand_over_to_${next}`, failed: true }, say: 'I stay: {{result.error.code}}.' },
    ];
    const handoff = (agent: number) => [{ agent, when: 'Always.' }];
    await patched(first, { script: { rules: rulesOf('pong') }, handoffs: handoff(other) });
    await patched(other, { script: { rules: rulesOf('ping') }, handoffs: handoff(first) });
    const steps = [{ says: 'start', expects: 'I stay: too_many_handoffs', ends: false }];
    const { body } = await send('post', `${AGENTS}/${first}/simulations`, { steps });
    expect([body.data.passed, body.data.steps[0].failures]).toEqual([true, []]);
    const handed = (body.data.tool_calls as { name: string; ok: boolean }[]).filter(({ ok }) => ok);
    expect(handed.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, at) => `hand_over_to_${at % 2 ? 'ping' : 'pong'}`),
    );
  });

  it('as steps of flows end as well', async () => {
    const other = await created({ name: 'Second' });
    const first = await created({ name: 'First' });
    const flow = (agent: number) => ({
      start: 'talk',
      steps: [
        { name: 'talk', exits: [{ to: 'away', if: 'turns >= 0' }] },
        { name: 'away', handoff: { agent } },
      ],
    });
    const script = {
      rules: [
        { on: { text: true }, say: 'I stay.' },
        { on: 'entered', say: 'Here.' },
      ],
    };
    await patched(first, { flow: flow(other), script });
    await patched(other, { flow: flow(first), script });
    const steps = Array.from({ length: 14 }, () => ({ says: 'Hello.' }));
    const { body } = await send('post', `${AGENTS}/${first}/simulations`, { steps });
    expect(body.data.steps).toHaveLength(14);
    expect(body.data.end).toBeNull();
  });
});
