import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { dial, resultOf, startAgent } from '../../../../../test/full/interop/loopback-agents.js';
import { usePeerAndAgent } from '../../../../../test/full/interop/peer-and-agent.js';
import { inDialog as rawInDialog, type InDialogOptions } from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, type RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import { buildOffer, type NegotiatedAudio } from '../../sdp.js';
import type { OutgoingCall } from './outgoing-call.js';
import type { SipUserAgent } from './user-agent.js';

const SDP = buildOffer({ address: '127.0.0.1', port: 40_100, codecs: ['PCMU'] });
let peer: RawSipPeer;
let agent: SipUserAgent;

usePeerAndAgent((started) => ({ peer, agent } = started));

function contact(): string[] {
  return [`Contact: <sip:peer@127.0.0.1:${peer.port}>`];
}

async function answered(): Promise<{ call: OutgoingCall; invite: string }> {
  const call = dial(agent, peer.port);
  const established = once(call, 'answered');
  const invite = await peer.next('INVITE');
  peer.reply(invite, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
  await peer.next('ACK');
  await established;
  return { call, invite };
}

function inDialog(invite: string, method: string, cseq: number, o: InDialogOptions = {}): string {
  return rawInDialog(peer, invite, method, cseq, o);
}

describe('the caller', () => {
  it.each([
    ['MD5-sess', 'auth', 'md5'],
    ['MD5', 'auth-int', 'md5'],
    ['SHA-256-sess', 'auth-int', 'sha256'],
  ])(
    'answers a challenge with %s and qop %s in its INVITE and its BYE (RFC 7616 §3.4)',
    async (algorithm, qop, hash) => {
      const H = (...texts: string[]): string => createHash(hash).update(texts.join(':')).digest('hex');
      const call = dial(agent, peer.port, { credentials: { username: 'bob', password: 'secret' } });
      const first = await peer.next('INVITE');
      const challenge = `Proxy-Authenticate: Digest realm="r", nonce="n", algorithm=${algorithm}, qop="${qop}"`;
      peer.reply(first, '407 Proxy Authentication Required', { tag: 'peer', headers: [challenge] });
      const invite = await peer.nextOther('INVITE', first);
      const cnonces = new Set<string>();
      const proves = (request: string, count: string): void => {
        const credentials = headerOf(request, 'Proxy-Authorization');
        const of = (name: string): string => new RegExp(`[ ,]${name}="?([^",]*)`).exec(credentials)?.[1] ?? '';
        const [head = '', body = ''] = request.split('\r\n\r\n');
        const [method = '', uri = ''] = head.split(' ', 2);
        cnonces.add(of('cnonce'));
        const secret = H('bob', 'r', 'secret');
        const a1 = algorithm.endsWith('-sess') ? H(secret, 'n', of('cnonce')) : secret;
        const a2 = qop === 'auth' ? H(method, uri) : H(method, uri, H(body));
        expect([of('algorithm'), of('qop'), of('nc')]).toEqual([algorithm, qop, count]);
        expect(of('response')).toBe(H(a1, 'n', count, of('cnonce'), qop, a2));
      };
      proves(invite, '00000001');
      expect(invite).toContain('m=audio');
      peer.reply(invite, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
      await once(call, 'answered');
      call.hangup();
      const bye = await peer.next('BYE');
      proves(bye, '00000002');
      // The session key is made with the first cnonce.
      expect(cnonces.size).toBe(1);
      peer.reply(bye, '200 OK');
    },
  );

  it('ends at once and sends CANCEL only after a provisional (RFC 3261 §9.1)', async () => {
    const call = dial(agent, peer.port);
    const invite = await peer.next('INVITE');
    const ended = resultOf(call);
    call.hangup();
    expect(await ended).toEqual({ kind: 'cancelled' });
    // The INVITE is repeated, without a CANCEL in between.
    expect(await peer.next('')).toMatch(/^INVITE/);
    peer.reply(invite, '100 Trying');
    const cancel = await peer.next('CANCEL');
    expect(headerOf(cancel, 'Via')).toBe(headerOf(invite, 'Via'));
    peer.reply(cancel, '200 OK');
    peer.reply(invite, '487 Request Terminated', { tag: 'peer' });
    await peer.next('ACK');
  });

  it('hangs up a call that was answered while it was cancelled', async () => {
    const call = dial(agent, peer.port);
    const invite = await peer.next('INVITE');
    const ended = resultOf(call);
    call.once('ringing', () => call.hangup());
    peer.reply(invite, '180 Ringing', { tag: 'peer' });
    await peer.next('CANCEL');
    peer.reply(invite, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
    const ack = await peer.next('ACK');
    const bye = await peer.next('BYE');
    peer.reply(bye, '200 OK');
    expect(headerOf(ack, 'CSeq')).toBe('1 ACK');
    expect(await ended).toEqual({ kind: 'cancelled' });
  });

  it('acknowledges a repeated 200, and hangs up a second fork', async () => {
    const { call, invite } = await answered();
    peer.reply(invite, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
    await peer.next('ACK');
    peer.reply(invite, '200 OK', { tag: 'fork', headers: contact(), body: SDP });
    expect(headerOf(await peer.next('ACK'), 'To')).toMatch(/;tag=fork$/);
    const bye = await peer.next('BYE');
    expect(headerOf(bye, 'To')).toMatch(/;tag=fork$/);
    peer.reply(bye, '200 OK');
    // The call itself continues and receives its requests.
    peer.send(inDialog(invite, 'OPTIONS', 5));
    await peer.next('SIP/2.0 200 OK');
    call.hangup();
    expect(headerOf(await peer.next('BYE'), 'To')).toMatch(/;tag=peer$/);
  });

  it('acknowledges a repeated 200, and hangs up a second fork, after the end of the call', async () => {
    const call = dial(agent, peer.port);
    call.once('answered', () => call.hangup());
    const ended = resultOf(call);
    const invite = await peer.next('INVITE');
    peer.reply(invite, '180 Ringing', { tag: 'peer', headers: contact() });
    peer.reply(invite, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
    const ack = await peer.next('ACK');
    const bye = await peer.next('BYE');
    peer.reply(bye, '200 OK');
    await ended;
    peer.reply(invite, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
    expect(await peer.next('')).toBe(ack);
    peer.reply(invite, '200 OK', { tag: 'fork', headers: contact(), body: SDP });
    const ackOfFork = await peer.next('ACK');
    expect(headerOf(ackOfFork, 'To')).toMatch(/;tag=fork$/);
    expect(headerOf(ackOfFork, 'CSeq')).toBe('1 ACK');
    const byeOfFork = await peer.next('BYE');
    expect(headerOf(byeOfFork, 'To')).toMatch(/;tag=fork$/);
    expect(headerOf(byeOfFork, 'CSeq')).toBe('2 BYE');
    peer.reply(byeOfFork, '200 OK');
    peer.reply(invite, '200 OK', { tag: 'fork', headers: contact(), body: SDP });
    expect(await peer.next('')).toBe(ackOfFork);
  });

  it('uses the audio of a 183 when the 200 has none', async () => {
    const call = dial(agent, peer.port);
    const both = Promise.all([once(call, 'early'), once(call, 'answered')]);
    const invite = await peer.next('INVITE');
    peer.reply(invite, '183 Session Progress', { tag: 'peer', headers: contact(), body: SDP });
    peer.reply(invite, '200 OK', { tag: 'peer', headers: contact() });
    const [early, later] = (await both) as [[NegotiatedAudio], [NegotiatedAudio]];
    expect(later[0]).toEqual(early[0]);
  });

  it.each([
    ['no session description', undefined],
    ['an unsupported codec', SDP.replace('RTP/AVP 0 101', 'RTP/AVP 9').replace('rtpmap:0 PCMU', 'rtpmap:9 G722')],
  ])('hangs up an answer with %s', async (_, body) => {
    const call = dial(agent, peer.port);
    const ended = resultOf(call);
    const invite = await peer.next('INVITE');
    peer.reply(invite, '200 OK', { tag: 'peer', headers: contact(), ...(body === undefined ? {} : { body }) });
    await peer.next('ACK');
    await peer.next('BYE');
    expect(await ended).toEqual({ kind: 'no-media' });
  });

  it('follows the recorded route, first to last', async () => {
    const call = dial(agent, peer.port);
    call.once('answered', () => call.hangup());
    const invite = await peer.next('INVITE');
    const route = [`Record-Route: <sip:far.example;lr>, <sip:127.0.0.1:${peer.port};lr>`];
    const target = ['Contact: <sip:callee@callee.example>'];
    peer.reply(invite, '200 OK', { tag: 'peer', headers: [...route, ...target], body: SDP });
    for (const method of ['ACK', 'BYE']) {
      const request = await peer.next(method);
      expect(request).toContain(`${method} sip:callee@callee.example SIP/2.0`);
      const routes = request.split('\r\n').filter((line) => line.startsWith('Route: '));
      expect(routes).toEqual([`Route: <sip:127.0.0.1:${peer.port};lr>`, 'Route: <sip:far.example;lr>']);
    }
  });

  it('puts a strict router, which has no lr, into the Request-URI (RFC 3261 §12.2.1.1)', async () => {
    const call = dial(agent, peer.port);
    call.once('answered', () => call.hangup());
    const invite = await peer.next('INVITE');
    const route = [`Record-Route: <sip:far.example;lr>, <sip:127.0.0.1:${peer.port}>`];
    peer.reply(invite, '200 OK', {
      tag: 'peer',
      headers: [...route, 'Contact: <sip:callee@callee.example>'],
      body: SDP,
    });
    const bye = await peer.next(`BYE sip:127.0.0.1:${peer.port} SIP/2.0`);
    const routes = bye.split('\r\n').filter((line) => line.startsWith('Route: '));
    expect(routes).toEqual(['Route: <sip:far.example;lr>', 'Route: <sip:callee@callee.example>']);
  });

  it('answers the challenges of a proxy and of the remote UAS, with the strongest algorithm', async () => {
    const call = dial(agent, peer.port, { credentials: { username: 'bob', password: 'secret' } });
    const answered = once(call, 'answered');
    const first = await peer.next('INVITE');
    const weak = 'Proxy-Authenticate: Digest realm="proxy", nonce="p", qop="auth", algorithm=MD5';
    const strong = weak.replace('MD5', 'SHA-512-256');
    peer.reply(first, '407 Proxy Authentication Required', { tag: 'peer', headers: [weak, strong] });
    const second = await peer.nextOther('INVITE', first);
    expect(headerOf(second, 'Proxy-Authorization')).toMatch(/realm="proxy".*algorithm=SHA-512-256.*nc=00000001/);
    const headers = ['WWW-Authenticate: Digest realm="callee", nonce="c", qop="auth-int,auth", algorithm=SHA-256'];
    peer.reply(second, '401 Unauthorized', { tag: 'peer', headers });
    const third = await peer.nextOther('INVITE', second);
    expect(headerOf(third, 'Proxy-Authorization')).toMatch(/realm="proxy".*nc=00000002/);
    expect(headerOf(third, 'Authorization')).toMatch(/realm="callee".*algorithm=SHA-256.*qop=auth,/);
    peer.reply(third, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
    await answered;
  });

  it('answers a stale nonce once more, and answers a challenge of its BYE', async () => {
    const call = dial(agent, peer.port, { credentials: { username: 'bob', password: 'secret' } });
    call.once('answered', () => call.hangup());
    const challenge = (nonce: string, rest = ''): { headers: string[]; tag: string } => ({
      tag: 'peer',
      headers: [`WWW-Authenticate: Digest realm="r", nonce="${nonce}", qop="auth"${rest}`],
    });
    peer.reply(await peer.next('INVITE'), '401 Unauthorized', challenge('one'));
    const second = await peer.next('INVITE');
    peer.reply(second, '401 Unauthorized', challenge('two', ', stale=true'));
    const third = await peer.nextOther('INVITE', second);
    expect(headerOf(third, 'Authorization')).toContain('nonce="two"');
    peer.reply(third, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
    expect(headerOf(await peer.next('ACK sip:peer'), 'Authorization')).toBe(headerOf(third, 'Authorization'));
    const bye = await peer.next('BYE');
    expect(headerOf(bye, 'Authorization')).toMatch(/nonce="two".*nc=00000002/);
    peer.reply(bye, '401 Unauthorized', challenge('three'));
    const again = await peer.nextOther('BYE', bye);
    expect(headerOf(again, 'Authorization')).toContain('nonce="three"');
    peer.reply(again, '200 OK');
  });

  it.each([
    ['wrong credentials', { username: 'bob', password: 'wrong' }, 2],
    ['no credentials', undefined, 1],
  ])('gives up with %s', async (_, credentials, attempts) => {
    const call = dial(agent, peer.port, credentials ? { credentials } : {});
    const ended = resultOf(call);
    let invite = '';
    for (let i = 0; i < attempts; i++) {
      invite = await peer.nextOther('INVITE', invite);
      const headers = [`Proxy-Authenticate: Digest realm="r", nonce="${i}"`];
      peer.reply(invite, '407 Proxy Authentication Required', { tag: 'peer', headers });
    }
    expect(await ended).toMatchObject({ kind: 'rejected', status: 407 });
  });

  it('acknowledges and hangs up an answer that arrives after the call has ended without a response', async () => {
    const call = dial(agent, peer.port, { responseTimeoutMs: 100 });
    const ended = resultOf(call);
    const invite = await peer.next('INVITE');
    expect(await ended).toEqual({ kind: 'silent' });
    peer.reply(invite, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
    const ack = await peer.next('ACK');
    expect(headerOf(ack, 'CSeq')).toBe('1 ACK');
    const bye = await peer.next('BYE');
    peer.reply(bye, '200 OK');
    // A repetition of the 200 is acknowledged, without a second BYE.
    peer.reply(invite, '200 OK', { tag: 'peer', headers: contact(), body: SDP });
    await peer.next('ACK');
  });

  it('cancels a call that rings after it has ended without a response', async () => {
    const ended = resultOf(dial(agent, peer.port, { responseTimeoutMs: 100 }));
    const invite = await peer.next('INVITE');
    expect(await ended).toEqual({ kind: 'silent' });
    peer.reply(invite, '180 Ringing', { tag: 'peer' });
    peer.reply(await peer.next('CANCEL'), '200 OK');
    peer.reply(invite, '487 Request Terminated', { tag: 'peer' });
    await peer.next('ACK');
  });

  it('reports a remote party without any response as silent, also when the ringing time is shorter than Timer B', async () => {
    expect(await resultOf(dial(agent, peer.port, { ringTimeoutMs: 100 }))).toEqual({ kind: 'silent' });
  });

  it('reports a refused TCP connection and an unknown host as unreachable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const refused = dial(agent, port, { nextHops: [{ host: '127.0.0.1', port, transport: 'tcp' }] });
    const unknown = dial(agent, port, { nextHops: [{ host: 'no-such-host.invalid', transport: 'udp' }] });
    const unreachable = { kind: 'unreachable' };
    expect(await Promise.all([resultOf(refused), resultOf(unknown)])).toEqual([unreachable, unreachable]);
  });

  it('sends nothing to an address that is not allowed, also when a name resolves to it', async () => {
    const checked: string[] = [];
    const checkAddress = (address: string): void => {
      checked.push(address);
      throw new Error('inside');
    };
    const guarded = await startAgent({ checkAddress, tap: () => checked.push('message') });
    const call = dial(guarded, peer.port, { nextHops: [{ host: 'localhost', port: peer.port, transport: 'udp' }] });
    expect(await resultOf(call)).toEqual({ kind: 'blocked' });
    expect(checked).toEqual(['127.0.0.1']);
  });

  it('sends ACK and BYE over the flow of the INVITE when Contact points to a forbidden address', async () => {
    const checkAddress = (address: string): void => {
      if (address !== '127.0.0.1') throw new Error('inside');
    };
    const guarded = await startAgent({ checkAddress });
    const call = dial(guarded, peer.port);
    call.once('answered', () => call.hangup());
    const invite = await peer.next('INVITE');
    peer.reply(invite, '200 OK', { tag: 'peer', headers: ['Contact: <sip:x@10.0.0.1>'], body: SDP });
    expect(await peer.next('ACK')).toMatch(/^ACK sip:x@10\.0\.0\.1 /);
    expect(await peer.next('BYE')).toMatch(/^BYE sip:x@10\.0\.0\.1 /);
  });
});

describe('audio at a forbidden address', () => {
  const inside = SDP.replaceAll('127.0.0.1', '10.0.0.1');

  beforeEach(async () => {
    agent = await startAgent({
      checkAddress: (address) => {
        if (address !== '127.0.0.1') throw new Error('inside');
      },
    });
  });

  it('in an answer is replaced by the source address of the signalling', async () => {
    const call = dial(agent, peer.port);
    const taken = once(call, 'answered') as Promise<[NegotiatedAudio]>;
    peer.reply(await peer.next('INVITE'), '200 OK', { tag: 'peer', headers: contact(), body: inside });
    expect((await taken)[0]).toMatchObject({ address: '10.0.0.1', latchTo: '127.0.0.1' });
  });

  it('in a re-INVITE is replaced by the source address of the signalling', async () => {
    const { call, invite } = await answered();
    const changed = once(call, 'media') as Promise<[NegotiatedAudio]>;
    peer.send(inDialog(invite, 'INVITE', 10, { body: inside }));
    expect(await peer.next('SIP/2.0')).toMatch(/^SIP\/2\.0 200/);
    expect((await changed)[0]).toMatchObject({ address: '10.0.0.1', latchTo: '127.0.0.1' });
    peer.send(inDialog(invite, 'ACK', 10));
  });
});

describe('inside a call', () => {
  it.each(['INVITE', 'UPDATE'])('hold and resume by %s are answered with our description', async (method) => {
    const { call, invite } = await answered();
    let ok = invite;
    for (const [cseq, theirs, ours] of [
      [10, 'sendonly', 'recvonly'],
      [11, 'sendrecv', 'sendrecv'],
    ] as const) {
      const changed = once(call, 'media') as Promise<[NegotiatedAudio]>;
      peer.send(inDialog(invite, method, cseq, { body: SDP.replace('a=sendrecv', `a=${theirs}`) }));
      // The previous 200 is repeated when its ACK is late.
      ok = await peer.nextOther('SIP/2.0 200', ok);
      expect(ok).toContain(`a=${ours}`);
      expect(ok).toMatch(new RegExp(`^o=- \\d+ ${cseq - 8} IN`, 'm'));
      expect((await changed)[0].sendAudio).toBe(ours === 'sendrecv');
      if (method === 'INVITE') peer.send(inDialog(invite, 'ACK', cseq));
    }
  });

  it('a re-INVITE without an offer gets ours, and the ACK contains the answer', async () => {
    const { call, invite } = await answered();
    const changed = once(call, 'media') as Promise<[NegotiatedAudio]>;
    peer.send(inDialog(invite, 'INVITE', 10));
    expect(await peer.next('SIP/2.0 200')).toContain('m=audio 40000 RTP/AVP 0');
    peer.send(inDialog(invite, 'ACK', 10, { body: SDP.replace('40100', '40102') }));
    expect((await changed)[0].port).toBe(40_102);
  });

  it('a 200 to a re-INVITE is repeated until its ACK', async () => {
    const { invite } = await answered();
    peer.send(inDialog(invite, 'INVITE', 10, { body: SDP }));
    for (let i = 0; i < 3; i++) expect(headerOf(await peer.next('SIP/2.0 200'), 'CSeq')).toBe('10 INVITE');
    peer.send(inDialog(invite, 'ACK', 10));
  });

  it.each([
    ['an offer without a common codec', 'INVITE', { body: SDP.replace('0 101', '9') }, '488', /^Warning: 305 /m],
    [
      'a body that is not a description',
      'INVITE',
      { body: 'x', type: 'text/plain' },
      '415',
      /^Accept: application\/sdp,/m,
    ],
    ['OPTIONS', 'OPTIONS', {}, '200', /^Accept: application\/sdp,/m],
    ['INFO without a body', 'INFO', {}, '200', /^Content-Length: 0/m],
    ['INFO of another kind', 'INFO', { body: '<xml/>', type: 'text/xml' }, '415', /^Accept: application\/dtmf-relay,/m],
    ['an unsupported method', 'REFER', {}, '405', /^Allow: INVITE,/m],
    ['an unknown method', 'DANCE', {}, '501', /^Allow: INVITE,/m],
  ])('answers %s', async (_, method, o, status, header) => {
    const { invite } = await answered();
    peer.send(inDialog(invite, method, 10, o));
    const response = await peer.next('SIP/2.0');
    expect(response.slice(8, 11)).toBe(status);
    // The response contains the accepted values (RFC 3261 §20.43, §21.4.13).
    expect(response).toMatch(header);
  });

  it.each([
    ['application/dtmf-relay', 'Signal=5\r\nDuration=240\r\n', ['5', 240]],
    ['application/dtmf-relay', 'Signal= 11\r\nDuration= 100', ['#', 100]],
    ['application/dtmf', '*', ['*', 160]],
  ])('reports a key in INFO with %s', async (type, body, expected) => {
    const { call, invite } = await answered();
    const heard = once(call, 'dtmf');
    peer.send(inDialog(invite, 'INFO', 10, { body, type }));
    expect(await heard).toEqual(expected);
    await peer.next('SIP/2.0 200');
  });

  it('refuses requests with an old CSeq', async () => {
    const { invite } = await answered();
    peer.send(inDialog(invite, 'OPTIONS', 10));
    await peer.next('SIP/2.0 200');
    peer.send(inDialog(invite, 'OPTIONS', 9));
    expect(await peer.next('SIP/2.0')).toMatch(/^SIP\/2\.0 500/);
  });

  it('reports the cause of a BYE, answers its repetition, and responds with 481 later', async () => {
    const { call, invite } = await answered();
    const bye = inDialog(invite, 'BYE', 10).replace('Content-Length', 'Reason: Q.850;cause=16\r\nContent-Length');
    const ended = resultOf(call);
    peer.send(bye);
    await peer.next('SIP/2.0 200');
    peer.send(bye);
    await peer.next('SIP/2.0 200');
    expect(await ended).toEqual({ kind: 'bye', by: 'remote', q850: 16 });
    peer.send(inDialog(invite, 'OPTIONS', 11));
    await peer.next('SIP/2.0 481');
  });
});
