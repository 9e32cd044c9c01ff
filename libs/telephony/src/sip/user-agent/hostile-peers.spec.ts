import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { answerCall, dial, resultOf, startAgent } from '../../../../../test/full/interop/loopback-agents.js';
import { usePeerAndAgent } from '../../../../../test/full/interop/peer-and-agent.js';
import { contactOf, inDialog, PEER_SDP as SDP } from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, type RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import type { IncomingCall } from './incoming-call.js';
import type { SipUserAgent } from './user-agent.js';

/** More than a normal peer sends. */
const LIMIT = 20;

let peer: RawSipPeer;
let agent: SipUserAgent;

usePeerAndAgent((started) => ({ peer, agent } = started));

const credentials = { username: 'alice', password: 'secret' };
const challenge = (realm: number): string[] => [`WWW-Authenticate: Digest realm="r${realm}", nonce="n"`];

describe('an answer with an unusable route', () => {
  it.each([
    ['a route with a space in it', (own: string) => [own, 'Record-Route: <sip:proxy here>']],
    ['a route that is not a SIP address', (own: string) => [own, 'Record-Route: <tel:+1 555>']],
    ['a contact with a control character', () => ['Contact: <sip:peer@127.0.0.1;x=\x7f>']],
  ])('is acknowledged and hung up over the flow of the INVITE: %s', async (_what, headers) => {
    const call = dial(agent, peer.port);
    const invite = await peer.next('INVITE');
    const answered = once(call, 'answered');
    peer.reply(invite, '200 OK', { tag: 'peer', headers: headers(contactOf(peer)), body: SDP });
    await peer.next('ACK');
    await answered;
    const ended = resultOf(call);
    call.hangup();
    await peer.next('BYE');
    expect(await ended).toEqual({ kind: 'bye', by: 'local' });
  });
});

describe('a caller without an address', () => {
  it('is hung up over the flow of its INVITE', async () => {
    const incoming = new Promise<IncomingCall>((resolve) => agent.onInvite(resolve));
    peer.send(
      [
        `INVITE sip:100@127.0.0.1:${agent.port} SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKnobody`,
        'From: <sip:no body>;tag=peer',
        'To: <sip:100@127.0.0.1>',
        'Call-ID: nobody',
        'CSeq: 1 INVITE',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
      agent.port,
    );
    const call = await incoming;
    answerCall(call);
    const ok = await peer.next('SIP/2.0 200');
    const confirmed = once(call, 'confirmed');
    peer.send(
      [
        `ACK sip:100@127.0.0.1:${agent.port} SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKacknowledged`,
        'From: <sip:no body>;tag=peer',
        `To: ${headerOf(ok, 'To')}`,
        'Call-ID: nobody',
        'CSeq: 1 ACK',
        'Content-Type: application/sdp',
        `Content-Length: ${Buffer.byteLength(SDP)}`,
        '',
        SDP,
      ].join('\r\n'),
    );
    await confirmed;
    call.hangup();
    expect(await peer.next('BYE')).toContain(`BYE sip:127.0.0.1:${peer.port} SIP/2.0`);
  });
});

describe('an abusive peer', () => {
  it('gets no more INVITEs after several challenges of different realms', async () => {
    const call = dial(agent, peer.port, { credentials });
    const ended = resultOf(call);
    let asked = 0;
    let invite: string | undefined = await peer.next('INVITE');
    while (invite !== undefined && asked++ < LIMIT) {
      peer.reply(invite, '401 Unauthorized', { tag: 'peer', headers: challenge(asked) });
      invite = await Promise.race([peer.nextOther('INVITE', invite), ended.then(() => undefined)]);
    }
    expect(asked).toBeLessThan(LIMIT);
    expect(await ended).toMatchObject({ kind: 'rejected', status: 401 });
  });

  it('gets no BYE for an unlimited number of forked answers', async () => {
    const tags = new Set<string>();
    agent = await startAgent({
      tap: (direction, message) => {
        const bye = direction === 'out' && message.kind === 'request' && message.method === 'BYE';
        if (bye) tags.add(message.headers.get('to')!);
      },
    });
    const call = dial(agent, peer.port);
    const answered = once(call, 'answered');
    const invite = await peer.next('INVITE');
    for (const tag of ['peer', ...Array.from({ length: 2 * LIMIT }, (_, i) => `fork${i}`)])
      peer.reply(invite, '200 OK', { tag, headers: [contactOf(peer)], body: SDP });
    await answered;
    const ended = resultOf(call);
    // All earlier messages have been read by then.
    peer.send(inDialog(peer, invite, 'BYE', 5));
    await ended;
    expect(tags.size).toBeLessThanOrEqual(LIMIT);
  });

  it('gets no more refreshes when it keeps asking for longer intervals', async () => {
    const call = dial(agent, peer.port);
    const answered = once(call, 'answered');
    const invite = await peer.next('INVITE');
    const headers = [contactOf(peer), 'Session-Expires: 2;refresher=uac', 'Allow: UPDATE'];
    peer.reply(invite, '200 OK', { tag: 'peer', headers, body: SDP });
    await answered;
    const first = await peer.next('UPDATE');
    let update = first;
    for (let seconds = 3; seconds < 3 + LIMIT; seconds++) {
      peer.reply(update, '422 Session Interval Too Small', { headers: [`Min-SE: ${seconds}`] });
      const next = await peer.nextOther('', update);
      if (next.startsWith('BYE')) break;
      update = next;
    }
    expect(Number.parseInt(headerOf(update, 'CSeq'))).toBeLessThan(LIMIT);
  });
});
