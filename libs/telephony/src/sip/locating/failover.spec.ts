import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestAuthority } from '../../../../../test/full/interop/certificates.js';
import {
  closeAgents,
  dial,
  FAST_TIMERS,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import { contactOf, inDialog, PEER_SDP as SDP } from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import { VirtualTime } from '../../../../../test/support/virtual-time.js';
import { type CallResult, mayFailOver } from '../user-agent/call-result.js';
import type { NextHop } from './locate.js';
import { newRequest } from '../messages/message.js';
import type { OutgoingCall, OutgoingInvite } from '../user-agent/outgoing-call.js';
import { responseTo } from '../messages/responses.js';
import { CallPeer } from '../messages/message-source.js';
import { TargetSet } from './target-set.js';
import type { MessageTap } from '../transactions/transaction-layer.js';
import { DEFAULT_TIMERS } from '../transactions/transaction.js';
import type { SipUserAgent } from '../user-agent/user-agent.js';

let first: RawSipPeer;
let second: RawSipPeer;
let agent: SipUserAgent;
/** The targets that received an INVITE, in order, without repetitions. */
let invited: number[];
let time: VirtualTime;

beforeEach(async () => {
  time = VirtualTime.start();
  invited = [];
  [first, second, agent] = await Promise.all([
    RawSipPeer.start(),
    RawSipPeer.start(),
    startAgent({ tap: noteInvites }),
  ]);
});
afterEach(async () => {
  for (const peer of [first, second]) peer.leave();
  await closeAgents();
  await time.stop();
  for (const peer of [first, second]) peer.close();
});

const noteInvites: MessageTap = (direction, message, flow) => {
  const invite = direction === 'out' && message.kind === 'request' && message.method === 'INVITE';
  if (invite && invited.at(-1) !== flow.port) invited.push(flow.port);
};

function at(port: number, transport: 'udp' | 'tcp' = 'udp'): NextHop {
  return { host: '127.0.0.1', port, transport };
}

function dialBoth(options: Partial<OutgoingInvite> = {}): OutgoingCall {
  return dial(agent, first.port, { nextHops: [at(first.port), at(second.port)], ...options });
}

async function acceptAt(peer: RawSipPeer): Promise<string> {
  const invite = await peer.next('INVITE');
  peer.reply(invite, '200 OK', { tag: 'peer', headers: [`Contact: <sip:peer@127.0.0.1:${peer.port}>`], body: SDP });
  await peer.next('ACK');
  return invite;
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

describe('a call with several targets', () => {
  it('fails over after a 503 with the same request and a new branch (RFC 3263 §4.3)', async () => {
    const call = dialBoth();
    const events: string[] = [];
    for (const name of ['trying', 'ringing', 'answered'] as const) call.on(name, () => events.push(name));
    const one = await first.next('INVITE');
    first.reply(one, '503 Service Unavailable', { tag: 'full' });
    await first.next('ACK');
    const other = await acceptAt(second);
    for (const name of ['Call-ID', 'CSeq', 'From', 'To']) expect(headerOf(other, name)).toBe(headerOf(one, name));
    expect(headerOf(other, 'Via')).not.toBe(headerOf(one, 'Via'));
    expect(events).toEqual(['trying', 'answered']);
  });

  it('fails over when the first target is silent until Timer B', async () => {
    const call = dialBoth();
    const answered = once(call, 'answered');
    await acceptAt(second);
    await answered;
    expect(invited).toEqual([first.port, second.port]);
  });

  it('fails over after the failover time of silence', async () => {
    const impatient = await startAgent({ timers: DEFAULT_TIMERS, failoverMs: 100, tap: noteInvites });
    const call = dial(impatient, first.port, { nextHops: [at(first.port), at(second.port)] });
    const answered = once(call, 'answered');
    await acceptAt(second);
    await answered;
    expect(invited).toEqual([first.port, second.port]);
  });

  it('waits for the last target until Timer B, and stops retransmissions to the silent one', async () => {
    const impatient = await startAgent({ failoverMs: 100, tap: noteInvites });
    const ended = resultOf(dial(impatient, first.port, { nextHops: [at(first.port), at(second.port)] }));
    const began = performance.now();
    expect(await ended).toEqual({ kind: 'silent' });
    expect(performance.now() - began).toBeGreaterThan(64 * FAST_TIMERS.t1);
    expect(invited).toEqual([first.port, second.port]);
  });

  it('reports the response of the first target when the last one is silent', async () => {
    const ended = resultOf(dialBoth());
    const one = await first.next('INVITE');
    first.reply(one, '503 Service Unavailable', { tag: 'full' });
    expect(await ended).toMatchObject({ kind: 'rejected', status: 503 });
    expect(invited).toEqual([first.port, second.port]);
  });

  it('stays with a target that has answered 100 or a challenge', async () => {
    const impatient = await startAgent({ failoverMs: 500, tap: noteInvites });
    const credentials = { username: 'bob', password: 'secret' };
    const hops = { nextHops: [at(first.port), at(second.port)], credentials };
    const ended = resultOf(dial(impatient, first.port, { ...hops, ringTimeoutMs: 1_500 }));
    const headers = ['Proxy-Authenticate: Digest realm="r", nonce="n", qop="auth"'];
    const challenged = await first.next('INVITE');
    first.reply(challenged, '407 Proxy Authentication Required', { tag: 'peer', headers });
    first.reply(await first.nextOther('INVITE', challenged), '100 Trying');
    await first.next('CANCEL');
    first.leave();
    await ended;
    expect(invited).toEqual([first.port]);
  });

  it('fails over at once when the first target is unreachable (ICMP)', async () => {
    const port = await closedPort();
    const patient = await startAgent({ timers: DEFAULT_TIMERS, failoverMs: 30_000, tap: noteInvites });
    const answered = once(dial(patient, port, { nextHops: [at(port), at(second.port)] }), 'answered');
    await acceptAt(second);
    await answered;
    expect(invited).toEqual([port, second.port]);
  });

  it.each([
    ['a ringing before the answer of the second is cancelled', '180 Ringing', 'CANCEL', true],
    ['an answer before that of the second is acknowledged and hung up', '200 OK', 'BYE', true],
    ['a ringing after the answer of the second is cancelled', '180 Ringing', 'CANCEL', false],
    ['an answer after that of the second is acknowledged and hung up', '200 OK', 'BYE', false],
  ])('stays with the second target when the first one responds too late: %s', async (_, verdict, closing, before) => {
    const impatient = await startAgent({ timers: DEFAULT_TIMERS, failoverMs: 100 });
    const call = dial(impatient, first.port, { nextHops: [at(first.port), at(second.port)] });
    const answered = once(call, 'answered');
    const late = await first.next('INVITE');
    const speakLate = async (): Promise<void> => {
      first.reply(late, verdict, { tag: 'late', headers: [contactOf(first)], body: SDP });
      if (closing === 'BYE') await first.next('ACK');
      first.reply(await first.next(closing), '200 OK');
    };
    const invite = await second.next('INVITE');
    if (before) await speakLate();
    second.reply(invite, '200 OK', { tag: 'peer', headers: [contactOf(second)], body: SDP });
    await second.next('ACK');
    await answered;
    if (!before) await speakLate();
    const ended = resultOf(call);
    second.send(inDialog(second, invite, 'BYE', 7));
    expect(await ended).toEqual({ kind: 'bye', by: 'remote' });
    await second.next('SIP/2.0 200');
  });

  it('fails over when a connection is refused or a host is unknown', async () => {
    const port = await closedPort();
    const unknown = { host: 'no-such-host.invalid', transport: 'udp' as const };
    const call = dialBoth({ nextHops: [unknown, at(port, 'tcp'), at(second.port)] });
    const answered = once(call, 'answered');
    await acceptAt(second);
    await answered;
    expect(invited).toEqual([port, second.port]);
  });

  it('fails over when the certificate of the first target is not trusted', async () => {
    const authority = new TestAuthority();
    const { certFile, keyFile } = authority.issue(['DNS:stranger.test']);
    const stranger = await startAgent({ tls: { port: 0, certFile, keyFile } });
    const tls = { serverName: 'carrier.test', ca: authority.ca };
    const secured = { host: '127.0.0.1', port: stranger.tlsPort, transport: 'tls' as const, tls };
    const answered = once(dialBoth({ nextHops: [secured, at(second.port)] }), 'answered');
    await acceptAt(second);
    await answered;
    authority.remove();
    // The untrusted server never received the INVITE.
    expect(invited).toEqual([second.port]);
  });

  it('reuses the credentials of the first target', async () => {
    dialBoth({ credentials: { username: 'bob', password: 'secret' } });
    const headers = ['Proxy-Authenticate: Digest realm="r", nonce="n", qop="auth"'];
    first.reply(await first.next('INVITE'), '407 Proxy Authentication Required', { tag: 'peer', headers });
    await first.next('ACK');
    first.reply(await first.next('INVITE'), '503 Service Unavailable', { tag: 'peer' });
    const invite = await acceptAt(second);
    expect(headerOf(invite, 'CSeq')).toBe('2 INVITE');
    expect(headerOf(invite, 'Proxy-Authorization')).toMatch(/nonce="n".*nc=00000002/);
  });

  it.each([
    ['486 Busy Here', 486],
    ['403 Forbidden', 403],
    ['603 Decline', 603],
  ])('accepts a %s of the first target as final', async (verdict, status) => {
    const ended = resultOf(dialBoth());
    first.reply(await first.next('INVITE'), verdict, { tag: 'peer' });
    expect(await ended).toMatchObject({ kind: 'rejected', status });
    expect(invited).toEqual([first.port]);
  });

  it('never rings a second phone: a 503 after the ringing is final', async () => {
    const ended = resultOf(dialBoth());
    const invite = await first.next('INVITE');
    first.reply(invite, '180 Ringing', { tag: 'peer' });
    first.reply(invite, '503 Service Unavailable', { tag: 'peer' });
    expect(await ended).toMatchObject({ kind: 'rejected', status: 503 });
    expect(invited).toEqual([first.port]);
  });

  it('ends with the failure of the last target', async () => {
    const ended = resultOf(dialBoth());
    first.reply(await first.next('INVITE'), '503 Service Unavailable', { tag: 'peer' });
    second.reply(await second.next('INVITE'), '404 Not Found', { tag: 'peer' });
    expect(await ended).toMatchObject({ kind: 'rejected', status: 404 });
  });

  it('is cancelled where it rings', async () => {
    const call = dialBoth();
    const ended = resultOf(call);
    first.reply(await first.next('INVITE'), '503 Service Unavailable', { tag: 'peer' });
    const invite = await second.next('INVITE');
    call.once('ringing', () => call.hangup());
    second.reply(invite, '180 Ringing', { tag: 'peer' });
    second.reply(await second.next('CANCEL'), '200 OK');
    second.reply(invite, '487 Request Terminated', { tag: 'peer' });
    expect(await ended).toEqual({ kind: 'cancelled' });
  });

  it('tries no further target after a hang-up, and hangs up a late answer', async () => {
    const call = dialBoth();
    const ended = resultOf(call);
    const invite = await first.next('INVITE');
    call.hangup();
    expect(await ended).toEqual({ kind: 'cancelled' });
    first.reply(invite, '200 OK', { tag: 'late', headers: [`Contact: <sip:late@127.0.0.1:${first.port}>`], body: SDP });
    await first.next('ACK');
    await first.next('BYE');
    expect(invited).toEqual([first.port]);
  });

  it('limits the ringing time over all targets', async () => {
    const ended = resultOf(dialBoth({ ringTimeoutMs: 300 }));
    first.reply(await first.next('INVITE'), '503 Service Unavailable', { tag: 'peer' });
    const invite = await second.next('INVITE');
    second.reply(invite, '180 Ringing', { tag: 'peer' });
    await second.next('CANCEL');
    second.reply(invite, '487 Request Terminated', { tag: 'peer' });
    expect(await ended).toEqual({ kind: 'no-answer' });
  });

  it('tries a target that failed lately last', async () => {
    const call = dialBoth();
    first.reply(await first.next('INVITE'), '503 Service Unavailable', { tag: 'peer', headers: ['Retry-After: 60'] });
    await acceptAt(second);
    call.hangup();
    second.reply(await second.next('BYE'), '200 OK');
    invited = [];
    dialBoth();
    await acceptAt(second);
    expect(invited).toEqual([second.port]);
  });
});

describe('failover after', () => {
  const reject = (status: number): CallResult => ({ kind: 'rejected', status, reason: '' });

  it.each<[CallResult, boolean, boolean]>([
    [reject(500), false, true],
    [reject(503), false, true],
    [reject(503), true, false],
    [reject(408), false, false],
    [reject(486), false, false],
    [reject(600), false, false],
    [{ kind: 'silent' }, false, true],
    [{ kind: 'unreachable' }, false, true],
    [{ kind: 'blocked' }, false, false],
    [{ kind: 'no-media' }, false, false],
  ])('%j (a phone rang: %s): %s', (result, rang, expected) => {
    expect(mayFailOver({ result, rang })).toBe(expected);
  });
});

describe('a destination whose resolved address may not be called', () => {
  const targetAllowed = async (_uri: string, targets: readonly unknown[]): Promise<boolean[]> =>
    targets.map(() => false);

  it('gets no INVITE', async () => {
    const call = dial(agent, first.port, { targetAllowed });
    expect(await resultOf(call)).toEqual({ kind: 'blocked' });
    expect(invited).toEqual([]);
  });

  it('is called when it is a target of a trunk', async () => {
    const call = dial(agent, first.port, { targetAllowed, areHopsTrusted: true });
    const answered = once(call, 'answered');
    await acceptAt(first);
    expect((await answered)[1]).toMatchObject({ address: '127.0.0.1', port: first.port });
    expect(invited).toEqual([first.port]);
  });
});

describe('a redirection', () => {
  let asked: string[];

  beforeEach(() => {
    asked = [];
  });

  function redirectable(options: Partial<OutgoingInvite> = {}): OutgoingCall {
    const redirectAllowed = (uri: string): boolean => {
      asked.push(uri);
      return !uri.includes('premium');
    };
    return dial(agent, first.port, { redirectAllowed, ...options });
  }

  async function moved(to: string[], peer = first): Promise<string> {
    const invite = await peer.next('INVITE');
    const headers = to.map((contact) => `Contact: ${contact}`);
    peer.reply(invite, '302 Moved Temporarily', { tag: 'moved', headers });
    await peer.next('ACK');
    return invite;
  }

  it('is followed to the allowed Contact with the highest q', async () => {
    const call = redirectable();
    const answered = once(call, 'answered');
    const good = `sip:+15559@127.0.0.1:${second.port}`;
    await moved([`<sip:last@127.0.0.1:9>;q=0.1, <sip:premium@127.0.0.1:${second.port}>`, `<${good};method=BYE>;q=0.5`]);
    const invite = await acceptAt(second);
    // The host that took the call is not a target of the trunk.
    expect((await answered)[1]).toBeUndefined();
    expect(invite).toContain(`INVITE ${good} SIP/2.0`);
    expect(headerOf(invite, 'CSeq')).toBe('2 INVITE');
    expect(headerOf(invite, 'To')).toBe(`<sip:+15550002@127.0.0.1:${first.port}>`);
    expect(asked).toEqual([`sip:premium@127.0.0.1:${second.port}`, good]);
  });

  it.each([
    ['to a forbidden destination', {}, ['<sip:premium@127.0.0.1:5060>']],
    ['without a SIP address', {}, ['<tel:+15559>', '<mailto:x@y.example>']],
    ['without a Contact', {}, []],
    ['with an invalid transport', {}, ['<sips:x@127.0.0.1:9;transport="t l s">']],
    ['without allowed destinations', { redirectAllowed: undefined }, ['<sip:x@127.0.0.1:5060>']],
    ['to an unknown host', {}, ['<sip:x@no-such-host.invalid>']],
  ])('%s ends the call as redirected', async (_, options, contacts) => {
    const ended = resultOf(redirectable(options));
    await moved(contacts);
    expect(await ended).toMatchObject({ kind: 'rejected', status: 302 });
    expect(invited).toEqual([first.port]);
  });

  it('to an address that may not be called past a trunk is not followed', async () => {
    const targets: unknown[] = [];
    const targetAllowed = async (
      uri: string,
      located: readonly { address: string; port: number }[],
    ): Promise<boolean[]> => {
      targets.push([uri, ...located.map(({ address, port }) => [address, port])]);
      return located.map(({ port }) => port === first.port);
    };
    const ended = resultOf(redirectable({ targetAllowed }));
    const contact = `sip:+15559@127.0.0.1:${second.port}`;
    await moved([`<${contact}>`]);
    expect(await ended).toMatchObject({ kind: 'rejected', status: 302 });
    expect(invited).toEqual([first.port]);
    expect(targets).toEqual([
      [`sip:+15550002@127.0.0.1:${first.port}`, ['127.0.0.1', first.port]],
      [contact, ['127.0.0.1', second.port]],
    ]);
  });

  it('asks once about all addresses of a host, and calls only the allowed ones', async () => {
    const questions: unknown[] = [];
    const hops = [at(first.port), at(second.port)];
    const targetAllowed = async (_uri: string, located: readonly { port: number }[]): Promise<boolean[]> => {
      questions.push(located.map(({ port }) => port));
      return located.map(({ port }) => port === second.port);
    };
    const call = dial(agent, first.port, { nextHops: hops, targetAllowed });
    const answered = once(call, 'answered');
    await acceptAt(second);
    await answered;
    expect([questions, invited]).toEqual([[[first.port, second.port]], [second.port]]);
  });

  it('to a forbidden network is not followed', async () => {
    agent = await startAgent({
      checkAddress: (address) => {
        if (address !== '127.0.0.1') throw new Error('inside');
      },
    });
    const ended = resultOf(redirectable());
    await moved(['<sip:x@10.0.0.1>']);
    expect(await ended).toMatchObject({ kind: 'rejected', status: 302 });
  });

  it('in a loop ends', async () => {
    const ended = resultOf(redirectable());
    const [here, there] = [`sip:+15550002@127.0.0.1:${first.port}`, `sip:b@127.0.0.1:${second.port}`];
    await moved([`<${there}>`]);
    await moved([`<${here}>`, `<${there}>`], second);
    expect(await ended).toMatchObject({ kind: 'rejected', status: 302 });
    expect(invited).toEqual([first.port, second.port]);
  });

  it('is followed to five contacts at most', async () => {
    const ended = resultOf(redirectable());
    await moved(Array.from({ length: 9 }, (_, i) => `<sip:${i}@127.0.0.1:${second.port}>`));
    let before = '';
    for (let i = 0; i < 5; i++) {
      const invite = await second.nextOther('INVITE', before);
      second.reply(invite, '486 Busy Here', { tag: 'busy' });
      before = invite;
    }
    expect(await ended).toMatchObject({ kind: 'rejected', status: 486 });
    expect(asked).toHaveLength(5);
  });

  it('of a sips: call is never followed without TLS', async () => {
    const targets = new TargetSet(agent, 'sips:x@127.0.0.1', [at(first.port)], new CallPeer(agent, []), () => true);
    const response = responseTo(newRequest('INVITE', 'sips:x@127.0.0.1'), 302);
    response.headers.push('contact', '<sip:y@127.0.0.1:9>, <sips:z@127.0.0.1:9>');
    const target = await targets.after({ result: { kind: 'silent' }, response, rang: false });
    expect(target).toMatchObject({ requestUri: 'sips:z@127.0.0.1:9', target: { transport: 'tls' } });
    expect(await targets.after({ result: { kind: 'silent' }, rang: false })).toBeUndefined();
  });

  it.each([
    ['is not sent to another host', 'localhost', false],
    ['is sent to another port of the same host', '127.0.0.1', true],
  ])('the asserted identity %s', async (_, host, sent) => {
    redirectable({ assertIdentity: true });
    const invite = await first.next('INVITE');
    expect(invite).toMatch(/^P-Asserted-Identity: /m);
    first.reply(invite, '302 Moved', { tag: 'peer', headers: [`Contact: <sip:x@${host}:${second.port}>`] });
    expect(/^P-Asserted-Identity: /m.test(await acceptAt(second))).toBe(sent);
  });

  it('sends no credentials to an unknown host', async () => {
    const ended = resultOf(redirectable({ credentials: { username: 'bob', password: 'secret' } }));
    await moved([`<sip:x@localhost:${second.port}>`]);
    const headers = ['WWW-Authenticate: Digest realm="r", nonce="n"'];
    second.reply(await second.next('INVITE'), '401 Unauthorized', { tag: 'peer', headers });
    expect(await ended).toMatchObject({ kind: 'rejected', status: 401 });
  });
});
