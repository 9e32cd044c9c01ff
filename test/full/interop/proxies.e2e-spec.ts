import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { EmbeddedEngine, IncomingCall, LegEnd, SipUserAgent } from '@app/telephony';
import { answerCall, closeAgents, startAgent } from './loopback-agents.js';
import { SIP_PROGRAMS, startKamailio, startSipp, type SipPeer } from './sip-peers.js';
import { suiteWith } from '../../support/suite-with.js';
import { dialTo, eventOf, startTestEngine } from './test-engine.js';

const suite = suiteWith(SIP_PROGRAMS);

const destination = { kind: 'e164' as const, number: '+15550002222' };

suite.each(['udp', 'tcp'] as const)('a call over %s through two proxies that both record the route', (transport) => {
  let engine: EmbeddedEngine;
  let callee: SipUserAgent;
  const sent: string[] = [];
  const peers: SipPeer[] = [];

  beforeEach(async () => {
    sent.length = 0;
    callee = await startAgent();
    engine = await startTestEngine({
      onSipEvent: (_, { direction, wire }) => void (direction === 'out' && sent.push(wire)),
    });
  });
  afterEach(async () => {
    await Promise.all([engine.close(), closeAgents()]);
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  });

  async function dialThrough(calleePort: number): Promise<ReturnType<typeof dialTo>> {
    const inner = await startKamailio({ calleePort, algorithm: 'MD5', open: true });
    peers.push(inner);
    const outer = await startKamailio({ calleePort: inner.port, algorithm: 'SHA-256' });
    peers.push(outer);
    const targets = [{ host: '127.0.0.1', port: outer.port, transport, priority: 0 }];
    return dialTo(engine, 0, transport, { destination, trunk: { targets, username: 'trunkline', password: 'secret' } });
  }

  const routesOf = (start: string) =>
    sent.filter((wire) => wire.startsWith(start)).map((wire) => wire.match(/<sip:127\.0\.0\.1[^>]*;lr[^>]*>/g)?.length);

  it('is hung up with ACK and BYE through both proxies', async () => {
    const sipp = await startSipp({ scenario: 'answer', transport: 'udp' });
    peers.push(sipp);
    const { leg, ended } = await dialThrough(sipp.port);
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup' });
    expect(await sipp.exited).toBe(0);
    // One per proxy, or two of a proxy that changes the transport.
    const routes = transport === 'udp' ? 2 : 3;
    expect([routesOf('ACK').at(-1), routesOf('BYE')]).toEqual([routes, [routes]]);
  });

  it('is put on hold, resumed and hung up by the callee', async () => {
    callee.onInvite((call: IncomingCall) => {
      answerCall(call);
      call.once('confirmed', () => void holdAndLeave(call));
    });
    const { leg, ended } = await dialThrough(callee.port);
    const held: boolean[] = [];
    leg.on('hold', (on) => held.push(on));
    expect(await ended).toMatchObject({ status: 'completed', cause: 'normal_clearing', endedBy: 'callee' });
    expect(held).toEqual([true, false]);
  });

  it('is cancelled while it rings', async () => {
    const cancelled = new Promise<void>((resolve) => {
      callee.onInvite((call) => {
        call.once('cancelled', resolve);
        call.ring();
      });
    });
    const { leg, ended } = await dialThrough(callee.port);
    await eventOf(leg, 'ringing');
    leg.hangup('cancelled');
    await cancelled;
    expect(await ended).toMatchObject({ status: 'cancelled', cause: 'cancelled' });
  });

  it('is refused by the callee, with its reason', async () => {
    const sipp = await startSipp({ scenario: 'reject', transport: 'udp', verdict: '603 Not Today' });
    peers.push(sipp);
    const end: LegEnd = await (await dialThrough(sipp.port)).ended;
    expect(end).toMatchObject({ status: 'busy', cause: 'call_rejected', sipReason: 'Not Today' });
    expect(await sipp.exited).toBe(0);
  });
});

async function holdAndLeave(call: IncomingCall): Promise<void> {
  await call.hold(true);
  await call.hold(false);
  call.hangup();
}
