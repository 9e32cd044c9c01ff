import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildAnswer, SipUserAgent, type DialRequest, type EmbeddedEngine, type IncomingCall } from '@app/telephony';
import { missingPeers, startKamailio, startSipp, type SipPeer } from './sip-peers.js';
import { dialTo, eventOf, startTestEngine } from './test-engine.js';

const missing = missingPeers();
if (missing.length > 0)
  console.warn(`skipped: calls over Kamailio need the Debian packages of ${missing.join(' and ')}`);
const suite = missing.length > 0 ? describe.skip : describe;

const destination = { kind: 'e164' as const, number: '+15550002222' };

suite.each([
  ['udp', 'MD5'],
  ['udp', 'SHA-256'],
  ['tcp', 'MD5'],
  ['tcp', 'SHA-256'],
] as const)('a trunk over %s with %s digest', (transport, algorithm) => {
  let engine: EmbeddedEngine;
  let callee: SipUserAgent;
  const peers: SipPeer[] = [];

  beforeEach(async () => {
    engine = await startTestEngine();
    const log = { debug: () => undefined, warn: () => undefined };
    callee = await SipUserAgent.start({ bind: '127.0.0.1', port: 0, userAgent: 'callee', log });
  });
  afterEach(async () => {
    await Promise.all([engine.close(), callee.close()]);
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  });

  async function trunk(calleePort: number, password = 'secret'): Promise<Partial<DialRequest> & { port: number }> {
    const peer = await startKamailio({ calleePort, algorithm });
    peers.push(peer);
    const { port } = peer;
    const targets = [{ host: '127.0.0.1', port, transport, priority: 0 }];
    return { destination, port, trunk: { targets, username: 'trunkline', password } };
  }

  it('carries a call that we hang up', async () => {
    const sipp = await startSipp({ scenario: 'answer', transport: 'udp' });
    peers.push(sipp);
    const { port, ...request } = await trunk(sipp.port);
    const { leg, ended } = dialTo(engine, port, transport, request);
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup' });
    expect(await sipp.exited).toBe(0);
  });

  it('carries a call that the callee hangs up, with the number in the Request-URI', async () => {
    let called = '';
    callee.onInvite((call: IncomingCall) => {
      called = call.requestUser;
      call.ring();
      call.answer(buildAnswer(call.offer!, { address: '127.0.0.1', port: 42_999, codecs: ['PCMA'] })!);
      call.once('confirmed', () => call.hangup());
    });
    const { port, ...request } = await trunk(callee.port);
    expect(await dialTo(engine, port, transport, request).ended).toMatchObject({
      status: 'completed',
      endedBy: 'callee',
    });
    expect(called).toBe('+15550002222');
  });

  it('carries a cancel to the callee', async () => {
    const cancelled = new Promise<void>((resolve) => {
      callee.onInvite((call) => {
        call.once('cancelled', resolve);
        call.ring();
      });
    });
    const { port, ...request } = await trunk(callee.port);
    const { leg, ended } = dialTo(engine, port, transport, request);
    await eventOf(leg, 'ringing');
    leg.hangup('cancelled');
    await cancelled;
    expect(await ended).toMatchObject({ status: 'cancelled' });
  });

  it('refuses a wrong password, and that is told as auth_failed', async () => {
    const { port, ...request } = await trunk(callee.port, 'wrong');
    const end = await dialTo(engine, port, transport, request).ended;
    expect(end).toMatchObject({ status: 'failed', cause: 'auth_failed', sipCode: 407 });
  });
});
