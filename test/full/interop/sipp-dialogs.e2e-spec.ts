import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CallResult, EmbeddedEngine, OutgoingCall, OutgoingInvite, SipUserAgent } from '@app/telephony';
import { closeAgents, dial, resultOf, startAgent } from './loopback-agents.js';
import { SIP_PROGRAMS, startSipp, type SipPeer } from './sip-peers.js';
import { suiteWith } from '../../support/suite-with.js';
import { dialTo, eventOf, startTestEngine } from './test-engine.js';

const suite = suiteWith(SIP_PROGRAMS);

suite.each(['udp', 'tcp'] as const)('a dialog with SIPp over %s', (transport) => {
  let agent: SipUserAgent;
  let arrivals: ((method: string | undefined) => void)[] = [];
  let departures: ((method: string | undefined) => void)[] = [];
  const engines: EmbeddedEngine[] = [];
  const peers: SipPeer[] = [];

  beforeEach(async () => {
    arrivals = [];
    departures = [];
    agent = await startAgent({
      tap: (direction, { kind, headers }) => {
        const method = headers.get('cseq')?.split(' ')[1];
        if (direction === 'in' && kind === 'response') for (const one of arrivals) one(method);
        if (direction === 'out' && kind === 'request') for (const one of departures) one(method);
      },
    });
  });
  afterEach(async () => {
    await Promise.all([closeAgents(), ...engines.splice(0).map((one) => one.close())]);
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  });

  async function callee(scenario: string, verdict?: string): Promise<SipPeer> {
    // Over UDP messages may arrive twice on a busy machine. SIPp does not compare the CSeq of an ACK with its INVITE, and fails a call
    // when the ACK of a repeated 2xx arrives after the next request.
    const lenient = transport === 'udp';
    const peer = await startSipp({ scenario, transport, lenient, ...(verdict === undefined ? {} : { verdict }) });
    peers.push(peer);
    return peer;
  }

  function call({ port }: SipPeer, options: Partial<OutgoingInvite> = {}): OutgoingCall {
    return dial(agent, port, { nextHops: [{ host: '127.0.0.1', port, transport }], ...options });
  }

  /** Resolves when the remote party has responded to a request of that method. */
  function answerTo(method: string): Promise<void> {
    return new Promise((resolve) => arrivals.push((one) => one === method && resolve()));
  }

  /** Resolves when that many requests of that method have been sent, retransmissions included. */
  function sent(method: string, times: number): Promise<void> {
    let left = 0;
    return new Promise((resolve) => departures.push((one) => one === method && ++left === times && resolve()));
  }

  async function hangUp(one: OutgoingCall): Promise<CallResult> {
    const ended = resultOf(one);
    one.hangup();
    return ended;
  }

  const byUs = { kind: 'bye', by: 'local' };

  it('acknowledges a reliable 183 and uses its description as the answer', async () => {
    const peer = await callee('prack');
    const one = call(peer);
    const audio = await Promise.all([once(one, 'early'), once(one, 'answered')]);
    expect(audio[1][0]).toEqual(audio[0][0]);
    expect(await hangUp(one)).toEqual(byUs);
    expect(await peer.exited).toBe(0);
  });

  it.each([
    ['update', [false, true]],
    ['reinvite', [false, true, true]],
  ])('follows hold, resume and the new codec of %s', async (scenario, sending) => {
    const peer = await callee(scenario);
    const one = call(peer, { codecs: ['PCMU', 'PCMA'] });
    const heard: boolean[] = [];
    one.on('media', (audio) => heard.push(audio.sendAudio));
    expect(await resultOf(one)).toEqual({ kind: 'bye', by: 'remote' });
    expect(heard).toEqual(sending);
    expect(await peer.exited).toBe(0);
  });

  it('holds and resumes on our side', async () => {
    const peer = await callee('held');
    const one = call(peer);
    await once(one, 'answered');
    for (const on of [true, false]) expect(await one.hold(on)).toEqual({ accepted: true, status: 200 });
    expect(await hangUp(one)).toEqual(byUs);
    expect(await peer.exited).toBe(0);
  });

  if (transport === 'udp')
    it('holds and resumes although INVITE and response were duplicated', async () => {
      const peer = await callee('held');
      peer.freeze();
      const twice = sent('INVITE', 2);
      const one = call(peer);
      await twice;
      peer.thaw();
      await once(one, 'answered');
      for (const on of [true, false]) expect(await one.hold(on)).toEqual({ accepted: true, status: 200 });
      expect(await hangUp(one)).toEqual(byUs);
      expect(await peer.exited).toBe(0);
    });

  it('repeats the INVITE after a 422, and refreshes the session by UPDATE', async () => {
    const peer = await callee('session-timer');
    const refreshed = answerTo('UPDATE');
    const one = call(peer);
    await Promise.all([once(one, 'answered'), refreshed]);
    expect(await hangUp(one)).toEqual(byUs);
    expect(await peer.exited).toBe(0);
  });

  it('ends as session_expired when the remote party no longer knows the call', async () => {
    const peer = await callee('session-lost');
    const engine = await startTestEngine();
    engines.push(engine);
    const { ended } = dialTo(engine, peer.port, transport);
    expect(await ended).toMatchObject({ status: 'completed', cause: 'session_expired', endedBy: 'system' });
    expect(await peer.exited).toBe(0);
  });

  it('transfers the call by REFER and receives the progress', async () => {
    const peer = await callee('refer');
    const engine = await startTestEngine();
    engines.push(engine);
    const { leg, ended } = dialTo(engine, peer.port, transport);
    await eventOf(leg, 'answered');
    const reports: number[] = [];
    const over = new Promise<void>((resolve) => {
      leg.on('transfer', ({ status, final }) => {
        reports.push(status);
        if (final) resolve();
      });
    });
    expect(await leg.refer('sip:+15550003@127.0.0.1')).toEqual({ accepted: true, status: 202 });
    await over;
    expect(reports).toEqual([180, 200]);
    leg.hangup('transferred');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'transferred' });
    expect(await peer.exited).toBe(0);
  });

  it('keeps the call when a REFER is refused', async () => {
    const peer = await callee('refer-refused');
    const one = call(peer);
    await once(one, 'answered');
    expect(await one.refer('sip:+15550003@127.0.0.1')).toEqual({ accepted: false, status: 603 });
    expect(await hangUp(one)).toEqual(byUs);
    expect(await peer.exited).toBe(0);
  });

  it('places no call for a REFER of the remote party', async () => {
    const peer = await callee('referring');
    expect(await resultOf(call(peer))).toEqual({ kind: 'bye', by: 'remote' });
    expect(await peer.exited).toBe(0);
  });

  it('follows a 302 that the account allows', async () => {
    const target = await callee('answer');
    const uri = `sip:moved@127.0.0.1:${target.port};transport=${transport}`;
    const peer = await callee('moved', uri);
    const one = call(peer, { redirectAllowed: (to) => to === uri });
    await once(one, 'answered');
    expect(await hangUp(one)).toEqual(byUs);
    expect(await Promise.all([peer.exited, target.exited])).toEqual([0, 0]);
  });

  it('fails over to the second target after a 503', async () => {
    const [full, free] = [await callee('reject', '503 Service Unavailable'), await callee('answer')];
    const nextHops = [full, free].map(({ port }) => ({ host: '127.0.0.1', port, transport }));
    const one = call(full, { nextHops });
    await once(one, 'answered');
    expect(await hangUp(one)).toEqual(byUs);
    expect(await Promise.all([full.exited, free.exited])).toEqual([0, 0]);
  });

  it('hangs up the second of two phones that answer', async () => {
    const peer = await callee('forked');
    const both = answerTo('BYE');
    const one = call(peer);
    await Promise.all([once(one, 'answered'), both]);
    expect(await hangUp(one)).toEqual(byUs);
    expect(await peer.exited).toBe(0);
  });
});
