import { once } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { usePeerAndAgent } from '../../../../../test/full/interop/peer-and-agent.js';
import { PEER_SDP as SDP } from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, type RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import type { SdpAudio } from '../../sdp-parse.js';
import { buildAnswer, buildOffer } from '../../sdp.js';
import type { IncomingCall } from './incoming-call.js';
import type { SipUserAgent } from './user-agent.js';

const OURS = { address: '127.0.0.1', port: 40_000, codecs: ['PCMU' as const] };
let peer: RawSipPeer;
let agent: SipUserAgent;
let arrived: Promise<IncomingCall>;

usePeerAndAgent((started) => ({ peer, agent } = started));
beforeEach(() => {
  arrived = new Promise((resolve) => agent.onInvite(resolve));
});

interface Extra {
  headers?: string[];
  body?: string;
  /** The To value of a response: the request is inside its dialog. */
  to?: string;
}

/** A request of the peer as the caller. */
function send(method: string, cseq: number, { headers = [], body = '', to = '<sip:100@127.0.0.1>' }: Extra = {}): void {
  const lines = [
    `${method} sip:100@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK${method === 'CANCEL' ? 'INVITE' : method}${cseq}`,
    'From: <sip:peer@127.0.0.1>;tag=peer',
    `To: ${to}`,
    'Call-ID: reliable1',
    `CSeq: ${cseq} ${method}`,
    `Contact: <sip:peer@127.0.0.1:${peer.port}>`,
    ...headers,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ];
  peer.send(lines.join('\r\n'), agent.port);
}

function prack(of: string, cseq: number, extra: Extra = {}): void {
  const headers = [`RAck: ${headerOf(of, 'RSeq')} ${headerOf(of, 'CSeq')}`];
  send('PRACK', cseq, { headers, to: headerOf(of, 'To'), ...extra });
}

async function invited(body = SDP): Promise<IncomingCall> {
  send('INVITE', 1, { headers: ['Require: 100rel', 'Supported: timer'], body });
  return arrived;
}

function answerFor(call: IncomingCall): string {
  return buildAnswer(call.offer!, OURS)!;
}

describe('a caller that requires reliable provisional responses', () => {
  it('gets the 180 repeatedly until its PRACK', async () => {
    const call = await invited();
    call.ring();
    const ringing = await peer.next('SIP/2.0 180');
    expect(headerOf(ringing, 'Require')).toBe('100rel');
    expect(headerOf(ringing, 'RSeq')).toMatch(/^[1-9]\d*$/);
    expect(await peer.next('SIP/2.0')).toBe(ringing);
    send('PRACK', 2, { headers: ['RAck: 1 7 INVITE'], to: headerOf(ringing, 'To') });
    await peer.next('SIP/2.0 481');
    prack(ringing, 3);
    expect(headerOf(await peer.next('SIP/2.0 200'), 'CSeq')).toBe('3 PRACK');
    call.answer(answerFor(call));
    expect(headerOf(await peer.next('SIP/2.0'), 'CSeq')).toBe('1 INVITE');
  });

  it('gets one at a time, with consecutive numbers', async () => {
    const call = await invited();
    call.ring();
    call.progress(answerFor(call));
    const ringing = await peer.next('SIP/2.0 180');
    expect(await peer.next('SIP/2.0')).toBe(ringing);
    prack(ringing, 2);
    const progress = await peer.next('SIP/2.0 183');
    expect(Number(headerOf(progress, 'RSeq'))).toBe(Number(headerOf(ringing, 'RSeq')) + 1);
    prack(progress, 3);
    await peer.next('SIP/2.0 200');
  });

  it('gets the 200 after the PRACK of the description, without another description', async () => {
    const call = await invited();
    call.progress(answerFor(call));
    call.answer(answerFor(call));
    const progress = await peer.next('SIP/2.0 183');
    // The 200 waits.
    expect(await peer.next('SIP/2.0')).toBe(progress);
    prack(progress, 2);
    expect(headerOf(await peer.next('SIP/2.0 200'), 'CSeq')).toBe('2 PRACK');
    const ok = await peer.next('SIP/2.0 200');
    expect([headerOf(ok, 'CSeq'), headerOf(ok, 'Content-Length')]).toEqual(['1 INVITE', '0']);
    const confirmed = once(call, 'confirmed');
    send('ACK', 1, { to: headerOf(ok, 'To') });
    await confirmed;
  });

  it('may send a new offer with the PRACK, and before the answer (RFC 3311)', async () => {
    const call = await invited();
    const heard: number[] = [];
    call.on('media', (audio) => heard.push(audio.port));
    call.progress(answerFor(call));
    const progress = await peer.next('SIP/2.0 183');
    prack(progress, 2, { body: SDP.replace('40100', '40102') });
    expect(await peer.next('SIP/2.0 200')).toContain('m=audio 40000');
    send('UPDATE', 3, { to: headerOf(progress, 'To'), body: SDP.replace('40100', '40104') });
    expect(await peer.next('SIP/2.0 200')).toContain('m=audio 40000');
    expect(heard).toEqual([40_102, 40_104]);
  });

  it('must not send an UPDATE before its first offer is answered', async () => {
    const call = await invited();
    call.ring();
    const ringing = await peer.next('SIP/2.0 180');
    prack(ringing, 2);
    await peer.next('SIP/2.0 200');
    send('UPDATE', 3, { to: headerOf(ringing, 'To'), body: SDP });
    expect(headerOf(await peer.next('SIP/2.0 500'), 'Retry-After')).toMatch(/^\d+$/);
  });

  it('without an offer gets ours in the 183, and answers in the PRACK', async () => {
    const call = await invited('');
    const described = once(call, 'media') as Promise<[SdpAudio]>;
    call.progress(buildOffer(OURS));
    const progress = await peer.next('SIP/2.0 183');
    expect(progress).toContain('m=audio 40000');
    prack(progress, 2, { body: SDP });
    expect((await described)[0].port).toBe(40_100);
    await peer.next('SIP/2.0 200');
    call.answer(buildOffer(OURS));
    expect(headerOf(await peer.next('SIP/2.0 200'), 'Content-Length')).toBe('0');
  });

  it('is refused with 504 when it sends no PRACK', async () => {
    const call = await invited();
    const cancelled = once(call, 'cancelled');
    call.ring();
    await cancelled;
    expect(headerOf(await peer.next('SIP/2.0 504'), 'CSeq')).toBe('1 INVITE');
  });

  it('leaves by CANCEL or by BYE before the answer', async () => {
    const call = await invited();
    const cancelled = once(call, 'cancelled');
    call.ring();
    const ringing = await peer.next('SIP/2.0 180');
    send('BYE', 2, { to: headerOf(ringing, 'To') });
    await peer.next('SIP/2.0 200');
    expect(headerOf(await peer.next('SIP/2.0 487'), 'CSeq')).toBe('1 INVITE');
    await cancelled;
  });

  it('cancels while the 200 waits for its PRACK', async () => {
    const call = await invited();
    call.progress(answerFor(call));
    call.answer(answerFor(call));
    await peer.next('SIP/2.0 183');
    send('CANCEL', 1);
    expect(headerOf(await peer.next('SIP/2.0 487'), 'CSeq')).toBe('1 INVITE');
  });
});

describe('any caller', () => {
  it('gets unreliable responses unless it asks for reliable ones', async () => {
    send('INVITE', 1, { headers: ['Supported: 100rel'], body: SDP });
    const call = await arrived;
    call.ring();
    expect(headerOf(await peer.next('SIP/2.0 180'), 'RSeq')).toBe('');
  });

  it.each(['NOTIFY', 'UPDATE', 'PRACK', 'INFO'])('gets 481 for %s', async (method) => {
    send(method, 1);
    expect(await peer.next('SIP/2.0')).toMatch(/^SIP\/2\.0 481/);
  });

  it('can be put on hold and transferred', async () => {
    send('INVITE', 1, { body: SDP });
    const call = await arrived;
    call.answer(answerFor(call), { codecs: ['PCMU', 'PCMA'] });
    const ok = await peer.next('SIP/2.0 200');
    const confirmed = once(call, 'confirmed');
    send('ACK', 1, { to: headerOf(ok, 'To') });
    await confirmed;
    const held = call.hold(true);
    const again = await peer.next('INVITE sip:peer@');
    expect(again).toMatch(/RTP\/AVP 0 8[^]*a=sendonly/);
    peer.reply(again, '200 OK', { headers: [`Contact: <sip:peer@127.0.0.1:${peer.port}>`], body: SDP });
    expect(await held).toEqual({ accepted: true, status: 200 });
    const refer = call.refer('sip:other@carrier.example');
    peer.reply(await peer.next('REFER'), '202 Accepted');
    expect(await refer).toEqual({ accepted: true, status: 202 });
  });
});
