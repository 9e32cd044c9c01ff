import { afterAll, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { Service } from '../support/service.js';

const service = Service.get();
afterAll(() => service.close());

it('a web call that no page opens ends as no_answer with not_connected, and is counted with channel=web', async () => {
  const own = await service.account();
  const { body } = await service.as(own.token).post('/api/v1/web-calls').send({ agent_id: own.agentId });
  const { call_id: callId } = body.data;
  // The minute is over.
  await service.pool.query(
    `WITH w AS (UPDATE web_calls SET expires_at = now() WHERE call_id = $1) UPDATE calls SET due_at = now() WHERE id = $1`,
    [callId],
  );
  const read = async () => (await service.as(own.token).get(`/api/v1/calls/${callId}`)).body.data;
  const ended = await eventually(read, ({ status }) => status !== 'pending');
  expect(ended).toMatchObject({ status: 'no_answer', hangup_cause: 'not_connected', ended_by: 'system' });
  const counted = async (query: string) => {
    const { body: view } = await service.as(own.token).get(`/api/v1/analytics?metrics=calls&interval=none${query}`);
    return view.data.map((row: { values: { calls: number } }) => row.values.calls);
  };
  const ofWeb = await eventually(
    () => counted('&channel=web'),
    (calls) => calls.length > 0,
  );
  expect(ofWeb).toEqual([1]);
  expect(await counted('&channel=any')).toEqual([1]);
  expect(await counted('')).toEqual([]);
});
