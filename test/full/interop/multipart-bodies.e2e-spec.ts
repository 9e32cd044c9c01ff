import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { buildOffer, type IncomingCall, type NegotiatedAudio, type SipUserAgent } from '@app/telephony';
import { answerCall, dial } from './loopback-agents.js';
import { usePeerAndAgent } from './peer-and-agent.js';
import { contactOf, inDialog } from './raw-dialog.js';
import { headerOf, type RawSipPeer } from './raw-sip-peer.js';

const TYPE = 'multipart/mixed;boundary="unique boundary 1"';

const sdp = (port: number): string => buildOffer({ address: '127.0.0.1', port, codecs: ['PCMU'] });

/** The body of a gateway between SS7 and SIP: the ISUP message, then the session description. */
function withIsup(description: string, handling = 'optional'): string {
  const delimiter = '--unique boundary 1\r\n';
  const isup = `Content-Type: application/ISUP; version=itu-t92+; base=itu-t92+\r\nContent-Disposition: signal; handling=${handling}`;
  const offered = `Content-Type: application/sdp\r\nContent-Disposition: session\r\n\r\n${description}`;
  return `${delimiter}${isup}\r\n\r\n\u0001\u0011\0\u0005\r\n${delimiter}${offered}\r\n--unique boundary 1--\r\n`;
}

describe('a gateway that sends its session description in a multipart body', () => {
  let peer: RawSipPeer;
  let agent: SipUserAgent;

  usePeerAndAgent((started) => ({ peer, agent } = started));

  it('has audio after its 183 and its 200, and moves its audio by UPDATE', async () => {
    const call = dial(agent, peer.port);
    const [early, answered] = [once(call, 'early'), once(call, 'answered')] as Promise<[NegotiatedAudio]>[];
    const invite = await peer.next('INVITE');
    const to = { tag: 'peer', headers: [contactOf(peer)], type: TYPE };
    peer.reply(invite, '183 Session Progress', { ...to, body: withIsup(sdp(40_100)) });
    expect((await early!)[0]).toMatchObject({ address: '127.0.0.1', port: 40_100, codec: 'PCMU' });
    peer.reply(invite, '200 OK', { ...to, body: withIsup(sdp(40_102), 'required') });
    expect((await answered!)[0]).toMatchObject({ port: 40_102, sendAudio: true });
    await peer.next('ACK');
    const moved = once(call, 'media') as Promise<[NegotiatedAudio]>;
    peer.send(inDialog(peer, invite, 'UPDATE', 10, { type: TYPE, body: withIsup(sdp(40_104)) }));
    expect(await peer.next('SIP/2.0 200')).toContain('m=audio 40000 RTP/AVP 0');
    expect((await moved)[0]).toMatchObject({ port: 40_104 });
  });

  function inviteWith(body: string, extra: string[] = []): void {
    const to = 'sip:100@127.0.0.1';
    const lines = [`INVITE ${to} SIP/2.0`, `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKgateway`];
    lines.push('From: <sip:peer@127.0.0.1>;tag=peer', `To: <${to}>`, 'Call-ID: gateway', 'CSeq: 1 INVITE', ...extra);
    if (body !== '') lines.push(`Content-Type: ${TYPE}`);
    lines.push(contactOf(peer), `Content-Length: ${Buffer.byteLength(body)}`, '', body);
    peer.send(lines.join('\r\n'), agent.port);
  }

  const incoming = (): Promise<IncomingCall> => new Promise((resolve) => agent.onInvite(resolve));

  it('gets an answer to the offer of its inbound call', async () => {
    const called = incoming();
    inviteWith(withIsup(sdp(40_100)));
    const call = await called;
    expect(call.offer).toMatchObject({ address: '127.0.0.1', port: 40_100 });
    answerCall(call);
    const ok = await peer.next('SIP/2.0 200');
    expect(headerOf(ok, 'Content-Type')).toBe('application/sdp');
    expect(ok).toContain('m=audio 40000 RTP/AVP 0');
  });

  it('answers our offer in its PRACK', async () => {
    const called = incoming();
    inviteWith('', ['Require: 100rel']);
    const call = await called;
    const described = once(call, 'media') as Promise<[{ port: number }]>;
    call.progress(sdp(40_000));
    const progress = await peer.next('SIP/2.0 183');
    const prack = ['PRACK sip:100@127.0.0.1 SIP/2.0', `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKprack`];
    prack.push(`From: ${headerOf(progress, 'From')}`, `To: ${headerOf(progress, 'To')}`, 'Call-ID: gateway');
    prack.push('CSeq: 2 PRACK', `RAck: ${headerOf(progress, 'RSeq')} 1 INVITE`, `Content-Type: ${TYPE}`);
    const body = withIsup(sdp(40_106));
    peer.send([...prack, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'));
    expect((await described)[0]).toMatchObject({ port: 40_106 });
    await peer.next('SIP/2.0 200');
  });

  it('gets 415 with the supported types when its ISUP part is required', async () => {
    agent.onInvite(answerCall);
    inviteWith(withIsup(sdp(40_100), 'required'));
    const refused = await peer.next('SIP/2.0 415');
    expect(headerOf(refused, 'Accept')).toBe('application/sdp, multipart/mixed, multipart/alternative');
  });

  it('gets 415 with the supported encodings when its body is compressed', async () => {
    agent.onInvite(answerCall);
    inviteWith(withIsup(sdp(40_100)), ['Content-Encoding: gzip']);
    const refused = await peer.next('SIP/2.0 415');
    expect(headerOf(refused, 'Accept-Encoding')).toBe('identity');
  });
});
