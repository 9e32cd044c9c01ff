import { afterEach, describe, expect, it } from '@jest/globals';
import {
  answerCall,
  closeAgents,
  dial,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import { digestResponse, parseChallenge } from '../messages/digest.js';
import { parseParams, splitOutsideQuotes } from '../messages/headers.js';
import type { IncomingCall } from './incoming-call.js';
import type { OutgoingCall, OutgoingInvite } from './outgoing-call.js';

afterEach(closeAgents);

describe.each(['udp', 'tcp'] as const)('calls over %s', (transport) => {
  async function pair(onInvite: (call: IncomingCall) => void): Promise<(o?: Partial<OutgoingInvite>) => OutgoingCall> {
    const [caller, callee] = await Promise.all([startAgent(), startAgent()]);
    callee.onInvite(onInvite);
    return (o = {}) =>
      dial(caller, callee.port, { nextHops: [{ host: '127.0.0.1', port: callee.port, transport }], ...o });
  }

  it('rings, is answered and is hung up by the callee', async () => {
    const call = (
      await pair((incoming) => {
        incoming.ring();
        answerCall(incoming);
        incoming.once('confirmed', () => incoming.hangup());
      })
    )();
    const events: string[] = [];
    for (const name of ['trying', 'ringing', 'answered'] as const) call.on(name, () => events.push(name));
    expect(await resultOf(call)).toEqual({ kind: 'bye', by: 'remote' });
    expect(events).toEqual(['trying', 'ringing', 'answered']);
  });

  it('is hung up by the caller', async () => {
    let call: OutgoingCall | undefined;
    const calleeEnded = new Promise<string>((resolve) => {
      void pair((incoming) => {
        incoming.once('ended', resolve);
        answerCall(incoming);
      }).then((connect) => {
        call = connect();
        return call.once('answered', () => call?.hangup());
      });
    });
    expect(await calleeEnded).toBe('remote');
    expect(call?.answered).toBe(true);
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

  it('reports the Q.850 cause of a rejection', async () => {
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

  it.each(['MD5', 'SHA-256', 'SHA-512-256'])('answers a %s challenge with the same Call-ID', async (algorithm) => {
    const challenge = `Digest realm="test, here", nonce="abc;1", qop="auth,auth-int", algorithm=${algorithm}`;
    const seen = new Set<string>();
    const connect = await pair((incoming) => {
      seen.add(incoming.callId);
      if (!allows(incoming, challenge)) return incoming.reject(407, undefined, { 'Proxy-Authenticate': challenge });
      incoming.once('confirmed', () => incoming.hangup());
      answerCall(incoming);
    });
    const call = connect({ credentials: { username: 'bob', password: 'secret' } });
    expect(await resultOf(call)).toEqual({ kind: 'bye', by: 'remote' });
    expect(seen).toEqual(new Set([call.callId]));
  });
});

it.each([
  ['0.0.0.0', '127.0.0.1', '127.0.0.1'],
  ['::1', '[::1]', '[::1]'],
])('an endpoint bound to %s announces a reachable address', async (bind, host, announced) => {
  const [caller, callee] = await Promise.all([startAgent({ bind }), startAgent({ bind })]);
  const contacts: (string | undefined)[] = [];
  callee.onInvite((call) => {
    contacts.push(call.header('Contact'));
    call.once('confirmed', () => call.hangup());
    answerCall(call);
  });
  const to = { host, port: callee.port, transport: 'udp' as const };
  const call = dial(caller, callee.port, { requestUri: `sip:100@${host}:${callee.port}`, nextHops: [to] });
  expect(await resultOf(call)).toEqual({ kind: 'bye', by: 'remote' });
  expect(contacts).toEqual([`<sip:+15550001@${announced}:${caller.port}>`]);
});

function allows(call: IncomingCall, challenge: string): boolean {
  const value = call.header('Proxy-Authorization');
  if (value === undefined) return false;
  const sent = parseParams(splitOutsideQuotes(value.slice('Digest '.length), ',').join(';'));
  const input = {
    username: 'bob',
    password: 'secret',
    method: 'INVITE',
    uri: sent.get('uri')!,
    cnonce: sent.get('cnonce')!,
    body: '',
  };
  const count = Number.parseInt(sent.get('nc')!, 16);
  return sent.get('response') === digestResponse(parseChallenge(challenge)!, { ...input, count });
}
