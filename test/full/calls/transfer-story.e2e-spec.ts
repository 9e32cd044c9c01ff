import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallOrder, dataOf } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { eventsOfCall, type CallEvent } from '../../support/call-events.js';
import { PATIENCE_MS } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const log = { debug: () => undefined, warn: () => undefined };
const WHOLE_STORY = ['initiated', 'ringing', 'in-progress', 'completed', 'ended'];

/** The callee presses 8, which requests a transfer from the sandbox agent; the trunk leads to another phone. */
describe('a transfer', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let callee: SandboxPhone;
  let colleague: SandboxPhone;
  let account: TestAccount;
  let narrow: TestAccount;
  let api: ApiClient;
  let database: Client;
  let calls: Record<'bridged' | 'busy' | 'silent' | 'full', string>;

  beforeAll(async () => {
    sink = await WebhookSink.start();
    const common = { bind: '127.0.0.1', port: 0, ringMs: 100, log };
    callee = await startSandboxPhone({ ...common, rtpPorts: { min: 27_000, max: 27_199 } });
    const patience = { greetingMs: 2_000, turnMs: 3_000, goodbyeMs: 500 };
    colleague = await startSandboxPhone({ ...common, rtpPorts: { min: 27_200, max: 27_399 }, patience });
    stack = await Stack.start();
    const agent = { ring_timeout_seconds: 3, call_transfer: { enabled: true, phone_number: '+15550002200' } };
    const webhookUrl = `${sink.url}/hook`;
    account = await createAccount(stack, { name: 'acme', webhookUrl, trunk: { port: colleague.port }, agent });
    const trunk = { port: colleague.port, concurrent_calls: 1 };
    narrow = await createAccount(stack, { name: 'narrow', webhookUrl, trunk, agent });
    api = apiOf(stack, account);
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
    const [bridged, busy, silent, full] = await Promise.all([
      place(),
      place({ transfer_phone_number: '+15550002291' }),
      place({ transfer_phone_number: '+15550002292' }),
      place({ to_number: '+15550002297', trunk_id: narrow.trunkId }, narrow),
    ]);
    calls = { bridged, busy, silent, full };
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await Promise.all([callee?.close(), colleague?.close()]);
    await sink?.close();
  });

  const place = async (more: Partial<CallOrder> = {}, by = account): Promise<string> => {
    const to_number = `sip:press_8@127.0.0.1:${callee.port}`;
    return (await apiOf(stack, by).createCall({ to_number, ...more })).call_id;
  };
  const ended = (callId: string) => sink.until(() => sink.eventsOf(callId).includes('ended'));
  const hangUp = async (callId: string, by = api): Promise<void> => {
    await by.cancel(callId);
    await ended(callId);
  };

  /** The failure of the transfer, and the time of the agent's next words. */
  async function agentIsBack(callId: string): Promise<{ failed: CallEvent; waitedMs: number }> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const events = await eventsOfCall(database, callId);
      const failed = events.find(({ type, data }) => type === 'tool_call' && data.name === 'call_transfer');
      const isAnswer = ({ type, at, data }: CallEvent) =>
        type === 'turn_started' && data.role === 'agent' && at >= failed!.at;
      const spoke = failed && events.find(isAnswer);
      if (spoke) return { failed, waitedMs: spoke.at.getTime() - failed.at.getTime() };
      if (Date.now() > deadline) throw new Error(`The agent did not come back: ${JSON.stringify(events)}`);
      await delay(100);
    }
  }

  it.each([
    ['busy', { status: 'busy', hangup_cause: 'user_busy', sip_code: 486 }],
    ['silent', { status: 'no_answer', hangup_cause: 'no_answer' }],
  ] as const)('to a %s colleague returns the caller to the agent within two seconds', async (which, outcome) => {
    const { failed, waitedMs } = await agentIsBack(calls[which]);
    expect(failed.data).toMatchObject({ ok: false });
    expect(waitedMs).toBeLessThan(2_000);
    const call = await api.call(calls[which]);
    expect(call).toMatchObject({ status: 'in_progress', transfers: [outcome] });
    await hangUp(calls[which]);
  });

  it('over a trunk without a free line is not dialled', async () => {
    const { failed } = await agentIsBack(calls.full);
    expect(failed.data).toMatchObject({ result: { error: { code: 'concurrency_limit' } } });
    const theirs = apiOf(stack, narrow);
    expect(await theirs.call(calls.full)).toMatchObject({ transfers: [{ status: 'failed' }] });
    await hangUp(calls.full, theirs);
  });

  it('to a person who asked the agent not to be called again is not dialled, and neither is a further call', async () => {
    const webhookUrl = `${sink.url}/hook`;
    const script = {
      rules: [
        { on: { digits: '8' }, call: { tool: 'do_not_call', arguments: { reason: 'Asked by key.' } } },
        { on: { tool: 'do_not_call' }, say: 'You will not be called again. Goodbye.', hang_up: true },
        { on: { digits: '9' }, say: 'One moment.', transfer: true },
        { on: { tool: 'call_transfer', failed: true }, say: 'The colleague cannot be called.' },
      ],
    };
    const person = '+15550002297';
    const call_transfer = { enabled: true, phone_number: person };
    const agent = { ring_timeout_seconds: 3, do_not_call_tool: true, call_transfer, script };
    const polite = await createAccount(stack, { name: 'polite', webhookUrl, trunk: { port: colleague.port }, agent });
    const theirs = apiOf(stack, polite);
    const asked = await place({ to_number: person, trunk_id: polite.trunkId }, polite);
    await ended(asked);
    const ran = { name: 'do_not_call', ok: true, result: { added: true } };
    expect(sink.of(asked).at(-1)!.body.data).toMatchObject({
      status: 'completed',
      tool_calls: [ran, { name: 'end_call' }],
    });
    expect(await dataOf(theirs.GET('/api/v1/do-not-call', {}))).toMatchObject([
      { number: person, source: 'agent', reason: 'Asked by key.', call_id: asked },
    ]);
    const again = theirs.POST('/api/v1/calls', {
      body: { to_number: person, agent_id: polite.agentId, number_id: polite.numberId, trunk_id: polite.trunkId },
    });
    expect((await again).response.status).toBe(422);

    const dialled = (): number => colleague.calls.filter((call) => call.requestUser === person).length;
    const before = dialled();
    const callId = await place({ to_number: `sip:press_9@127.0.0.1:${callee.port}` }, polite);
    const { failed } = await agentIsBack(callId);
    expect(failed.data).toMatchObject({ ok: false, result: { error: { code: 'do_not_call' } } });
    expect(await theirs.call(callId)).toMatchObject({ transfers: [{ status: 'failed', hangup_cause: 'do_not_call' }] });
    expect(dialled()).toBe(before);
    await hangUp(callId, theirs);
  });

  it('whose caller hangs up while the colleague rings ends both legs', async () => {
    const callId = await place({ transfer_phone_number: '+15550002292' });
    const second = await colleague.waitFor((call) => call.extension === 'no_answer' && !call.endedBy);
    await hangUp(callId);
    await colleague.waitFor((call) => call === second && call.endedBy === 'cancelled');
    expect(await api.call(callId)).toMatchObject({ transfers: [{ status: 'cancelled' }] });
  });

  it('lets both parties hear each other, shows our number, and the call contains both legs', async () => {
    await ended(calls.bridged);
    const second = colleague.calls.find((call) => call.requestUser === '+15550002200')!;
    expect(second.from).toContain('+15550001111');
    expect(second.heardUtterances).toBeGreaterThan(0);
    expect(second.endedBy).toBe('callee');
    expect(callee.calls.some((call) => call.said.includes('goOn'))).toBe(true);

    const call = await api.call(calls.bridged);
    expect(call).toMatchObject({ status: 'completed', hangup_cause: 'transferred' });
    const leg = { to_number: '+15550002200', from_number: '+15550001111', method: 'bridge', status: 'completed' };
    expect(call.transfers).toMatchObject([{ ...leg, hangup_cause: 'normal_clearing' }]);
    expect(sink.eventsOf(calls.bridged)).toEqual(WHOLE_STORY);
    const { data } = sink.of(calls.bridged).at(-1)!.body;
    expect(data.transfers).toEqual(call.transfers);
    expect(data.tool_calls).toMatchObject([{ name: 'call_transfer', ok: true, result: { transferred: true } }]);
    const carrier = (data.costs as { kind: string }[]).filter((line) => line.kind === 'carrier_seconds');
    expect(carrier).toHaveLength(2);

    const { legs } = await api.diagnostics(calls.bridged);
    expect(legs.map(({ leg, ladder }) => [leg, ladder.length > 3])).toEqual([
      [1, true],
      [2, true],
    ]);
  });
});
