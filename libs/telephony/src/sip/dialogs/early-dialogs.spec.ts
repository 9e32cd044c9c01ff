import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { dial, resultOf } from '../../../../../test/full/interop/loopback-agents.js';
import { usePeerAndAgent } from '../../../../../test/full/interop/peer-and-agent.js';
import { contactOf, inDialog, PEER_SDP as SDP } from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, type RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import type { NegotiatedAudio } from '../../sdp.js';
import type { OutgoingCall } from '../user-agent/outgoing-call.js';
import type { SipUserAgent } from '../user-agent/user-agent.js';

let peer: RawSipPeer;
let agent: SipUserAgent;

usePeerAndAgent((started) => ({ peer, agent } = started));

/** A reliable provisional response (RFC 3262). */
function reliable(
  invite: string,
  status: string,
  rseq: number,
  o: { tag?: string; body?: string; headers?: string[] } = {},
): void {
  const headers = [contactOf(peer), 'Require: 100rel', `RSeq: ${rseq}`, ...(o.headers ?? [])];
  peer.reply(invite, status, { tag: o.tag ?? 'peer', headers, ...(o.body === undefined ? {} : { body: o.body }) });
}

async function prack(start = 'PRACK'): Promise<string> {
  const request = await peer.next(start);
  peer.reply(request, '200 OK');
  return request;
}

function answer(invite: string, o: { tag?: string; body?: string } = {}): void {
  peer.reply(invite, '200 OK', { tag: 'peer', headers: [contactOf(peer)], ...o });
}

function seenOf(call: OutgoingCall): string[] {
  const seen: string[] = [];
  call.on('ringing', (status) => seen.push(`ringing ${status}`));
  call.on('early', (audio) => seen.push(`early ${audio.port}`));
  call.on('media', (audio) => seen.push(`media ${audio.port}`));
  call.on('answered', (audio) => seen.push(`answered ${audio.port}`));
  return seen;
}

describe('reliable provisional responses', () => {
  it('are offered, and required when configured', async () => {
    dial(agent, peer.port, { require100rel: true });
    const invite = await peer.next('INVITE');
    expect(headerOf(invite, 'Supported')).toContain('100rel');
    expect(headerOf(invite, 'Require')).toBe('100rel');
    expect(headerOf(invite, 'Allow')).toMatch(/\bPRACK\b/);
  });

  it('get a PRACK each over the route of their dialog, and the 200 may have no session description', async () => {
    const call = dial(agent, peer.port);
    const seen = seenOf(call);
    const answered = once(call, 'answered');
    const invite = await peer.next('INVITE');
    const route = [`Record-Route: <sip:127.0.0.1:${peer.port};lr>`];
    reliable(invite, '183 Session Progress', 700, { body: SDP, headers: route });
    const first = await prack(`PRACK sip:peer@127.0.0.1:${peer.port}`);
    expect(headerOf(first, 'RAck')).toBe('700 1 INVITE');
    expect(headerOf(first, 'CSeq')).toBe('2 PRACK');
    expect(headerOf(first, 'To')).toMatch(/;tag=peer$/);
    expect(headerOf(first, 'Route')).toBe(`<sip:127.0.0.1:${peer.port};lr>`);
    reliable(invite, '180 Ringing', 701, { headers: route });
    expect(headerOf(await peer.nextOther('PRACK', first), 'RAck')).toBe('701 1 INVITE');
    answer(invite);
    const ack = await peer.next('ACK');
    await answered;
    expect(headerOf(ack, 'CSeq')).toBe('1 ACK');
    expect(headerOf(ack, 'Route')).toBe('');
    expect(seen).toEqual(['ringing 183', 'early 40100', 'answered 40100']);
  });

  it('count once when they are repeated, and wait for a missing predecessor', async () => {
    const call = dial(agent, peer.port);
    const seen = seenOf(call);
    const invite = await peer.next('INVITE');
    reliable(invite, '183 Session Progress', 5);
    const first = await prack();
    reliable(invite, '183 Session Progress', 5);
    reliable(invite, '183 Session Progress', 7, { body: SDP });
    reliable(invite, '183 Session Progress', 6);
    const second = await peer.nextOther('PRACK', first);
    peer.reply(second, '200 OK');
    expect(headerOf(second, 'RAck')).toBe('6 1 INVITE');
    expect(seen).toEqual(['ringing 183']);
    reliable(invite, '183 Session Progress', 7, { body: SDP });
    expect(headerOf(await peer.nextOther('PRACK', second), 'RAck')).toBe('7 1 INVITE');
    expect(seen).toEqual(['ringing 183', 'early 40100']);
  });

  it('get another PRACK when the first PRACK failed and they are repeated', async () => {
    dial(agent, peer.port);
    const invite = await peer.next('INVITE');
    reliable(invite, '180 Ringing', 5);
    const failed = await peer.next('PRACK');
    peer.reply(failed, '500 Server Internal Error');
    reliable(invite, '180 Ringing', 5);
    reliable(invite, '180 Ringing', 5);
    expect(headerOf(await peer.nextOther('PRACK', failed), 'RAck')).toBe('5 1 INVITE');
  });

  it('get a PRACK with credentials after a challenge', async () => {
    dial(agent, peer.port, { credentials: { username: 'bob', password: 'secret' } });
    const invite = await peer.next('INVITE');
    reliable(invite, '180 Ringing', 5);
    const plain = await peer.next('PRACK');
    const challenge = 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-512-256';
    peer.reply(plain, '407 Proxy Authentication Required', { headers: [`Proxy-Authenticate: ${challenge}`] });
    const again = await peer.nextOther('PRACK', plain);
    expect(headerOf(again, 'RAck')).toBe('5 1 INVITE');
    expect(headerOf(again, 'Proxy-Authorization')).toMatch(/username="bob".*algorithm=SHA-512-256/);
  });

  it('can be followed by a CANCEL', async () => {
    const call = dial(agent, peer.port);
    const ended = resultOf(call);
    const invite = await peer.next('INVITE');
    reliable(invite, '180 Ringing', 5);
    await prack();
    call.hangup();
    const cancel = await peer.next('CANCEL');
    expect(headerOf(cancel, 'CSeq')).toBe('1 CANCEL');
    peer.reply(cancel, '200 OK');
    peer.reply(invite, '487 Request Terminated', { tag: 'peer' });
    expect(await ended).toEqual({ kind: 'cancelled' });
  });
});

describe('the phones of a forked call', () => {
  it('have separate dialogs; the last ringback is heard, and the phone that answers gets the call', async () => {
    const call = dial(agent, peer.port);
    const seen = seenOf(call);
    const answered = once(call, 'answered');
    const invite = await peer.next('INVITE');
    const route = (user: string): string[] => [`Record-Route: <sip:${user}@127.0.0.1:${peer.port};lr>`];
    reliable(invite, '183 Session Progress', 10, { tag: 'one', body: SDP, headers: route('a') });
    const one = await prack();
    const other = SDP.replace('40100', '40200');
    reliable(invite, '183 Session Progress', 90, { tag: 'two', body: other, headers: route('b') });
    const two = await prack();
    // Each dialog has its own numbers and route.
    expect([one, two].map((request) => headerOf(request, 'CSeq'))).toEqual(['2 PRACK', '2 PRACK']);
    expect([one, two].map((request) => headerOf(request, 'RAck'))).toEqual(['10 1 INVITE', '90 1 INVITE']);
    expect([one, two].map((request) => /<sip:(.)@/.exec(headerOf(request, 'Route'))?.[1])).toEqual(['a', 'b']);
    answer(invite, { tag: 'one' });
    expect(headerOf(await peer.next('ACK'), 'To')).toMatch(/;tag=one$/);
    await answered;
    expect(seen).toEqual(['ringing 183', 'early 40100', 'media 40200', 'answered 40100']);
    answer(invite, { tag: 'two', body: other });
    expect(headerOf(await peer.next('BYE'), 'To')).toMatch(/;tag=two$/);
  });

  it('are limited in number', async () => {
    const call = dial(agent, peer.port);
    const invite = await peer.next('INVITE');
    for (let i = 0; i < 30; i++) reliable(invite, '180 Ringing', 1, { tag: `fork${i}` });
    const tags = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const request = await prack();
      tags.add(headerOf(request, 'To'));
    }
    answer(invite, { tag: 'fork25', body: SDP });
    await once(call, 'answered');
    expect(tags.size).toBe(20);
  });
});

describe('an offer of the callee before the answer', () => {
  it('by UPDATE is accepted after the answer to ours, and refused before (RFC 3311 §5.2)', async () => {
    const call = dial(agent, peer.port);
    const seen = seenOf(call);
    const invite = await peer.next('INVITE');
    const offer = (cseq: number): void => {
      const body = SDP.replace('40100', '40300');
      peer.send(inDialog(peer, invite, 'UPDATE', cseq, { body, headers: [contactOf(peer)] }));
    };
    peer.reply(invite, '183 Session Progress', { tag: 'peer', headers: [contactOf(peer)], body: SDP });
    await once(call, 'early');
    offer(10);
    expect(await peer.next('SIP/2.0')).toMatch(/^SIP\/2\.0 491/);
    reliable(invite, '183 Session Progress', 5, { body: SDP });
    await prack();
    offer(11);
    expect(await peer.next('SIP/2.0 200')).toContain('m=audio 40000');
    expect(seen).toEqual(['ringing 183', 'early 40100', 'media 40300']);
    answer(invite);
    await once(call, 'answered');
  });

  it.each([
    ['a BYE', 'BYE', '481'],
    ['a re-INVITE', 'INVITE', '491'],
    ['an UPDATE without an offer', 'UPDATE', '200'],
    ['OPTIONS', 'OPTIONS', '200'],
    ['a PRACK', 'PRACK', '481'],
  ])('%s is answered as well', async (_, method, status) => {
    const call = dial(agent, peer.port);
    const invite = await peer.next('INVITE');
    peer.reply(invite, '180 Ringing', { tag: 'peer', headers: [contactOf(peer)] });
    await once(call, 'ringing');
    peer.send(inDialog(peer, invite, method, 10));
    expect((await peer.next('SIP/2.0')).slice(8, 11)).toBe(status);
  });

  it('with the tag of another dialog gets 481', async () => {
    const call = dial(agent, peer.port);
    const invite = await peer.next('INVITE');
    peer.reply(invite, '180 Ringing', { tag: 'peer', headers: [contactOf(peer)] });
    await once(call, 'ringing');
    peer.send(inDialog(peer, invite, 'UPDATE', 10, { tag: 'stranger' }));
    expect(await peer.next('SIP/2.0')).toMatch(/^SIP\/2\.0 481/);
  });

  it('changes the audio of the answered call when the 200 has no new description', async () => {
    const call = dial(agent, peer.port);
    const invite = await peer.next('INVITE');
    reliable(invite, '183 Session Progress', 5, { body: SDP });
    await prack();
    const body = SDP.replace('40100', '40300');
    peer.send(inDialog(peer, invite, 'UPDATE', 11, { body, headers: [contactOf(peer)] }));
    await peer.next('SIP/2.0 200');
    const answered = once(call, 'answered') as Promise<[NegotiatedAudio]>;
    answer(invite);
    expect((await answered)[0].port).toBe(40_300);
  });
});
