import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Speech } from './speech/speech.js';
import { Synthesiser } from './speech/synthesiser.js';
import { SandboxServer } from '@app/sandbox';
import { FormantVoice } from '@app/sandbox/formant';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf } from '../../../test/support/api-client.js';
import { Stack } from '../../../test/support/stack.js';
import { WebhookSink } from '../../../test/support/webhook-sink.js';
import { createAccount } from '../../../test/support/workspace.js';
import { RealtimeFront } from '../../../test/support/realtime-front.js';

let server: SandboxServer;
let phone: SandboxPhone;
let sink: WebhookSink;
let stack: Stack;

/** The model of a request chooses the faults of the connection. */
let front: RealtimeFront;

/** A server of somebody else's, as far as the service knows: with a key, a model, and tokens to pay for. */
beforeAll(async () => {
  const speech = new Speech(new Synthesiser([new FormantVoice()]));
  server = await SandboxServer.start({ speech });
  const failing = Array.from({ length: 20 }, (_, at) => ({ do: 'rate_limit', in_response: at + 1 }));
  front = await RealtimeFront.start({
    'gpt-realtime-test': { port: server.port, faults: [] },
    'gpt-realtime-failing': { port: server.port, faults: failing },
  });
  sink = await WebhookSink.start();
  const quiet = { debug: () => {}, warn: () => {} };
  phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: { min: 29_000, max: 29_199 }, log: quiet });
  stack = await Stack.start({
    env: {
      REALTIME_URL: front.url,
      REALTIME_API_KEY: server.key,
      // As under `npm start` without a key.
      GEMINI_BASE_URL: 'sandbox',
      PRICE_BOOK: 'docs/price-book.yaml',
    },
  });
});

afterAll(async () => {
  await stack.stop();
  await phone.close();
  await sink.close();
  await front.close();
  await server.close();
});

/** The post-call webhook of a call to somebody who presses nine, which ends it, by an agent of its own account. */
async function called(name: string, agent: Record<string, unknown>): Promise<Record<string, unknown>> {
  const plan = { name, webhookUrl: `${sink.url}/hook`, trunk: { port: phone.port }, agent };
  const account = await createAccount(stack, plan);
  const to_number = `sip:press_9@127.0.0.1:${phone.port}`;
  const { call_id: id } = await apiOf(stack, account).createCall({ to_number });
  await sink.until(() => sink.eventsOf(id).includes('ended'));
  const data = sink.of(id).find(({ body }) => body.event === 'ended')?.body.data ?? {};
  const response = await fetch(`${stack.baseUrl}/api/v1/calls/${id}/events`, {
    headers: { authorization: `Bearer ${account.token}` },
  });
  // The stream ends with the call.
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data:'));
  const events = lines.map((line): unknown => JSON.parse(line.slice('data:'.length)));
  return { ...data, events };
}

const eventsOf = (call: Record<string, unknown>, type: string): Record<string, unknown>[] =>
  (call.events as { type: string; data: Record<string, unknown> }[]).flatMap((one) =>
    one.type === type ? [one.data] : [],
  );

it('an agent behind the Realtime protocol talks on a call; another stands in for one that is not configured', async () => {
  const [spoken, stoodIn] = await Promise.all([
    called('realtime', { provider: 'openai-realtime', model: 'gpt-realtime-test' }),
    called('fallback', { provider: 'openai-live', model: 'm', fallbacks: [{ provider: 'sandbox' }] }),
  ]);
  const completed = { status: 'completed', hangup_cause: 'agent_hangup' };
  expect([spoken, stoodIn]).toMatchObject([completed, completed]);
  const price = { kind: 'output_audio_tokens', unit: 'thousand_tokens', unit_price: 0.064 };
  expect(spoken.costs).toContainEqual(expect.objectContaining(price));
  expect(spoken.realtime_cost).toBeGreaterThan(0);
  expect(spoken.cost).toBeGreaterThan(Number(spoken.realtime_cost));
  expect(stoodIn.costs).toContainEqual(expect.objectContaining({ kind: 'agent_seconds' }));
});

it('an agent of gemini-live talks on a call without a key, played by the sandbox server; its bill has its tokens', async () => {
  const spoken = await called('gemini', { provider: 'gemini-live' });
  expect(spoken).toMatchObject({ status: 'completed', hangup_cause: 'agent_hangup' });
  const price = { kind: 'output_audio_tokens', unit: 'thousand_tokens', unit_price: 0.012 };
  expect(spoken.costs).toContainEqual(expect.objectContaining(price));
  const costs = spoken.costs as { kind: string; amount: number }[];
  const sum = (of: typeof costs): number => of.reduce((total, { amount }) => total + Math.round(amount * 1e6), 0);
  expect(sum(costs)).toBe(Math.round(Number(spoken.cost) * 1e6));
  expect(sum(costs.filter(({ kind }) => kind !== 'carrier_seconds'))).toBe(
    Math.round(Number(spoken.realtime_cost) * 1e6),
  );
});

it('no phone rings for an agent that nobody speaks for', async () => {
  const call = await called('unconfigured', { provider: 'openai-live', model: 'm' });
  expect(call).toMatchObject({ status: 'failed', hangup_cause: 'agent_provider_error', answered_at: null });
  const reason = 'The voice provider openai-live needs OPENAI_API_KEY.';
  expect(eventsOf(call, 'error')).toEqual([{ code: 'agent_provider_error', reason }]);
  expect(call.failure).toEqual({ code: 'agent_provider_error', message: `The voice agent failed. ${reason}` });
});

it('a caller whose answers fail while the connection lives is served by the fallback', async () => {
  const agent = { provider: 'openai-realtime', model: 'gpt-realtime-failing', fallbacks: [{ provider: 'sandbox' }] };
  const call = await called('failing', agent);
  expect(call).toMatchObject({ status: 'completed', hangup_cause: 'agent_hangup' });
  expect(eventsOf(call, 'provider_lost')).toHaveLength(1);
  expect(eventsOf(call, 'provider_restored')).toHaveLength(1);
});

it('an agent whose answers always fail apologises, and the call says why', async () => {
  const call = await called('hopeless', { provider: 'openai-realtime', model: 'gpt-realtime-failing' });
  expect(call.hangup_cause).toBe('agent_provider_error');
  expect(eventsOf(call, 'error').at(-1)).toMatchObject({
    code: 'agent_provider_error',
    reason: 'Rate limit reached. Try again later.',
  });
  expect(eventsOf(call, 'turn').at(-1)?.text).toContain('technical problem');
});

it('a key that the vendor rejects is the reason of the end of the call, and is not repeated in it', async () => {
  const call = await called('unknown-model', { provider: 'openai-realtime', model: 'gpt-realtime-missing' });
  expect(call.hangup_cause).toBe('agent_provider_error');
  const [error] = eventsOf(call, 'error');
  expect(error?.reason).toContain('rejected the key (HTTP 401): Incorrect API key provided: ….');
  const failure = { code: 'agent_provider_error', message: `The voice agent failed. ${String(error?.reason)}` };
  expect([call.failure, eventsOf(call, 'ended')[0]?.failure]).toEqual([failure, failure]);
  expect(eventsOf(call, 'ended')).toMatchObject([{ cause: 'agent_provider_error', ended_by: 'system' }]);
});
