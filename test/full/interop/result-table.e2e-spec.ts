import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { EmbeddedEngine, HangupCause, Trunk } from '@app/telephony';
import { FAST_TIMERS } from './loopback-agents.js';
import { SIP_PROGRAMS, startSipp, type SipPeer } from './sip-peers.js';
import { suiteWith } from '../../support/suite-with.js';
import { freePort } from '../../support/free-port.js';
import { dialTo, eventOf, startTestEngine, testMedia } from './test-engine.js';

const suite = suiteWith(SIP_PROGRAMS);

const destination = { kind: 'e164' as const, number: '+15550002222' };
const log = { debug: () => undefined, warn: () => undefined };
const sip = { bind: '127.0.0.1', port: 0, userAgent: 'trunkline-interop', log };

suite.each(['udp', 'tcp'] as const)('a call to SIPp over %s:', (transport) => {
  let engine: EmbeddedEngine;
  const peers: SipPeer[] = [];

  beforeEach(async () => {
    engine = await startTestEngine({ sip: { ...sip, timers: FAST_TIMERS } });
  });
  afterEach(async () => {
    await engine.close();
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  });

  async function callee(scenario: string, verdict?: string): Promise<SipPeer> {
    const peer = await startSipp({ scenario, transport, ...(verdict === undefined ? {} : { verdict }) });
    peers.push(peer);
    return peer;
  }

  const trunkTo = (ports: number[], more: Partial<Trunk> = {}): Trunk => ({
    targets: ports.map((port, priority) => ({ host: '127.0.0.1', port, transport, priority })),
    ...more,
  });
  const call = (trunk: Trunk) => dialTo(engine, 0, transport, { destination, trunk });

  it.each([
    ['600 Busy Everywhere', 'busy', 'user_busy', 'callee'],
    ['486 Busy Here', 'busy', 'user_busy', 'callee'],
    ['603 Decline', 'busy', 'call_rejected', 'callee'],
    ['607 Unwanted', 'busy', 'call_rejected', 'callee'],
    ['608 Rejected', 'busy', 'call_rejected', 'callee'],
    ['408 Request Timeout', 'no_answer', 'no_answer', 'callee'],
    ['480 Temporarily Unavailable', 'no_answer', 'no_answer', 'callee'],
    ['487 Request Terminated', 'no_answer', 'no_answer', 'callee'],
    ['404 Not Found', 'failed', 'unallocated_number', 'carrier'],
    ['485 Ambiguous', 'failed', 'unallocated_number', 'carrier'],
    ['604 Does Not Exist Anywhere', 'failed', 'unallocated_number', 'carrier'],
    ['410 Gone', 'failed', 'number_changed', 'carrier'],
    ['484 Address Incomplete', 'failed', 'invalid_number_format', 'carrier'],
    ['401 Unauthorized', 'failed', 'auth_failed', 'carrier'],
    ['407 Proxy Authentication Required', 'failed', 'auth_failed', 'carrier'],
    ['402 Payment Required', 'failed', 'rejected_by_carrier', 'carrier'],
    ['403 Forbidden', 'failed', 'rejected_by_carrier', 'carrier'],
    ['699 Refused Everywhere', 'failed', 'rejected_by_carrier', 'carrier'],
    ['488 Not Acceptable Here', 'failed', 'incompatible_media', 'carrier'],
    ['606 Not Acceptable', 'failed', 'incompatible_media', 'carrier'],
    ['415 Unsupported Media Type', 'failed', 'incompatible_media', 'carrier'],
    ['500 Server Internal Error', 'failed', 'service_unavailable', 'carrier'],
    ['502 Bad Gateway', 'failed', 'service_unavailable', 'carrier'],
    ['503 Service Unavailable', 'failed', 'service_unavailable', 'carrier'],
    ['504 Server Time-out', 'failed', 'service_unavailable', 'carrier'],
    ['302 Moved Temporarily', 'failed', 'redirected', 'carrier'],
    ['482 Loop Detected', 'failed', 'request_refused', 'carrier'],
  ])('%s ends as %s/%s', async (verdict, status, cause, endedBy) => {
    const peer = await callee('reject', verdict);
    const end = await call(trunkTo([peer.port])).ended;
    const told = { sipCode: Number(verdict.slice(0, 3)), sipReason: verdict.slice(4) };
    expect(end).toMatchObject({ status, cause, endedBy, ...told });
    expect(await peer.exited).toBe(0);
  });

  it.each([
    ['401 Unauthorized', 'WWW-Authenticate', 'MD5'],
    ['407 Proxy Authentication Required', 'Proxy-Authenticate', 'SHA-256'],
  ])('%s in response to the credentials of the trunk ends as failed/auth_failed', async (line, header, algorithm) => {
    const challenge = `Digest realm="sipp.test", nonce="47ebe028cda119c3", algorithm=${algorithm}, qop="auth"`;
    const peer = await callee('challenged-twice', `${line}\n      ${header}: ${challenge}`);
    const { ended } = call(trunkTo([peer.port], { username: 'trunkline', password: 'secret' }));
    expect(await ended).toMatchObject({ status: 'failed', cause: 'auth_failed', sipCode: Number(line.slice(0, 3)) });
    expect(await peer.exited).toBe(0);
  });

  it.each([
    ['480 Temporarily Unavailable', 17, 'no_answer', 'user_busy'],
    ['480 Temporarily Unavailable', 16, 'no_answer', 'no_answer'],
    ['486 Busy Here', 16, 'busy', 'user_busy'],
    ['404 Not Found', 16, 'failed', 'unallocated_number'],
    ['503 Service Unavailable', 16, 'failed', 'service_unavailable'],
    ['500 Server Internal Error', 1, 'failed', 'unallocated_number'],
    ['603 Decline', 21, 'busy', 'call_rejected'],
    ['404 Not Found', 22, 'failed', 'number_changed'],
    ['403 Forbidden', 28, 'failed', 'invalid_number_format'],
    ['503 Service Unavailable', 38, 'failed', 'network_error'],
    ['500 Server Internal Error', 88, 'failed', 'incompatible_media'],
  ])('%s with Q.850 cause %i ends as %s/%s', async (line, q850, status, cause) => {
    const peer = await callee('reject', `${line}\n      Reason: SIP;cause=200, Q.850;cause=${q850};text="so it is"`);
    expect(await call(trunkTo([peer.port])).ended).toMatchObject({ status, cause, q850 });
    expect(await peer.exited).toBe(0);
  });

  it.each(['500 Server Internal Error', '502 Bad Gateway', '503 Service Unavailable', '504 Server Time-out'])(
    'a %s fails over to the next target, which answers',
    async (verdict) => {
      const [full, free] = await Promise.all([callee('reject', verdict), callee('answer')]);
      const { leg, ended } = call(trunkTo([full.port, free.port]));
      await eventOf(leg, 'answered');
      leg.hangup('agent_hangup');
      expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup' });
      expect(await Promise.all([full.exited, free.exited])).toEqual([0, 0]);
    },
  );

  it('the last of two failed targets determines the result', async () => {
    const [first, last] = await Promise.all([callee('reject', '503 Overloaded'), callee('reject', '500 Broken')]);
    expect(await call(trunkTo([first.port, last.port])).ended).toMatchObject({
      status: 'failed',
      cause: 'service_unavailable',
      sipCode: 500,
      sipReason: 'Broken',
    });
    expect(await Promise.all([first.exited, last.exited])).toEqual([0, 0]);
  });

  it('ringing for too long is cancelled and ends as no_answer', async () => {
    const peer = await callee('no-answer');
    const { ended } = dialTo(engine, peer.port, transport, { ringTimeoutMs: 300 });
    expect(await ended).toMatchObject({ status: 'no_answer', cause: 'no_answer', endedBy: 'system' });
    expect(await peer.exited).toBe(0);
  });

  it('a cancel by the caller ends as cancelled', async () => {
    const peer = await callee('no-answer');
    const { leg, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'ringing');
    leg.hangup('cancelled');
    expect(await ended).toMatchObject({ status: 'cancelled', cause: 'cancelled', endedBy: 'caller' });
    expect(await peer.exited).toBe(0);
  });

  it('an answer that crosses our CANCEL is acknowledged and hung up', async () => {
    const peer = await callee('glare');
    const { leg, ended, events } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'ringing');
    leg.hangup('cancelled');
    expect(await ended).toMatchObject({ status: 'cancelled', cause: 'cancelled', endedBy: 'caller' });
    expect(events).not.toContain('answered');
    expect(await peer.exited).toBe(0);
  });

  it('a BYE of the callee ends as completed/normal_clearing', async () => {
    const peer = await callee('answer-then-bye');
    const end = await dialTo(engine, peer.port, transport).ended;
    expect(end).toMatchObject({ status: 'completed', cause: 'normal_clearing', endedBy: 'callee', q850: 16 });
    expect(await peer.exited).toBe(0);
  });

  it.each<[HangupCause, string]>([
    ['agent_hangup', 'agent'],
    ['answering_machine', 'agent'],
    ['message_left', 'agent'],
    ['recording_refused', 'agent'],
    ['max_duration', 'system'],
    ['transferred', 'system'],
    ['agent_provider_error', 'system'],
    ['media_unavailable', 'system'],
    ['worker_lost', 'system'],
  ])('our BYE for %s ends as completed, by the %s', async (cause, endedBy) => {
    const peer = await callee('answer');
    const { leg, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'answered');
    leg.hangup(cause);
    expect(await ended).toMatchObject({ status: 'completed', cause, endedBy });
    expect(await peer.exited).toBe(0);
  });

  it('our BYE for a cancel after the answer ends as completed/normal_clearing, by the caller', async () => {
    const peer = await callee('answer');
    const { leg, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'answered');
    leg.hangup('cancelled');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'normal_clearing', endedBy: 'caller' });
    expect(await peer.exited).toBe(0);
  });

  it('our BYE to a callee without audio ends as completed/media_timeout', async () => {
    const deaf = await startTestEngine({ media: testMedia({ mediaTimeoutMs: 200, silenceLimitMs: 200 }) });
    const peer = await callee('answer');
    const end = await dialTo(deaf, peer.port, transport).ended;
    expect(end).toMatchObject({ status: 'completed', cause: 'media_timeout', endedBy: 'system' });
    expect(await peer.exited).toBe(0);
    await deaf.close();
  });

  it('our BYE at the shutdown of the dialer ends as completed/drained', async () => {
    const peer = await callee('answer');
    const { leg, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'answered');
    await engine.drain(new Date());
    expect(await ended).toMatchObject({ status: 'completed', cause: 'drained', endedBy: 'system' });
    expect(await peer.exited).toBe(0);
  });

  it('a callee that responds to a refresh with 481 ends as completed/session_expired', async () => {
    const peer = await callee('session-lost');
    const end = await dialTo(engine, peer.port, transport).ended;
    expect(end).toMatchObject({ status: 'completed', cause: 'session_expired', endedBy: 'system' });
    expect(await peer.exited).toBe(0);
  });
});

suite('an INVITE without any response', () => {
  let engine: EmbeddedEngine;
  const peers: SipPeer[] = [];
  let invites = 0;

  beforeEach(async () => {
    invites = 0;
    engine = await startTestEngine({
      sip: { ...sip, timers: FAST_TIMERS },
      onSipEvent: (_, { direction, summary }) => {
        if (direction === 'out' && summary === 'INVITE') invites++;
      },
    });
  });
  afterEach(async () => {
    await engine.close();
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  });

  async function callee(scenario: string): Promise<SipPeer> {
    const peer = await startSipp({ scenario, transport: 'udp' });
    peers.push(peer);
    return peer;
  }

  const target = (port: number, transport: 'udp' | 'tcp', priority = 0) => ({
    host: '127.0.0.1',
    port,
    transport,
    priority,
  });
  const call = (targets: Trunk['targets']) => dialTo(engine, 0, 'udp', { destination, trunk: { targets } });

  it('ends at Timer B as failed/no_response', async () => {
    const peer = await callee('silent');
    const end = await call([target(peer.port, 'udp')]).ended;
    expect(end).toMatchObject({ status: 'failed', cause: 'no_response', endedBy: 'system' });
    // Timer A has repeated it (RFC 3261 §17.1.1.2); the number before Timer B depends on the load.
    expect(invites).toBeGreaterThan(1);
  });

  it('fails over at Timer B to the next target, which answers', async () => {
    const [mute, free] = await Promise.all([callee('silent'), callee('answer')]);
    const { leg, ended } = call([target(mute.port, 'udp'), target(free.port, 'udp', 1)]);
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(invites).toBeGreaterThan(2);
    expect(await free.exited).toBe(0);
  });

  it('a refused connection ends as failed/network_error', async () => {
    const end = await call([target(await freePort(), 'tcp')]).ended;
    expect(end).toMatchObject({ status: 'failed', cause: 'network_error', endedBy: 'system' });
  });

  it('a refused connection fails over to the next target, which answers', async () => {
    const free = await callee('answer');
    const { leg, ended } = call([target(await freePort(), 'tcp'), target(free.port, 'udp', 1)]);
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(await free.exited).toBe(0);
  });
});
