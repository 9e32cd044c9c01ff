import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { dial, resultOf } from '../../../../../test/full/interop/loopback-agents.js';
import { usePeerAndAgent } from '../../../../../test/full/interop/peer-and-agent.js';
import {
  contactOf,
  inDialog,
  type InDialogOptions,
  PEER_SDP as SDP,
} from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, type RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import type { NegotiatedAudio } from '../../sdp.js';
import { glareDelayMs } from './local-offers.js';
import type { OutgoingCall, OutgoingInvite } from '../user-agent/outgoing-call.js';
import { UnsafeSipText } from '../messages/headers.js';
import type { SipUserAgent } from '../user-agent/user-agent.js';

let peer: RawSipPeer;
let agent: SipUserAgent;

usePeerAndAgent((started) => ({ peer, agent } = started));

async function established(options: Partial<OutgoingInvite> = {}): Promise<{ call: OutgoingCall; invite: string }> {
  const call = dial(agent, peer.port, options);
  const answered = once(call, 'answered');
  const invite = await peer.next('INVITE');
  accept(invite);
  await peer.next('ACK');
  await answered;
  return { call, invite };
}

function accept(invite: string, body = SDP): void {
  peer.reply(invite, '200 OK', { tag: 'peer', headers: [contactOf(peer)], body });
}

function send(invite: string, method: string, cseq: number, o: InDialogOptions = {}): void {
  peer.send(inDialog(peer, invite, method, cseq, o));
}

describe('an outgoing re-INVITE', () => {
  it('puts the remote party on hold and resumes', async () => {
    const { call, invite } = await established();
    let last = invite;
    for (const [on, ours, theirs] of [
      [true, 'sendonly', 'recvonly'],
      [false, 'sendrecv', 'sendrecv'],
    ] as const) {
      const changed = once(call, 'media') as Promise<[NegotiatedAudio]>;
      const done = call.hold(on);
      last = await peer.nextOther('INVITE', last);
      expect(last).toContain(`a=${ours}`);
      accept(last, SDP.replace('a=sendrecv', `a=${theirs}`));
      expect(headerOf(await peer.next('ACK'), 'CSeq').replace('ACK', 'INVITE')).toBe(headerOf(last, 'CSeq'));
      expect(await done).toEqual({ accepted: true, status: 200 });
      expect((await changed)[0].sendAudio).toBe(true);
    }
    expect(last).toMatch(/^o=- \d+ 3 IN/m);
  });

  it('is acknowledged again when its 200 is repeated, also at a new Contact', async () => {
    const { call, invite } = await established();
    const done = call.hold(true);
    const again = await peer.nextOther('INVITE', invite);
    const moved = (): void =>
      peer.reply(again, '200 OK', { headers: [`Contact: <sip:moved@127.0.0.1:${peer.port}>`], body: SDP });
    moved();
    await peer.next('ACK sip:moved@');
    moved();
    await peer.next('ACK sip:moved@');
    expect(await done).toEqual({ accepted: true, status: 200 });
    call.hangup();
    await peer.next('BYE sip:moved@');
  });

  it('is repeated after a glare (491), and carries credentials', async () => {
    const { call, invite } = await established({ credentials: { username: 'bob', password: 'secret' } });
    const done = call.hold(true);
    const met = await peer.nextOther('INVITE', invite);
    // Our offer is pending, so the remote offer gets 491 as well.
    send(invite, 'INVITE', 10, { body: SDP });
    expect(await peer.next('SIP/2.0')).toMatch(/^SIP\/2\.0 491/);
    peer.reply(met, '491 Request Pending');
    const again = await peer.nextOther('INVITE', met);
    const headers = ['Proxy-Authenticate: Digest realm="r", nonce="n"'];
    peer.reply(again, '407 Proxy Authentication Required', { headers });
    const proved = await peer.nextOther('INVITE', again);
    expect(headerOf(proved, 'Proxy-Authorization')).toContain('nonce="n"');
    accept(proved);
    expect(await done).toEqual({ accepted: true, status: 200 });
  });

  it('has no effect when it is refused', async () => {
    const { call, invite } = await established();
    const done = call.hold(true);
    peer.reply(await peer.nextOther('INVITE', invite), '488 Not Acceptable Here');
    expect(await done).toEqual({ accepted: false, status: 488 });
    send(invite, 'INVITE', 10, { body: SDP });
    expect(await peer.next('SIP/2.0 200')).toContain('a=sendrecv');
    send(invite, 'ACK', 10);
  });

  it('that gets only provisional responses is cancelled', async () => {
    const { call, invite } = await established();
    const done = call.hold(true);
    const again = await peer.nextOther('INVITE', invite);
    peer.reply(again, '100 Trying');
    const cancel = await peer.next('CANCEL');
    expect(headerOf(cancel, 'CSeq')).toBe('2 CANCEL');
    expect(await done).toEqual({ accepted: false });
    peer.reply(cancel, '200 OK');
    peer.reply(again, '487 Request Terminated');
    await peer.next('ACK');
  });

  it('settles when the call ends meanwhile', async () => {
    const { call, invite } = await established();
    const done = call.hold(true);
    await peer.nextOther('INVITE', invite);
    send(invite, 'BYE', 10);
    expect(await done).toEqual({ accepted: false });
    expect(await call.hold(true)).toEqual({ accepted: false });
  });

  it('waits for the answer to the previous one, and is sent as soon as that arrives', async () => {
    const { call, invite } = await established();
    const both = [call.hold(true), call.hold(false)];
    const first = await peer.nextOther('INVITE', invite);
    expect(first).toContain('a=sendonly');
    peer.reply(first, '100 Trying');
    send(invite, 'OPTIONS', 10);
    await peer.next('SIP/2.0 200');
    const answered = performance.now();
    accept(first, SDP.replace('sendrecv', 'recvonly'));
    const second = await peer.nextOther('INVITE', first);
    expect(second).toContain('a=sendrecv');
    // Less than the shortest wait after a 491: there was no glare.
    expect(performance.now() - answered).toBeLessThan(2_100);
    accept(second);
    expect(await Promise.all(both)).toEqual([
      { accepted: true, status: 200 },
      { accepted: true, status: 200 },
    ]);
  });

  it('waits for the ACK of a remote re-INVITE', async () => {
    const { call, invite } = await established();
    send(invite, 'INVITE', 10, { body: SDP });
    await peer.next('SIP/2.0 200');
    const done = call.hold(true);
    expect(await peer.next('')).toMatch(/^SIP\/2\.0 200/);
    send(invite, 'ACK', 10);
    accept(await peer.nextOther('INVITE', invite), SDP.replace('sendrecv', 'recvonly'));
    expect(await done).toEqual({ accepted: true, status: 200 });
  });

  it('uses disjoint ranges of delay after a glare', () => {
    const waits = (owns: boolean): number[] => Array.from({ length: 500 }, () => glareDelayMs(owns));
    expect(Math.min(...waits(true))).toBeGreaterThanOrEqual(2_100);
    expect(Math.max(...waits(true))).toBeLessThanOrEqual(4_000);
    expect(Math.max(...waits(false))).toBeLessThanOrEqual(2_000);
  });
});

describe('an incoming offer', () => {
  it('updates media and remote target, and the answer has its codec', async () => {
    const { call, invite } = await established({ codecs: ['PCMU', 'PCMA'] });
    const changed = once(call, 'media') as Promise<[NegotiatedAudio]>;
    const body = SDP.replaceAll('127.0.0.1', '127.0.0.2').replace('RTP/AVP 0', 'RTP/AVP 8').replace('0 PCMU', '8 PCMA');
    send(invite, 'UPDATE', 10, { body, headers: [`Contact: <sip:there@127.0.0.1:${peer.port}>`] });
    expect(await peer.next('SIP/2.0 200')).toContain('RTP/AVP 8');
    expect((await changed)[0]).toMatchObject({ address: '127.0.0.2', codec: 'PCMA', payloadType: 8 });
    call.hangup();
    await peer.next('BYE sip:there@');
  });

  it('with a refused stream that has no format is answered line by line, and our next offer has the same lines', async () => {
    const { call, invite } = await established();
    const changed = once(call, 'media') as Promise<[NegotiatedAudio]>;
    send(invite, 'UPDATE', 10, { body: `${SDP}m=video 0 RTP/AVP\r\na=inactive\r\n` });
    const ok = await peer.next('SIP/2.0 200');
    expect(ok.match(/^(?:m=|a=(?:sendrecv|inactive)).*$/gm)?.map((line) => line.trim())).toEqual([
      expect.stringMatching(/^m=audio [1-9]\d* RTP\/AVP 0 101$/),
      'a=sendrecv',
      'm=video 0 RTP/AVP 0',
    ]);
    expect((await changed)[0]).toMatchObject({ sendAudio: true });
    void call.hold(true);
    const hold = await peer.nextOther('INVITE', invite);
    expect(hold.match(/^m=\w+/gm)).toEqual(['m=audio', 'm=video']);
    accept(hold, SDP.replace('sendrecv', 'recvonly'));
  });

  it('is refused while our offer waits for the ACK that answers it', async () => {
    const { invite } = await established();
    send(invite, 'INVITE', 10);
    await peer.next('SIP/2.0 200');
    send(invite, 'UPDATE', 11, { body: SDP });
    await peer.next('SIP/2.0 491');
    send(invite, 'ACK', 10, { body: SDP });
    send(invite, 'UPDATE', 12, { body: SDP });
    expect(headerOf(await peer.next('SIP/2.0 200'), 'CSeq')).toBe('12 UPDATE');
  });

  it('is answered with hold while the call is on hold', async () => {
    const { call, invite } = await established();
    const done = call.hold(true);
    accept(await peer.nextOther('INVITE', invite), SDP.replace('sendrecv', 'recvonly'));
    await done;
    send(invite, 'UPDATE', 10, { body: SDP });
    expect(await peer.next('SIP/2.0 200')).toContain('a=sendonly');
    send(invite, 'UPDATE', 11, { body: SDP.replace('sendrecv', 'sendonly') });
    expect(await peer.next('SIP/2.0 200')).toContain('a=inactive');
  });
});

describe('REFER', () => {
  const target = 'sip:+15559@carrier.example';

  function notify(invite: string, cseq: number, state: string, fragment: string, event = 'refer'): void {
    const headers = [contactOf(peer), `Event: ${event}`, `Subscription-State: ${state}`];
    send(invite, 'NOTIFY', cseq, { headers, body: `${fragment}\r\n`, type: 'message/sipfrag;version=2.0' });
  }

  it('is accepted, and NOTIFYs report the progress until the end', async () => {
    const { call, invite } = await established();
    const progress: unknown[] = [];
    call.on('transfer', (one) => progress.push(one));
    const headers = { 'X-Outcome': 'sold' };
    const done = call.refer(target, { referredBy: 'sip:agent@trunkline.example', headers });
    const refer = await peer.next('REFER');
    expect(headerOf(refer, 'X-Outcome')).toBe('sold');
    expect(headerOf(refer, 'Refer-To')).toBe(`<${target}>`);
    expect(headerOf(refer, 'Referred-By')).toBe('<sip:agent@trunkline.example>');
    // A NOTIFY before the response to the REFER is allowed.
    notify(invite, 10, 'active;expires=60', 'SIP/2.0 100 Trying', 'refer;id=2');
    await peer.next('SIP/2.0 200');
    peer.reply(refer, '202 Accepted');
    expect(await done).toEqual({ accepted: true, status: 202 });
    notify(invite, 11, 'active', 'SIP/2.0 180 Ringing');
    await peer.next('SIP/2.0 200');
    notify(invite, 12, 'terminated;reason=noresource', 'SIP/2.0 200 OK');
    // After a lost response the same NOTIFY arrives again and counts once.
    notify(invite, 12, 'terminated;reason=noresource', 'SIP/2.0 200 OK');
    for (let i = 0; i < 2; i++) await peer.next('SIP/2.0 200');
    notify(invite, 13, 'terminated', 'SIP/2.0 200 OK');
    await peer.next('SIP/2.0 481');
    expect(progress).toEqual([
      { status: 100, reason: 'Trying', final: false },
      { status: 180, reason: 'Ringing', final: false },
      { status: 200, reason: 'OK', final: true },
    ]);
  });

  it.each<[string, [state: string, fragment: string][], object[]]>([
    ['terminated', [['terminated', '']], [{ status: 500, final: true }]],
    [
      'terminated;reason=noresource',
      [
        ['active', 'SIP/2.0 180 Ringing'],
        ['Terminated ; reason=noresource', ''],
      ],
      [
        { status: 180, final: false },
        { status: 500, final: true },
      ],
    ],
    ['terminated;reason=timeout', [['terminated;reason=timeout', 'sorry']], [{ status: 408, final: true }]],
    ['terminated;reason=rejected', [['terminated;reason=rejected', '']], [{ status: 603, final: true }]],
    [
      'after the result',
      [
        ['active;expires=5', '\r\nSIP/2.0  200 OK'],
        ['terminated', ''],
      ],
      [{ status: 200, reason: 'OK', final: true }],
    ],
    [
      'after the same result',
      [
        ['active', 'SIP/2.0 486 Busy'],
        ['terminated', 'SIP/2.0 486 Busy'],
      ],
      [{ status: 486, final: true }],
    ],
  ])('is concluded once by a subscription that ends without a report (%s)', async (_, notifies, expected) => {
    const { call, invite } = await established();
    const progress: unknown[] = [];
    call.on('transfer', (one) => progress.push(one));
    void call.refer(target);
    peer.reply(await peer.next('REFER'), '202 Accepted');
    for (const [n, [state, fragment]] of notifies.entries()) {
      notify(invite, 10 + n, state, fragment);
      await peer.next('SIP/2.0 200');
    }
    expect(progress).toMatchObject(expected);
    expect(progress).toHaveLength(expected.length);
    notify(invite, 20, 'active', 'SIP/2.0 200 OK');
    await peer.next('SIP/2.0 481');
  });

  it('has our address of the call in Referred-By (RFC 3892)', async () => {
    const { call, invite } = await established();
    void call.refer(target);
    const refer = await peer.next('REFER');
    expect(headerOf(refer, 'Referred-By')).toBe(/<[^;>]+/.exec(headerOf(invite, 'From'))![0] + '>');
    peer.reply(refer, '202 Accepted');
  });

  it('that is refused accepts no NOTIFY', async () => {
    const { call, invite } = await established();
    const done = call.refer(target);
    peer.reply(await peer.next('REFER'), '603 Decline');
    expect(await done).toEqual({ accepted: false, status: 603 });
    notify(invite, 10, 'terminated', 'SIP/2.0 200 OK');
    await peer.next('SIP/2.0 481');
  });

  it('fails without a response, and has credentials after a challenge', async () => {
    const { call } = await established({ credentials: { username: 'bob', password: 'secret' } });
    const done = call.refer(target);
    const plain = await peer.next('REFER');
    peer.reply(plain, '401 Unauthorized', { headers: ['WWW-Authenticate: Digest realm="r", nonce="n"'] });
    const proved = await peer.nextOther('REFER', plain);
    expect(headerOf(proved, 'Authorization')).toContain('nonce="n"');
    expect(await done).toEqual({ accepted: false });
  });

  it.each(['sip:a@b>', 'sip:a@b\r\nX: y', 'tel:+1555', ''])('to %j is not sent', async (to) => {
    const { call } = await established();
    await expect(call.refer(to)).rejects.toThrow(UnsafeSipText);
    await expect(call.refer(target, { headers: { 'X-Note': 'a\r\nVia: b' } })).rejects.toThrow(UnsafeSipText);
    const ended = resultOf(call);
    call.hangup();
    await ended;
  });

  it('from the remote party places no call', async () => {
    const { invite } = await established();
    send(invite, 'REFER', 10, { headers: [`Refer-To: <${target}>`, contactOf(peer)] });
    const refused = await peer.next('SIP/2.0 405');
    expect(headerOf(refused, 'Allow')).not.toContain('REFER');
  });
});
