import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { aCall, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

interface Simulated {
  passed: boolean;
  error: string | null;
  steps: { failures: string[] }[];
  checks: { failures: string[] }[];
  transcript: { role: string; text: string }[];
  audio: { responses: number[]; mos: number; codec: string };
  call: { id: string; status: string; recorded: boolean; cost: number };
}

const SCRIPT = {
  rules: [{ on: { text: 'cost' }, say: 'It costs three euros per month. Goodbye.', hang_up: true }],
};
const SCENARIO = {
  name: 'asks for the price',
  ...{ channel: 'sip', direction: 'outbound', max_seconds: 60 },
  steps: [{ expects: 'this is ACME' }, { says: 'What does it cost?', expects: 'three euros', ends: 'hangup' }],
  judge: { audio: { response_ms: 10_000, talks_over: 0, mos: 3, recording: true } },
};

const service = Service.get();
let own: Workspace;

beforeAll(async () => {
  own = await service.account();
  await service
    .as(own.token)
    .patch(`/api/v1/agents/${own.agentId}`)
    .send({ greeting: 'Hello, this is ACME.', script: SCRIPT })
    .expect(200);
});
afterAll(() => service.close());

const play = async (scenario: object): Promise<Simulated> => {
  const answer = await service.as(own.token).post(`/api/v1/agents/${own.agentId}/simulations`).send(scenario);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body.data as Simulated;
};

const failuresOf = ({ error, steps, checks }: Simulated): string[] => [
  ...(error === null ? [] : [error]),
  ...[...steps, ...checks].flatMap(({ failures }) => failures),
];

it('a tester caller with a voice is called over SIP, hears the agent, is understood, and both audio and call are measured', async () => {
  const [right, wrong] = await Promise.all([
    play(SCENARIO),
    play({ ...SCENARIO, name: 'expects another price', judge: { must_say: 'four euros' } }),
  ]);
  expect([failuresOf(right), right.passed]).toEqual([[], true]);
  expect(right.audio).toMatchObject({ codec: 'PCMU', responses: expect.any(Array) });
  expect(right.audio.mos).toBeGreaterThan(3);
  expect(right.transcript.map(({ role }) => role)).toEqual(['agent', 'callee', 'agent']);
  expect([failuresOf(wrong), wrong.passed]).toEqual([['The agent did not say "four euros".'], false]);

  const { body } = await service.as(own.token).get(`/api/v1/calls/${right.call.id}`).expect(200);
  expect(body.data).toMatchObject({
    ...{ direction: 'outbound', status: 'completed', hangup_cause: 'agent_hangup' },
    ...{ metadata: { test_run: SCENARIO.name }, recording_url: expect.any(String) },
  });
  // Lists leave test calls out when they are asked to.
  const list = await service.as(own.token).get('/api/v1/calls?include_tests=false').expect(200);
  expect(list.body.meta.total).toBe(0);
  const saved = await service.as(own.token).get(`/api/v1/calls/${right.call.id}/scenario`).expect(200);
  expect(saved.body.data.scenario.steps.length).toBeGreaterThan(1);
  const path = `/api/v1/calls/${right.call.id}/scenario`;
  await service
    .as((await service.account()).token)
    .get(path)
    .expect(404);
});

it('a call without a conversation cannot become a scenario, which would test nothing and pass', async () => {
  const id = await aCall(service.pool, own, { status: 'busy', ended_at: new Date() });
  const { status, body } = await service.as(own.token).get(`/api/v1/calls/${id}/scenario`);
  expect([status, body]).toEqual([404, { message: 'Conversation not found.' }]);
});
