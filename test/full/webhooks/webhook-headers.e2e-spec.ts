import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Encryption } from '@app/common';
import { openHeaders, sealHeaders } from '@app/webhooks';
import { TestApi } from '../../support/app.js';
import { anAgent, aWorkspace, type Workspace } from '../../support/factories.js';

let api: TestApi;
let own: Workspace;

beforeAll(async () => {
  api = await TestApi.start();
  own = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

it("sends an agent's webhook headers only to the scheme, host and port that they were stored for", async () => {
  const encryption = new Encryption('the secret key of the tests, 32+ characters');
  const headers = [{ key: 'Authorization', value: 'Bearer of the agent' }];
  const webhook = (path: string) => ({
    url: `https://hooks.example.com${path}`,
    method: 'POST',
    headers_sealed: sealHeaders(encryption, headers),
  });
  const order = { to_number: 'sip:answer@127.0.0.1:5070', number_id: own.numberId };
  const agentId = await anAgent(api.pool, own.accountId, {
    call_status_webhook: webhook('/status'),
    post_call_webhook: webhook('/ended'),
  });
  const sentWith = async (url: string) => {
    const urls = { call_status_webhook_url: url, post_call_webhook_url: url };
    const { body } = await api
      .as(own.token)
      .post('/api/v1/calls')
      .send({ ...order, agent_id: agentId, ...urls });
    const call = await api.pool.query<{ settings: Record<string, Record<string, string>> }>(
      'SELECT settings FROM calls WHERE id = $1',
      [body.data.call_id],
    );
    const settings = call.rows[0]?.settings;
    const written = await api.pool.query<{ headers_sealed: Buffer | null }>(
      'SELECT headers_sealed FROM webhook_deliveries WHERE call_id = $1',
      [body.data.call_id],
    );
    const sealed = [
      settings?.call_status_webhook?.headers_sealed,
      settings?.post_call_webhook?.headers_sealed,
      written.rows[0]?.headers_sealed,
    ];
    return sealed.map((one) => openHeaders(encryption, one));
  };
  expect(await sentWith('https://hooks.example.com/other')).toEqual([headers, headers, headers]);
  for (const url of ['https://example.com/', 'http://hooks.example.com/', 'https://hooks.example.com:8443/'])
    expect(await sentWith(url)).toEqual([[], [], []]);
});
