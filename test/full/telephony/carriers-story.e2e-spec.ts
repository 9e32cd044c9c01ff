import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { SIP_PROGRAMS, startKamailio, startSipp, type SipPeer } from '../interop/sip-peers.js';
import { suiteWith } from '../../support/suite-with.js';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type AccountPlan } from '../../support/workspace.js';

const suite = suiteWith(SIP_PROGRAMS);

const CREDENTIALS = { username: 'trunkline', password: 'secret' };

suite('calls through HTTP to foreign SIP programs', () => {
  let stack: Stack;
  let phone: SandboxPhone;
  let sink: WebhookSink;
  const peers: SipPeer[] = [];

  beforeAll(async () => {
    sink = await WebhookSink.start();
    const log = { debug: () => {}, warn: () => {} };
    phone = await startSandboxPhone({
      bind: '127.0.0.1',
      port: 0,
      rtpPorts: { min: 27_000, max: 27_999 },
      ringMs: 100,
      log,
    });
    stack = await Stack.start();
  });

  afterAll(async () => {
    await stack?.stop();
    await phone?.close();
    await Promise.all(peers.map((peer) => peer.stop()));
    await sink?.close();
  });

  async function place(plan: AccountPlan, toNumber: string): Promise<{ api: ApiClient; callId: string }> {
    const account = await createAccount(stack, { ...plan, webhookUrl: `${sink.url}/${plan.name}` });
    const api = apiOf(stack, account);
    const call = await api.createCall({ to_number: toNumber, trunk_id: account.trunkId });
    return { api, callId: call.call_id };
  }

  const untilEvent = (callId: string, event: string) => sink.until(() => sink.eventsOf(callId).includes(event));

  it('a SIPp callee that answers and hangs up', async () => {
    const sipp = await startSipp({ scenario: 'answer-then-bye', transport: 'udp' });
    peers.push(sipp);
    // The scenario ends after its first request, which must not be a health check.
    const trunk = { port: sipp.port, options_ping_seconds: 0 };
    const { api, callId } = await place({ name: 'sipp', trunk }, '+15550003300');
    await untilEvent(callId, 'ended');
    expect(sink.eventsOf(callId)).toEqual(['initiated', 'ringing', 'in-progress', 'completed', 'ended']);
    expect(await api.call(callId)).toMatchObject({
      status: 'completed',
      ended_by: 'callee',
      hangup_cause: 'normal_clearing',
    });
    expect(await sipp.exited).toBe(0);
  });

  it.each(['MD5', 'SHA-256'] as const)('a Kamailio trunk that asks for a %s digest', async (algorithm) => {
    const kamailio = await startKamailio({ calleePort: phone.port, algorithm });
    peers.push(kamailio);
    const plan = { name: `kamailio-${algorithm}`, trunk: { port: kamailio.port, transport: 'tcp', ...CREDENTIALS } };
    const { api, callId } = await place(plan, '+15550003301');
    await untilEvent(callId, 'in-progress');
    await api.cancel(callId);
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'completed', to_number: '+15550003301' });
    expect((await api.call(callId)).cost).toBeGreaterThan(0);
  });

  it('a Kamailio trunk with a wrong password', async () => {
    const kamailio = await startKamailio({ calleePort: phone.port, algorithm: 'MD5' });
    peers.push(kamailio);
    const trunk = { port: kamailio.port, ...CREDENTIALS, password: 'wrong' };
    const { api, callId } = await place({ name: 'wrong-password', trunk }, '+15550003302');
    await untilEvent(callId, 'ended');
    expect(sink.eventsOf(callId)).toEqual(['initiated', 'failed', 'ended']);
    expect(await api.call(callId)).toMatchObject({ status: 'failed', hangup_cause: 'auth_failed', sip_code: 407 });
  });

  it('a port where nobody listens', async () => {
    const { api, callId } = await place({ name: 'nobody', trunk: { port: 9, transport: 'tcp' } }, '+15550003303');
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'failed', hangup_cause: 'network_error', sip_code: null });
  });
});
