import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const service = Service.get();
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  [own, other] = await Promise.all([service.account(), service.account()]);
});
afterAll(() => service.close());

const me = () => service.as(own.token);
const campaign = (name: string) => ({
  name,
  agent_id: own.agentId,
  number_ids: [own.numberId],
  trunk_id: own.trunkId,
  require_disclosure: true,
});
const setAgent = (disclosure: object[]) =>
  me()
    .patch(`/api/v1/agents/${own.agentId}`)
    .send({ disclosure, conversation: { language: 'en' } })
    .expect(200);

describe('a campaign that requires a disclosure', () => {
  it('is refused while its agent has none in its language', async () => {
    for (const disclosure of [[], [{ language: 'de', text: 'Ich bin ein Assistent.' }]]) {
      await setAgent(disclosure);
      const answer = await me().post('/api/v1/campaigns').send(campaign('refused'));
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        { require_disclosure: ['The agent has no disclosure in its language. Add one first.'] },
      ]);
    }
  });

  it('takes the contacts whose number has a sentence, and refuses the others with the reason', async () => {
    await setAgent([{ language: 'en', prefix: '+49', text: 'I am an assistant.' }]);
    const made = await me().post('/api/v1/campaigns').send(campaign('by country')).expect(201);
    expect(made.body.data.require_disclosure).toBe(true);
    const contacts = [{ to_number: '+4930123456' }, { to_number: '+442071234567' }];
    const path = `/api/v1/campaigns/${made.body.data.id}/contacts`;
    const answer = await me().post(path).send({ contacts });
    expect(answer.body.data).toMatchObject({
      ...{ added: 1, refused: 1 },
      refusals: [{ index: 1, field: 'disclosure', reason: 'missing_disclosure' }],
    });
    await service.as(other.token).post(path).send({ contacts }).expect(404);
  });
});
