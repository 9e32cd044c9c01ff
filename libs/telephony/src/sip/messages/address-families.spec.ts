import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Certificate, TestAuthority } from '../../../../../test/full/interop/certificates.js';
import {
  answerCall,
  closeAgents,
  dial,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import { contactOf, PEER_SDP } from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import { VirtualTime } from '../../../../../test/support/virtual-time.js';
import { buildOffer } from '../../sdp.js';
import type { IncomingCall } from '../user-agent/incoming-call.js';
import type { NextHop } from '../locating/locate.js';

let authority: TestAuthority;
let certificate: Certificate;
beforeAll(() => {
  authority = new TestAuthority();
  certificate = authority.issue(['IP:::1', 'IP:127.0.0.1']);
});
afterAll(() => authority.remove());

let time: VirtualTime;
beforeEach(() => {
  time = VirtualTime.start();
});
afterEach(async () => {
  await closeAgents();
  await time.stop();
});

describe('audio at an IPv6 address, on an endpoint with IPv4 only,', () => {
  const IPV6_SDP = buildOffer({ address: '2001:db8::7', port: 40_100, codecs: ['PCMU'] });
  let peer: RawSipPeer;
  beforeEach(async () => (peer = await RawSipPeer.start()));
  afterEach(() => peer.close());

  it('ends an answered call at once, with the reason in the BYE', async () => {
    const call = dial(await startAgent(), peer.port);
    const ended = resultOf(call);
    const invite = await peer.next('INVITE');
    peer.reply(invite, '200 OK', { tag: 'peer', headers: [contactOf(peer)], body: IPV6_SDP });
    await peer.next('ACK');
    const bye = await peer.next('BYE');
    expect(headerOf(bye, 'Reason')).toMatch(/^SIP;cause=488;text="IP version/);
    peer.reply(bye, '200 OK');
    expect(await ended).toEqual({ kind: 'foreign-media' });
  });

  it('is not used for early audio; the answer may have another address', async () => {
    const call = dial(await startAgent(), peer.port);
    const heard: string[] = [];
    call.on('early', () => heard.push('early')).on('answered', () => heard.push('answered'));
    const invite = await peer.next('INVITE');
    peer.reply(invite, '183 Session Progress', { tag: 'peer', headers: [contactOf(peer)], body: IPV6_SDP });
    peer.reply(invite, '200 OK', { tag: 'peer', headers: [contactOf(peer)], body: PEER_SDP });
    await peer.next('ACK');
    expect(heard).toEqual(['answered']);
    peer.leave();
    call.hangup();
  });

  it.each([
    ['0.0.0.0', '488'],
    ['::', '200'],
  ])('an inbound call to %s with such an offer gets %s', async (bind, status) => {
    const agent = await startAgent({ bind });
    agent.onInvite(answerCall);
    const invite = [
      'INVITE sip:100@127.0.0.1 SIP/2.0',
      `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKv6`,
      'From: <sip:peer@127.0.0.1>;tag=peer',
      'To: <sip:100@127.0.0.1>',
      'Call-ID: v6',
      'CSeq: 1 INVITE',
      contactOf(peer),
      'Content-Type: application/sdp',
      `Content-Length: ${IPV6_SDP.length}`,
      '',
      IPV6_SDP,
    ].join('\r\n');
    peer.send(invite, agent.port);
    const answer = await peer.next(`SIP/2.0 ${status}`);
    expect(/^Warning: (.*)$/m.exec(answer)?.[1] ?? '').toMatch(status === '488' ? /^301 127\.0\.0\.1 "/ : /^$/);
    peer.leave();
  });
});

describe.each(['udp', 'tcp', 'tls'] as const)('over %s', (transport) => {
  it.each([
    ['::1', '::1', '[::1]'],
    ['::', '::1', '[::1]'],
    ['::', '127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1', '127.0.0.1'],
  ])('an endpoint on %s calls %s, and both announce %s', async (bind, host, announced) => {
    const { certFile, keyFile } = certificate;
    const options = { bind, tls: { port: 0, certFile, keyFile } };
    const [caller, callee] = await Promise.all([startAgent(options), startAgent(options)]);
    const calls: IncomingCall[] = [];
    callee.onInvite((call) => {
      calls.push(call);
      call.once('confirmed', () => call.hangup());
      answerCall(call);
    });
    const [from, to] = transport === 'tls' ? [caller.tlsPort, callee.tlsPort] : [caller.port, callee.port];
    const hop: NextHop = { host, port: to, transport, tls: { ca: authority.ca } };
    const call = dial(caller, to, { requestUri: `sip:100@${announced}:${to}`, nextHops: [hop] });
    expect(await resultOf(call)).toEqual({ kind: 'bye', by: 'remote' });
    const [{ remote }] = calls as [IncomingCall];
    expect(remote.address).toBe(host);
    const suffix = transport === 'udp' ? '' : `;transport=${transport}`;
    expect(calls[0]!.header('Contact')).toBe(`<sip:+15550001@${announced}:${from}${suffix}>`);
    expect(calls[0]!.header('Via')).toMatch(`SIP/2.0/${transport.toUpperCase()} ${announced}:${from};`);
  });

  it.each([
    ['0.0.0.0', '::1'],
    ['127.0.0.1', '::1'],
    ['::1', '127.0.0.1'],
  ])('an endpoint on %s does not reach %s', async (bind, host) => {
    const agent = await startAgent({ bind });
    const result = await agent.options({ host, port: 9, transport });
    expect(result).toEqual({ reachable: false, reason: 'The host name has no usable address.' });
  });
});

it.each([
  ['203.0.113.9', '127.0.0.1', '203.0.113.9'],
  ['203.0.113.9', '::1', '[::1]'],
])(
  'the public address %s is announced to remote parties of its family: %s receives %s',
  async (publicAddress, host, announced) => {
    const [caller, callee] = await Promise.all([startAgent({ bind: '::', publicAddress }), startAgent({ bind: '::' })]);
    const vias: (string | undefined)[] = [];
    callee.onInvite((call) => {
      vias.push(call.header('Via'));
      call.reject(486);
    });
    const nextHops = [{ host, port: callee.port, transport: 'udp' as const }];
    expect(await resultOf(dial(caller, callee.port, { nextHops }))).toMatchObject({ status: 486 });
    expect(vias[0]).toMatch(`SIP/2.0/UDP ${announced}:${caller.port};`);
  },
);
