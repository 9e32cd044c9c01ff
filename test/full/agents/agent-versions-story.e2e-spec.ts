import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

let stack: Stack;
let sink: WebhookSink;
let phone: SandboxPhone;
/** One call at a time: the others wait in the queue. */
let narrow: TestAccount;
let wide: TestAccount;

beforeAll(async () => {
  sink = await WebhookSink.start();
  const log = { debug: () => undefined, warn: () => undefined };
  phone = await startSandboxPhone({
    bind: '127.0.0.1',
    port: 0,
    rtpPorts: { min: 29_000, max: 29_499 },
    ringMs: 50,
    log,
  });
  stack = await Stack.start();
  narrow = await createAccount(stack, { name: 'narrow', concurrentCalls: 1 });
  wide = await createAccount(stack, { name: 'wide', concurrentCalls: 20 });
});
afterAll(async () => {
  await stack?.stop();
  await phone?.close();
  await sink?.close();
});

const to = (extension: string): string => `sip:${extension}@127.0.0.1:${phone.port}`;
const hook = (path: string) => ({ url: `${sink.url}/${path}` });

/** A new agent over REST, and the client that places calls with it. */
async function anAgent(account: TestAccount, fields: { name: string; greeting: string }) {
  const client = apiOf(stack, account);
  const webhooks = { call_status_webhook: hook('first'), post_call_webhook: hook('first') };
  const answer = await client.POST('/api/v1/agents', { body: { ...fields, ...webhooks } });
  const agentId = answer.data?.data.id ?? 0;
  expect([answer.response.status, agentId]).toEqual([201, expect.any(Number)]);
  const api = apiOf(stack, { ...account, agentId });
  return { agentId, api };
}

const inPath = (agentId: number, version: number) => ({ params: { path: { agent_id: agentId, version } } });

const patch = async (api: ApiClient, agentId: number, body: object): Promise<void> => {
  const { response } = await api.PATCH('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agentId } }, body });
  expect(response.status).toBe(200);
};

const ended = (callIds: string[]): Promise<void> =>
  sink.until(() => callIds.every((id) => sink.eventsOf(id).includes('ended')));

/** The version in every webhook of a call, the first words of the agent, and the paths of its webhooks. */
function told(callId: string): { versions: unknown[]; greeting: string; paths: string[] } {
  const webhooks = sink.of(callId);
  const transcript = webhooks.find(({ body }) => body.event === 'ended')?.body.data.transcript as {
    role: string;
    text: string;
  }[];
  return {
    versions: [...new Set(webhooks.map(({ body }) => body.data.agent_version))],
    greeting: transcript.find(({ role }) => role === 'agent')?.text ?? '',
    paths: [...new Set(webhooks.map(({ path }) => path))],
  };
}

describe('a published version', () => {
  it('is for new calls: live and queued ones keep the settings of their version until they end', async () => {
    const { agentId, api } = await anAgent(narrow, { name: 'Story', greeting: 'First greeting of ACME.' });
    const live = (await api.createCall({ to_number: to('hangup_after_3') })).call_id;
    const queued = (await api.createCall({ to_number: to('hangup_after_3') })).call_id;
    await sink.until(() => sink.eventsOf(live).includes('in-progress'));
    const second = {
      greeting: 'Second greeting of ACME.',
      call_status_webhook: hook('second'),
      post_call_webhook: hook('second'),
    };
    await patch(api, agentId, second);
    expect((await api.call(queued)).status).toBe('pending');
    const next = (await api.createCall({ to_number: to('hangup_after_3') })).call_id;
    await ended([live, queued, next]);
    expect([live, queued, next].map(told)).toEqual([
      { versions: [1], greeting: expect.stringContaining('First'), paths: ['/first'] },
      { versions: [1], greeting: expect.stringContaining('First'), paths: ['/first'] },
      { versions: [2], greeting: expect.stringContaining('Second'), paths: ['/second'] },
    ]);
    expect((await api.call(live)).agent_version).toBe(1);
    const { data: list } = await api.GET('/api/v1/calls', {
      params: { query: { agent_id: agentId, agent_version: 2 } },
    });
    expect(list?.data.map(({ call_id: id }) => id)).toEqual([next]);

    const restored = await api.POST('/api/v1/agents/{agent_id}/versions/{version}/restore', inPath(agentId, 1));
    expect(restored.data?.data.version).toBe(3);
    const again = (await api.createCall({ to_number: to('hangup_after_3') })).call_id;
    await ended([again]);
    expect(told(again)).toEqual({ versions: [3], greeting: expect.stringContaining('First'), paths: ['/first'] });
  });

  it('as a canary takes some of the calls of one request, each with its own settings and webhooks', async () => {
    const { agentId, api } = await anAgent(wide, { name: 'Canary', greeting: 'Welcome to ACME.' });
    const path = { params: { path: { agent_id: agentId } } };
    const draft = {
      greeting: 'Canary speaking.',
      call_status_webhook: hook('canary'),
      post_call_webhook: hook('canary'),
    };
    await api.POST('/api/v1/agents/{agent_id}/versions', { ...path, body: draft });
    const published = await api.POST('/api/v1/agents/{agent_id}/versions/{version}/publish', {
      ...inPath(agentId, 2),
      body: { traffic_percent: 50 },
    });
    expect(published.data?.data.state).toBe('canary');
    // All calls of one version: once in a million runs.
    const calls = await api.createCalls({ to_number: Array.from({ length: 20 }, () => to('hangup_after_3')) });
    const ids = calls.map(({ call_id: id }) => id);
    await ended(ids);
    // The phone may hang up before the first word.
    const seen = ids.map(told).filter(({ greeting }) => greeting !== '');
    const kinds = seen.map(({ versions, paths, greeting }) => [versions, paths, greeting.split(' ')[0]]);
    expect(new Set(kinds.map((kind) => JSON.stringify(kind)))).toEqual(
      new Set([JSON.stringify([[1], ['/first'], 'Welcome']), JSON.stringify([[2], ['/canary'], 'Canary'])]),
    );
  });
});
