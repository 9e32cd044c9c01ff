import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { buildAnswer, buildOffer } from '../sdp.js';
import type { CallResult } from './call-result.js';
import { digestResponse, parseChallenge } from './digest.js';
import type { IncomingCall } from './incoming-call.js';
import { parseParams, splitOutsideQuotes } from './header-params.js';
import type { OutgoingCall, OutgoingInvite } from './outgoing-call.js';
import type { UserAgentOptions } from './user-agent.js';
import { SipUserAgent } from './user-agent.js';

const FAST = { t1: 20, t2: 160, t4: 200 };
const audio = { address: '127.0.0.1', port: 40_000, codecs: ['PCMU' as const] };
const agents: SipUserAgent[] = [];

afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close()));
});

async function start(options: Partial<UserAgentOptions> = {}): Promise<SipUserAgent> {
  const log = { debug: () => undefined, warn: () => undefined };
  const agent = await SipUserAgent.start({
    bind: '127.0.0.1',
    port: 0,
    userAgent: 'trunkline-test',
    log,
    timers: FAST,
    ...options,
  });
  agents.push(agent);
  return agent;
}

function dial(from: SipUserAgent, port: number, options: Partial<OutgoingInvite> = {}): OutgoingCall {
  return from.invite({
    requestUri: `sip:+15550002@127.0.0.1:${port}`,
    nextHop: { host: '127.0.0.1', port, transport: 'udp' },
    from: { user: '+15550001' },
    offer: (address) => buildOffer({ ...audio, address }),
    codecs: ['PCMU'],
    ringTimeoutMs: 5_000,
    ...options,
  });
}

async function resultOf(call: OutgoingCall): Promise<CallResult> {
  const [result] = (await once(call, 'ended')) as [CallResult];
  return result;
}

function answer(call: IncomingCall): void {
  call.answer(call.offer ? buildAnswer(call.offer, audio)! : buildOffer(audio));
}

describe.each(['udp', 'tcp'] as const)('calls over %s', (transport) => {
  async function pair(onInvite: (call: IncomingCall) => void): Promise<(o?: Partial<OutgoingInvite>) => OutgoingCall> {
    const [caller, callee] = await Promise.all([start(), start()]);
    callee.onInvite(onInvite);
    return (o = {}) =>
      dial(caller, callee.port, { nextHop: { host: '127.0.0.1', port: callee.port, transport }, ...o });
  }

  it('rings, is answered and is hung up by the callee', async () => {
    const call = (
      await pair((incoming) => {
        incoming.ring();
        answer(incoming);
        incoming.once('confirmed', () => incoming.hangup());
      })
    )();
    const events: string[] = [];
    for (const name of ['trying', 'ringing', 'answered'] as const) call.on(name, () => events.push(name));
    expect(await resultOf(call)).toEqual({ kind: 'bye', by: 'remote' });
    expect(events).toEqual(['trying', 'ringing', 'answered']);
  });

  it('is hung up by the caller', async () => {
    const ended: string[] = [];
    const connect = await pair((incoming) => {
      incoming.once('ended', (by) => ended.push(by));
      answer(incoming);
    });
    const call = connect();
    call.once('answered', () => call.hangup());
    expect(await resultOf(call)).toEqual({ kind: 'bye', by: 'local' });
    await agents[0]!.close();
    expect(ended).toEqual(['remote']);
  });

  it.each([
    [486, 'Busy Here'],
    [603, 'Decline'],
    [404, 'Not Found'],
    [302, 'Unknown'],
  ])('is rejected with %i', async (status, reason) => {
    const call = (await pair((incoming) => incoming.reject(status)))();
    expect(await resultOf(call)).toEqual({ kind: 'rejected', status, reason });
  });

  it('tells the Q.850 cause of a rejection', async () => {
    const headers = { Reason: 'SIP;cause=503, Q.850;cause=34;text="No circuit, sorry"' };
    const call = (await pair((incoming) => incoming.reject(503, 'Later', headers)))();
    expect(await resultOf(call)).toEqual({ kind: 'rejected', status: 503, reason: 'Later', q850: 34 });
  });

  it('is cancelled while it rings', async () => {
    const seen: string[] = [];
    const connect = await pair((incoming) => {
      incoming.once('cancelled', () => seen.push('cancelled'));
      incoming.ring();
    });
    const call = connect();
    call.once('ringing', () => call.hangup());
    expect(await resultOf(call)).toEqual({ kind: 'cancelled' });
    expect(seen).toEqual(['cancelled']);
  });

  it('gives up after the ring timeout', async () => {
    const connect = await pair((incoming) => incoming.ring());
    expect(await resultOf(connect({ ringTimeoutMs: 100 }))).toEqual({ kind: 'no-answer' });
  });

  it('answers a digest challenge', async () => {
    const seen = new Set<string>();
    const connect = await pair((incoming) => {
      seen.add(incoming.callId);
      if (allows(incoming, 'secret')) return answer(incoming);
      incoming.reject(407, undefined, { 'Proxy-Authenticate': CHALLENGE });
    });
    const call = connect({ credentials: { username: 'bob', password: 'secret' } });
    call.once('answered', () => call.hangup());
    expect(await resultOf(call)).toEqual({ kind: 'bye', by: 'local' });
    expect(seen).toEqual(new Set([call.callId]));
  });
});

const CHALLENGE = 'Digest realm="test, here", nonce="abc;1", qop="auth,auth-int", algorithm=SHA-256';

function allows(call: IncomingCall, password: string): boolean {
  const value = call.header('Proxy-Authorization');
  if (value === undefined) return false;
  const sent = parseParams(splitOutsideQuotes(value.slice('Digest '.length), ',').join(';'));
  const input = { username: 'bob', password, method: 'INVITE', uri: sent.get('uri')!, cnonce: sent.get('cnonce')! };
  const count = Number.parseInt(sent.get('nc')!, 16);
  return sent.get('response') === digestResponse(parseChallenge(CHALLENGE)!, { ...input, count });
}
