import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EmbeddedEngine } from '@app/telephony';
import { missingPeers, startSipp, type SipPeer } from './sip-peers.js';
import { dialTo, eventOf, startTestEngine } from './test-engine.js';

const missing = missingPeers();
if (missing.length > 0) console.warn(`skipped: calls to SIPp need the Debian packages of ${missing.join(' and ')}`);
const suite = missing.length > 0 ? describe.skip : describe;

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

  it('is answered, and hung up by us', async () => {
    const peer = await callee('answer');
    const { leg, events, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup', endedBy: 'agent' });
    expect(events).toEqual(['trying', 'ringing', 'answered']);
    expect(await peer.exited).toBe(0);
  });

  it('is answered, and hung up by the callee', async () => {
    const peer = await callee('answer-then-bye');
    const { ended } = dialTo(engine, peer.port, transport);
    expect(await ended).toMatchObject({ status: 'completed', cause: 'normal_clearing', endedBy: 'callee', q850: 16 });
    expect(await peer.exited).toBe(0);
  });

  it('hears of early media before the answer', async () => {
    const peer = await callee('early-media');
    const { leg, events, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    await ended;
    expect(events).toEqual(['trying', 'ringing', 'early', 'answered']);
    expect(await peer.exited).toBe(0);
  });

  it.each([
    ['486 Busy Here', 'busy', 'user_busy'],
    ['600 Busy Everywhere', 'busy', 'user_busy'],
    ['603 Decline', 'busy', 'call_rejected'],
    ['480 Temporarily Unavailable', 'no_answer', 'no_answer'],
    ['408 Request Timeout', 'no_answer', 'no_answer'],
    ['487 Request Terminated', 'no_answer', 'no_answer'],
    ['404 Not Found', 'failed', 'unallocated_number'],
    ['410 Gone', 'failed', 'number_changed'],
    ['484 Address Incomplete', 'failed', 'invalid_number_format'],
    ['403 Forbidden', 'failed', 'rejected_by_carrier'],
    ['488 Not Acceptable Here', 'failed', 'incompatible_media'],
    ['503 Service Unavailable', 'failed', 'service_unavailable'],
    ['302 Moved Temporarily', 'failed', 'redirected'],
  ])('ends a %s as %s/%s', async (verdict, status, cause) => {
    const peer = await callee('reject', verdict);
    const { ended } = dialTo(engine, peer.port, transport);
    expect(await ended).toMatchObject({
      status,
      cause,
      sipCode: Number(verdict.slice(0, 3)),
      sipReason: verdict.slice(4),
    });
    expect(await peer.exited).toBe(0);
  });

  it('cancels what rings for too long', async () => {
    const peer = await callee('no-answer');
    const { ended } = dialTo(engine, peer.port, transport, { ringTimeoutMs: 800 });
    expect(await ended).toMatchObject({ status: 'no_answer', cause: 'no_answer', endedBy: 'system' });
    expect(await peer.exited).toBe(0);
  });

  it('is cancelled by the caller while it rings', async () => {
    const peer = await callee('no-answer');
    const { leg, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'ringing');
    leg.hangup('cancelled');
    expect(await ended).toMatchObject({ status: 'cancelled', cause: 'cancelled', endedBy: 'caller' });
    expect(await peer.exited).toBe(0);
  });

  it('answers the digest challenge of SIPp', async () => {
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
