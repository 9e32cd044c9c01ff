import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answerCall, closeAgents, startAgent } from '../../../../../test/full/interop/loopback-agents.js';
import { PEER_SDP } from '../../../../../test/full/interop/raw-dialog.js';
import { RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import { VirtualTime } from '../../../../../test/support/virtual-time.js';

let time: VirtualTime;
let peer: RawSipPeer | undefined;

beforeEach(() => {
  time = VirtualTime.start();
});
afterEach(async () => {
  await closeAgents();
  await time.stop();
  peer?.close();
  peer = undefined;
});

function inviteWith(port: number, headers: string[]): string {
  return [
    'INVITE sip:x@127.0.0.1 SIP/2.0',
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKodd;rport`,
    ...headers,
    'To: <sip:x@127.0.0.1>',
    'Call-ID: odd',
    'CSeq: 1 INVITE',
    'Content-Type: application/sdp',
    `Content-Length: ${PEER_SDP.length}`,
    '',
    PEER_SDP,
  ].join('\r\n');
}

describe('a caller with addresses that are invalid in a request', () => {
  it.each([
    ['From without a usable URI, no Contact', ['From: <sip:a b">;tag=t']],
    ['Contact with a DEL', ['From: <sip:a b>;tag=t', 'Contact: <sip:a\u007f@127.0.0.1>']],
    ['a strict Record-Route that is not a URI', ['From: <sip:a@h>;tag=t', 'Record-Route: <a b>']],
  ])('(%s) is hung up at its source address without an uncaught exception', async (_what, headers) => {
    const callee = await startAgent();
    callee.onInvite(answerCall);
    peer = await RawSipPeer.start();
    peer.send(inviteWith(peer.port, headers), callee.port);
    await peer.next('SIP/2.0 200');
    // Without an ACK a timer builds the BYE; an exception there would be uncaught.
    expect(await peer.next('BYE')).toMatch(/^BYE sip:\S+ SIP\/2\.0\r\n/);
    peer.leave();
  });
});
