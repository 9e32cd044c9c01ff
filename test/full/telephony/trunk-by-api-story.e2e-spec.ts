import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandboxPhone, type SandboxPhone } from '@app/sandbox/phone';
import { apiOf } from '../../support/api-client.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const QUIET = { debug: () => undefined, warn: () => undefined };

let stack: Stack;
let sink: WebhookSink;
let phone: SandboxPhone;
let account: TestAccount;

beforeAll(async () => {
  sink = await WebhookSink.start();
  phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: { min: 27_100, max: 27_198 }, log: QUIET });
  stack = await Stack.start();
  account = await createAccount(stack, { name: 'by-api', webhookUrl: `${sink.url}/by-api` });
});

afterAll(async () => {
  await stack?.stop();
  await phone?.close();
  await sink?.close();
});

interface Answer {
  status: number;
  body: { message?: string; data: Record<string, unknown> };
}

async function request(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${stack.baseUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${account.token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

describe('a trunk and a number that were created over REST', () => {
  it('are tested, carry a call, cannot be deleted while it is live, and can be deleted afterwards', async () => {
    const trunk = await request('POST', '/trunks', {
      name: 'phone by API',
      targets: [
        { host: '127.0.0.1', port: phone.port, transport: 'udp' },
        { host: '127.0.0.1', port: 9, transport: 'tcp', priority: 5 },
      ],
      options_ping_seconds: 0,
    });
    const number = await request('POST', '/numbers', { e164: '+15557770001', name: 'by API' });
    expect([trunk.status, number.status]).toEqual([201, 201]);
    const [trunkId, numberId] = [Number(trunk.body.data.id), Number(number.body.data.id)];

    const [tested, shared] = await Promise.all([
      request('POST', `/trunks/${trunkId}/test`),
      request('POST', `/trunks/${trunkId}/test`),
    ]);
    expect([tested.status, tested.body.data]).toEqual([
      200,
      {
        state: 'up',
        reason: '1 of 2 targets cannot be reached.',
        checked_at: expect.stringMatching(/\+00:00$/),
        registration: null,
        targets: [
          {
            host: '127.0.0.1',
            port: phone.port,
            transport: 'udp',
            state: 'up',
            sip_status: 200,
            rtt_ms: expect.any(Number),
            reason: null,
          },
          expect.objectContaining({
            port: 9,
            state: 'down',
            sip_status: null,
            reason: expect.stringContaining('refused'),
          }),
        ],
      },
    ]);
    expect(shared.body.data.checked_at).toBe(tested.body.data.checked_at);

    const api = apiOf(stack, { ...account, numberId });
    const call = await api.createCall({ to_number: `sip:hangup_after_30@127.0.0.1:${phone.port}`, trunk_id: trunkId });
    await sink.until(() => sink.eventsOf(call.call_id).includes('in-progress'));
    const refused = await Promise.all([
      request('DELETE', `/trunks/${trunkId}`),
      request('DELETE', `/numbers/${numberId}`),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([409, 409]);
    await api.cancel(call.call_id);
    await sink.until(() => sink.eventsOf(call.call_id).includes('ended'));
    const deleted = await Promise.all([
      request('DELETE', `/trunks/${trunkId}`),
      request('DELETE', `/numbers/${numberId}`),
    ]);
    expect(deleted.map(({ status }) => status)).toEqual([200, 200]);
    expect(await api.call(call.call_id)).toMatchObject({
      status: 'completed',
      from_number: '+15557770001',
      number_id: numberId,
      trunk_id: trunkId,
    });
  });

  it('is tested although it is inactive', async () => {
    const trunk = await request('POST', '/trunks', {
      name: 'inactive',
      host: '127.0.0.1',
      port: phone.port,
      active: false,
    });
    const { status, body } = await request('POST', `/trunks/${Number(trunk.body.data.id)}/test`);
    expect([status, body.data.state]).toEqual([200, 'up']);
  });
});
