import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { EmbeddedEngine } from '@app/telephony';
import { SIP_PROGRAMS, startSipp, type SipPeer } from './sip-peers.js';
import { suiteWith } from '../../support/suite-with.js';
import { dialTo, eventOf, startTestEngine } from './test-engine.js';

const suite = suiteWith(SIP_PROGRAMS);

suite.each(['udp', 'tcp'] as const)('a call to SIPp over %s', (transport) => {
  let engine: EmbeddedEngine;
  const peers: SipPeer[] = [];

  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterEach(async () => {
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  });
  afterAll(() => engine.close());

  async function callee(scenario: string, verdict?: string): Promise<SipPeer> {
    const peer = await startSipp({ scenario, transport, ...(verdict === undefined ? {} : { verdict }) });
    peers.push(peer);
    return peer;
  }

  it('is answered and hung up by the agent', async () => {
    const peer = await callee('answer');
    const { leg, events, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup', endedBy: 'agent' });
    expect(events).toEqual(['trying', 'ringing', 'answered']);
    expect(await peer.exited).toBe(0);
  });

  it('reports early media before the answer', async () => {
    const peer = await callee('early-media');
    const { leg, events, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    await ended;
    expect(events).toEqual(['trying', 'ringing', 'early', 'answered']);
    expect(await peer.exited).toBe(0);
  });

  it('is authenticated after the digest challenge of SIPp', async () => {
    const peer = await callee('digest');
    const targets = [{ host: '127.0.0.1', port: peer.port, transport, priority: 0 }];
    const trunk = { targets, username: 'trunkline', password: 'secret' };
    const destination = { kind: 'e164' as const, number: '+15550002222' };
    const { leg, ended } = dialTo(engine, peer.port, transport, { trunk, destination });
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(await peer.exited).toBe(0);
  });
});
