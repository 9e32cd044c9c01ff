import { EventEmitter, once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  answerCall,
  closeAgents,
  dial,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import { DnsServer } from '../../../../../test/full/interop/dns-server.js';
import { contactOf, inDialog, PEER_SDP } from '../../../../../test/full/interop/raw-dialog.js';
import { headerOf, RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { TestAuthority } from '../../../../../test/full/interop/certificates.js';
import { newLocalSrtp, SRTP_SUITES } from '../../media/rtp/srtp-keys.js';
import { buildOffer } from '../../sdp.js';
import { Admission } from './admission.js';
import { digestCredentials, parseChallenge } from '../messages/digest.js';
import type { NextHop } from '../locating/locate.js';
import type { IncomingCall } from '../user-agent/incoming-call.js';
import type { OutgoingCall, OutgoingInvite } from '../user-agent/outgoing-call.js';
import type { ForeignMessage, SipUserAgent, UserAgentOptions } from '../user-agent/user-agent.js';

const PASSWORD = { username: 'carrier', password: 'correct horse' };
const STOLEN_SDP = PEER_SDP.replaceAll('127.0.0.1', '127.0.0.2');

/** The remote party at 127.0.0.1, a stranger who has read all identifiers at 127.0.0.2, another host of the remote party at 127.0.0.3. */
let peer: RawSipPeer;
let stranger: RawSipPeer;
let sibling: RawSipPeer;
let agent: SipUserAgent;
let foreign: ForeignMessage[];
let known: Record<string, string[]>;
/** The servers of registered trunks, for the Contact `100`. */
let registrars: Record<string, string[]>;
let warnings: string[];

async function start(options: Partial<UserAgentOptions> = {}): Promise<void> {
  const log = { debug: () => undefined, warn: (message: string) => void warnings.push(message) };
  const { admit, callersAt } = new Admission({
    callers: () => ({
      byAddress: (address) => known[address] ?? [],
      byContact: (user, address) => (user === '100' ? (registrars[address] ?? []) : []),
      byRegistrar: (address) => registrars[address] ?? [],
      usesContacts: Object.keys(registrars).length > 0,
      byUsername: (name) => (name === PASSWORD.username ? [{ name: '7', password: PASSWORD.password }] : []),
      usesDigest: true,
    }),
    algorithms: ['MD5'],
    log,
  });
  agent = await startAgent({ admit, callersAt, log, onForeign: (kind) => void foreign.push(kind), ...options });
}

beforeEach(async () => {
  [foreign, known, registrars, warnings] = [[], {}, {}, []];
  [peer, stranger, sibling] = (await Promise.all(
    ['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((address) => RawSipPeer.start(address)),
  )) as [RawSipPeer, RawSipPeer, RawSipPeer];
});
afterEach(async () => {
  for (const one of [peer, stranger, sibling]) one.leave();
  await closeAgents();
  for (const one of [peer, stranger, sibling]) one.close();
});

interface Established {
  call: OutgoingCall;
  invite: string;
}

async function established(
  options: Partial<OutgoingInvite> = {},
  headers: string[] = [contactOf(peer)],
): Promise<Established> {
  const call = dial(agent, peer.port, options);
  const answered = once(call, 'answered');
  const invite = await peer.next('INVITE');
  peer.reply(invite, '200 OK', { tag: 'peer', headers, body: PEER_SDP });
  await answered;
  return { call, invite };
}

type Options = Parameters<typeof inDialog>[4];
/** A message of a dialog that the peer has begun. */
type Message = (method: string, cseq: number, from: RawSipPeer) => string;

async function answerTo(from: RawSipPeer, invite: string, method: string, cseq: number, o?: Options): Promise<string> {
  from.send(inDialog(from, invite, method, cseq, o), agent.port);
  for (;;) {
    const response = await from.next('SIP/2.0');
    if (headerOf(response, 'CSeq') === `${cseq} ${method}`) return response.slice(8, 11);
  }
}

const BODIES: Record<string, Options> = {
  INVITE: { body: STOLEN_SDP },
  UPDATE: { body: STOLEN_SDP },
  INFO: { body: 'Signal=5\r\n', type: 'application/dtmf-relay' },
  NOTIFY: { headers: ['Event: refer', 'Subscription-State: terminated'] },
  REFER: { headers: ['Refer-To: <sip:9@127.0.0.2>'] },
  PRACK: { headers: ['RAck: 1 1 INVITE'] },
};

describe('a stranger who knows the identifiers of a call', () => {
  beforeEach(() => start());

  it.each(['BYE', 'INVITE', 'UPDATE', 'INFO', 'NOTIFY', 'REFER', 'MESSAGE', 'OPTIONS', 'PRACK'])(
    'gets 481 for %s, and the call goes on as before',
    async (method) => {
      const { call, invite } = await established();
      const events: string[] = [];
      for (const name of ['media', 'dtmf', 'transfer', 'ended'] as const) call.on(name, () => events.push(name));
      expect(await answerTo(stranger, invite, method, 1_000, BODIES[method])).toBe('481');
      // The sequence number of the stranger does not count.
      expect(await answerTo(peer, invite, 'OPTIONS', 10)).toBe('200');
      expect(events).toEqual([]);
      expect(foreign).toEqual(['request']);
      expect(warnings).toHaveLength(1);
    },
  );

  it('gets a bounded number of responses, and the log one line', async () => {
    const { invite } = await established();
    for (let i = 0; i < 20; i++) expect(await answerTo(stranger, invite, 'INFO', 1_000 + i)).toBe('481');
    for (let i = 0; i < 50; i++) stranger.send(inDialog(stranger, invite, 'INFO', 2_000 + i), agent.port);
    // A challenge, because the request is outside of the dialog; responses are sent in the order of their requests.
    stranger.send(
      inDialog(stranger, invite, 'OPTIONS', 3_000).replace(/^To: .*/m, 'To: <sip:x@127.0.0.1>'),
      agent.port,
    );
    expect(headerOf(await stranger.next('SIP/2.0'), 'CSeq')).toBe('3000 OPTIONS');
    expect(foreign).toHaveLength(70);
    expect(warnings).toHaveLength(1);
  });

  it('cannot answer our offer by an ACK', async () => {
    const { call, invite } = await established();
    const media: string[] = [];
    call.on('media', ({ address }) => media.push(address));
    peer.send(inDialog(peer, invite, 'INVITE', 10), agent.port);
    await peer.next('SIP/2.0 200');
    stranger.send(inDialog(stranger, invite, 'ACK', 10, { body: STOLEN_SDP }), agent.port);
    expect(await answerTo(stranger, invite, 'OPTIONS', 1_000)).toBe('481');
    const changed = once(call, 'media');
    peer.send(inDialog(peer, invite, 'ACK', 10, { body: PEER_SDP }), agent.port);
    await changed;
    expect(media).toEqual(['127.0.0.1']);
    expect(foreign).toEqual(['ack', 'request']);
  });

  it('cannot answer our INVITE, nor refuse it', async () => {
    const call = dial(agent, peer.port);
    const answered = once(call, 'answered');
    const invite = await peer.next('INVITE');
    for (const status of ['200 OK', '486 Busy Here', '302 Moved Temporarily']) {
      replyFrom(stranger, invite, status);
    }
    expect(await answerTo(stranger, invite, 'OPTIONS', 1_000)).toBe('481');
    peer.reply(invite, '200 OK', { tag: 'peer', headers: [contactOf(peer)], body: PEER_SDP });
    await answered;
    expect(headerOf(await peer.next('ACK'), 'To')).toContain('tag=peer');
    expect(foreign).toEqual(['response', 'response', 'response']);
  });

  it('cannot answer our BYE, which is repeated until the remote party answers', async () => {
    const { call, invite } = await established();
    const ended = resultOf(call);
    call.hangup();
    const bye = await peer.next('BYE');
    replyFrom(stranger, bye, '200 OK');
    expect(await answerTo(stranger, invite, 'OPTIONS', 1_000)).toBe('481');
    expect(await peer.next('BYE')).toBe(bye);
    expect(await ended).toMatchObject({ kind: 'bye', by: 'local' });
    expect(foreign).toEqual(['response']);
  });

  it('cannot acknowledge a refusal in place of its caller', async () => {
    known = { '127.0.0.1': ['7'] };
    agent.onInvite((call) => call.reject(486));
    const invite = inbound('INVITE', peer);
    peer.send(invite, agent.port);
    const refused = await peer.next('SIP/2.0 486');
    const ack = inbound('ACK', peer).replace(/^To: .*/m, `To: ${headerOf(refused, 'To')}`);
    stranger.send(ack, agent.port);
    await eventually(
      () => foreign,
      ({ length }) => length > 0,
    );
    expect(foreign).toEqual(['ack']);
    // Repeated: it counts as unacknowledged. One may have been sent before the request of the stranger arrived.
    await peer.next('SIP/2.0 486');
    await peer.next('SIP/2.0 486');
    peer.send(ack, agent.port);
  });

  function replyFrom(from: RawSipPeer, request: string, status: string): void {
    const copied = ['Via', 'To', 'From', 'Call-ID', 'CSeq'].map((name) => {
      const line = `${name}: ${headerOf(request, name)}`;
      return name === 'To' && !line.includes(';tag=') ? `${line};tag=stolen` : line;
    });
    const contact = `Contact: <sip:x@127.0.0.2:${from.port}>`;
    const body = `Content-Type: application/sdp\r\nContent-Length: ${STOLEN_SDP.length}\r\n\r\n${STOLEN_SDP}`;
    from.send([`SIP/2.0 ${status}`, ...copied, contact, body].join('\r\n'), agent.port);
  }
});

function inbound(method: string, from: RawSipPeer): string {
  return [
    `${method} sip:100@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${from.port};branch=z9hG4bKinbound`,
    'From: <sip:peer@127.0.0.1>;tag=peer',
    'To: <sip:100@127.0.0.1>',
    'Call-ID: inbound1',
    `CSeq: 1 ${method}`,
    `Contact: <sip:peer@127.0.0.1:${from.port}>`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}

describe('the remote party of a call', () => {
  it('may send from another port, as behind a NAT that has changed its binding', async () => {
    await start();
    const { call, invite } = await established();
    const ended = resultOf(call);
    const rebound = await RawSipPeer.start();
    expect(await answerTo(rebound, invite, 'BYE', 10)).toBe('200');
    expect(await ended).toMatchObject({ kind: 'bye', by: 'remote' });
    rebound.close();
  });

  it.each<[string, () => string[]]>([
    ['Contact', () => [`Contact: <sip:peer@127.0.0.3:${sibling.port}>`]],
    ['first Route', () => [contactOf(peer), `Record-Route: <sip:127.0.0.3:${sibling.port};lr>`]],
  ])('may send from the address of its %s', async (_title, headers) => {
    await start();
    const { call, invite } = await established({}, headers());
    const ended = resultOf(call);
    expect(await answerTo(stranger, invite, 'BYE', 10)).toBe('481');
    expect(await answerTo(sibling, invite, 'BYE', 10)).toBe('200');
    expect(await ended).toMatchObject({ kind: 'bye', by: 'remote' });
  });

  it('may send from every address of the host name in its Contact', async () => {
    const dns = await DnsServer.start({ 'A phones.test': ['127.0.0.1', '127.0.0.3'] });
    await start({ dnsServers: [dns.address] });
    const { call, invite } = await established({}, [`Contact: <sip:peer@phones.test:${peer.port}>`]);
    const ended = resultOf(call);
    expect(await answerTo(stranger, invite, 'BYE', 10)).toBe('481');
    expect(await answerTo(sibling, invite, 'BYE', 10)).toBe('200');
    expect(await ended).toMatchObject({ kind: 'bye', by: 'remote' });
    dns.close();
  });

  it('may send from another target of its trunk', async () => {
    await start();
    const targets = [
      { host: '127.0.0.1', port: peer.port, transport: 'udp' as const, priority: 0 },
      { host: '127.0.0.3', port: sibling.port, transport: 'udp' as const, priority: 1 },
    ];
    const { call, invite } = await established({ nextHops: targets });
    const ended = resultOf(call);
    expect(await answerTo(sibling, invite, 'BYE', 10)).toBe('200');
    expect(await ended).toMatchObject({ kind: 'bye', by: 'remote' });
  });

  it('may send from every address by which its trunk is known, and no other trunk may', async () => {
    known = { '127.0.0.2': ['8'], '127.0.0.3': ['7'] };
    await start();
    const { call, invite } = await established({ callerName: '7' });
    const ended = resultOf(call);
    expect(await answerTo(stranger, invite, 'BYE', 10)).toBe('481');
    expect(await answerTo(sibling, invite, 'BYE', 10)).toBe('200');
    expect(await ended).toMatchObject({ kind: 'bye', by: 'remote' });
  });

  it('may send from every server of the registrar of its trunk, and no other registrar may', async () => {
    known = { '127.0.0.2': ['8'] };
    registrars = { '127.0.0.2': ['8'], '127.0.0.3': ['7'] };
    await start();
    const { call, invite } = await established({ callerName: '7' });
    const ended = resultOf(call);
    expect(await answerTo(stranger, invite, 'BYE', 10)).toBe('481');
    expect(await answerTo(sibling, invite, 'BYE', 10)).toBe('200');
    expect(await ended).toMatchObject({ kind: 'bye', by: 'remote' });
  });

  it('may move to another address when it authenticates there', async () => {
    await start();
    const { call, invite } = await established({ callerName: '7' });
    const media = once(call, 'media');
    sibling.send(inDialog(sibling, invite, 'INVITE', 10, { body: PEER_SDP }), agent.port);
    const challenge = parseChallenge(headerOf(await sibling.next('SIP/2.0 401'), 'WWW-Authenticate'))!;
    sibling.send(inDialog(sibling, invite, 'ACK', 10), agent.port);
    const uri = /<(.*)>/.exec(headerOf(invite, 'Contact'))![1]!;
    const credentials = digestCredentials(challenge, {
      method: 'INVITE',
      uri,
      body: PEER_SDP,
      ...PASSWORD,
      cnonce: 'c',
      count: 1,
    });
    const headers = [`Authorization: ${credentials}`];
    sibling.send(inDialog(sibling, invite, 'INVITE', 11, { body: PEER_SDP, headers }), agent.port);
    await sibling.next('SIP/2.0 200');
    sibling.send(inDialog(sibling, invite, 'ACK', 11), agent.port);
    await media;
    // Known from now on.
    expect(await answerTo(sibling, invite, 'BYE', 12)).toBe('200');
  });

  it('is not believed with the credentials of another trunk', async () => {
    await start();
    const { invite } = await established({ callerName: '8' });
    stranger.send(inDialog(stranger, invite, 'BYE', 10), agent.port);
    const challenge = parseChallenge(headerOf(await stranger.next('SIP/2.0 401'), 'WWW-Authenticate'))!;
    const uri = /<(.*)>/.exec(headerOf(invite, 'Contact'))![1]!;
    const credentials = digestCredentials(challenge, {
      method: 'BYE',
      uri,
      body: '',
      ...PASSWORD,
      cnonce: 'c',
      count: 1,
    });
    expect(await answerTo(stranger, invite, 'BYE', 11, { headers: [`Authorization: ${credentials}`] })).toBe('481');
    expect(await answerTo(peer, invite, 'OPTIONS', 10)).toBe('200');
  });

  describe('that has called us', () => {
    let ended: Promise<unknown>;

    /** Answers a call of the peer; returns further messages of its dialog. */
    async function received(prepare: (call: IncomingCall) => void = () => undefined): Promise<Message> {
      ended = new Promise((resolve) => {
        agent.onInvite((call) => {
          call.on('ended', resolve);
          prepare(call);
          answerCall(call);
        });
      });
      peer.send(inbound('INVITE', peer), agent.port);
      const to = `To: ${headerOf(await peer.next('SIP/2.0 200'), 'To')}`;
      const message: Message = (method, cseq, from) =>
        inbound(method, from)
          .replace(/^To: .*/m, to)
          .replace(/^CSeq: .*/m, `CSeq: ${cseq} ${method}`)
          .replace('branch=z9hG4bKinbound', `branch=z9hG4bK${method}${cseq}${from.port}`);
      peer.send(message('ACK', 1, peer), agent.port);
      return message;
    }

    it('is compared with the trunk that it was admitted as', async () => {
      known = { '127.0.0.1': ['7', '9'], '127.0.0.2': ['8'], '127.0.0.3': ['9'] };
      await start();
      const message = await received();
      stranger.send(message('BYE', 1_000, stranger), agent.port);
      await stranger.next('SIP/2.0 481');
      sibling.send(message('BYE', 2, sibling), agent.port);
      await sibling.next('SIP/2.0 200');
      expect(await ended).toBe('remote');
    });

    it('from an address that two trunks share is compared with the trunk of its call only', async () => {
      known = { '127.0.0.1': ['7', '9'], '127.0.0.3': ['9'] };
      await start();
      const message = await received((call) => call.identify('7'));
      sibling.send(message('BYE', 1_000, sibling), agent.port);
      await sibling.next('SIP/2.0 481');
      peer.send(message('BYE', 2, peer), agent.port);
      await peer.next('SIP/2.0 200');
      expect(await ended).toBe('remote');
    });

    it('is not believed with the password of another trunk that shares its address', async () => {
      known = { '127.0.0.1': ['7', '9'] };
      await start();
      const message = await received((call) => call.identify('9'));
      stranger.send(message('BYE', 1_000, stranger), agent.port);
      const challenge = parseChallenge(headerOf(await stranger.next('SIP/2.0 401'), 'WWW-Authenticate'))!;
      const request = { method: 'BYE', uri: 'sip:100@127.0.0.1', body: '', cnonce: 'c', count: 1 };
      const credentials = digestCredentials(challenge, { ...request, ...PASSWORD });
      const proven = message('BYE', 1_001, stranger).replace('Contact:', `Authorization: ${credentials}\r\nContact:`);
      stranger.send(proven, agent.port);
      await stranger.next('SIP/2.0 481');
      peer.send(message('BYE', 2, peer), agent.port);
      await peer.next('SIP/2.0 200');
      expect(await ended).toBe('remote');
    });
  });
});

describe('a request outside of calls', () => {
  const at = (): NextHop => ({ host: '127.0.0.1', port: peer.port, transport: 'udp' });

  beforeEach(() => start());

  /** A response to the request that the peer received. */
  function respond(from: RawSipPeer, request: string, status: string): void {
    const copied = ['Via', 'To', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(request, name)}`);
    const contact = `Contact: ${headerOf(request, 'Contact')}`;
    from.send([`SIP/2.0 ${status}`, ...copied, contact, 'Content-Length: 0', '', ''].join('\r\n'), agent.port);
  }

  it('OPTIONS may be answered from every address of its trunk, and from no other', async () => {
    known = { '127.0.0.2': ['8'], '127.0.0.3': ['7'] };
    const result = agent.options(at(), 4_000, '7');
    const request = await peer.next('OPTIONS');
    respond(stranger, request, '404 Not Found');
    respond(sibling, request, '200 OK');
    expect(await result).toMatchObject({ reachable: true, status: 200 });
    expect(foreign).toEqual(['response']);
  });

  it('REGISTER may be answered from every address of its trunk, and from no other', async () => {
    known = { '127.0.0.2': ['8'], '127.0.0.3': ['7'] };
    const states: string[] = [];
    const options = { hops: [at()], domain: 'pbx.example', contactUser: 'line7', expiresSeconds: 600, callerName: '7' };
    const decided = new EventEmitter();
    const registration = agent.register({ ...options, credentials: PASSWORD }, ({ state }) => {
      states.push(state);
      if (state !== 'registering') decided.emit('state');
    });
    const registered = once(decided, 'state');
    const request = await peer.next('REGISTER');
    respond(stranger, request, '403 Forbidden');
    respond(sibling, request, '200 OK');
    await registered;
    const removed = registration.stop();
    respond(sibling, await peer.nextOther('REGISTER', request), '200 OK');
    await removed;
    expect(states).toEqual(['registering', 'registered']);
    expect(foreign).toEqual(['response']);
  });

  it('may be answered from another located address of its host', async () => {
    const dns = await DnsServer.start({ 'A pbx.test': ['127.0.0.1', '127.0.0.3'] });
    await start({ dnsServers: [dns.address] });
    const result = agent.options({ host: 'pbx.test', port: peer.port, transport: 'udp' }, 4_000);
    const request = await peer.next('OPTIONS');
    respond(sibling, request, '200 OK');
    expect(await result).toMatchObject({ reachable: true, status: 200 });
    dns.close();
  });
});

describe('a call over TLS', () => {
  const authority = new TestAuthority();
  const carrier = authority.issue(['DNS:carrier.test']);
  const other = authority.issue(['DNS:other.test']);
  const opened: TlsPeer[] = [];

  /** A peer over TLS whose messages the test writes. */
  class TlsPeer {
    private text = '';

    private constructor(private readonly socket: TLSSocket) {
      socket.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    }

    static async open(localAddress: string, { cert, key } = carrier): Promise<TlsPeer> {
      const { ca } = authority;
      const options = {
        host: '127.0.0.1',
        port: agent.tlsPort,
        localAddress,
        cert,
        key,
        ca,
        servername: 'carrier.test',
      };
      const socket = connect(options);
      await once(socket, 'secureConnect');
      const peer = new TlsPeer(socket);
      opened.push(peer);
      return peer;
    }

    send(text: string): void {
      this.socket.write(text.replace('SIP/2.0/UDP', 'SIP/2.0/TLS'));
    }

    /** The next response with that CSeq. */
    async next(cseq: string): Promise<string> {
      for (;;) {
        const found = this.text.split(/(?=SIP\/2\.0 \d{3} )/).find((one) => headerOf(one, 'CSeq') === cseq);
        if (found) return found;
        await once(this.socket, 'data');
      }
    }

    close(): void {
      this.socket.destroy();
    }
  }

  beforeEach(async () => {
    known = { '127.0.0.1': ['7'] };
    await start({ tls: { port: 0, ...carrier, caFile: authority.caFile } });
    agent.onInvite(answerCall);
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });
  afterAll(() => authority.remove());

  async function calling(): Promise<(method: string, cseq: number) => string> {
    const caller = await TlsPeer.open('127.0.0.1');
    caller.send(inbound('INVITE', peer));
    const to = `To: ${headerOf(await caller.next('1 INVITE'), 'To')}`;
    const next = (method: string, cseq: number): string =>
      inbound(method, peer)
        .replace(/^To: .*/m, to)
        .replace(/^CSeq: .*/m, `CSeq: ${cseq} ${method}`)
        .replace('branch=z9hG4bKinbound', `branch=z9hG4bK${method}${cseq}`);
    caller.send(next('ACK', 1));
    return next;
  }

  it('takes no request in clear, not even from the address of its caller', async () => {
    const next = await calling();
    peer.send(next('BYE', 10), agent.port);
    await peer.next('SIP/2.0 481');
    expect(foreign).toEqual(['request']);
  });

  it('takes requests over another connection of its caller, by address or certificate, and refuses other peers', async () => {
    const next = await calling();
    const [strange, again, moved] = [
      await TlsPeer.open('127.0.0.2', other),
      await TlsPeer.open('127.0.0.1', other),
      await TlsPeer.open('127.0.0.2'),
    ];
    strange.send(next('OPTIONS', 10));
    expect(await strange.next('10 OPTIONS')).toMatch(/^SIP\/2\.0 401/);
    again.send(next('OPTIONS', 11));
    expect(await again.next('11 OPTIONS')).toMatch(/^SIP\/2\.0 200/);
    moved.send(next('BYE', 12));
    expect(await moved.next('12 BYE')).toMatch(/^SIP\/2\.0 200/);
  });
});

describe('a call with encrypted audio', () => {
  const srtp = newLocalSrtp('optional')!;
  const offer = (address: string): string => buildOffer({ address, port: 40_000, codecs: ['PCMU'], srtp });
  const theirs = newLocalSrtp('optional')!;
  const encrypted = buildOffer({ address: '127.0.0.1', port: 40_100, codecs: ['PCMU'], srtp: theirs });
  let dialog: Established;
  let media: boolean[];

  beforeEach(async () => {
    await start();
    const call = dial(agent, peer.port, { srtp, offer });
    const answered = once(call, 'answered');
    const invite = await peer.next('INVITE');
    const keys = { ...theirs, keys: theirs.keys.filter(({ suite }) => suite === SRTP_SUITES[0]) };
    const body = buildOffer({ address: '127.0.0.1', port: 40_100, codecs: ['PCMU'], srtp: keys });
    peer.reply(invite, '200 OK', { tag: 'peer', headers: [contactOf(peer)], body });
    await answered;
    media = [];
    call.on('media', (audio) => media.push(audio.srtp !== undefined));
    dialog = { call, invite };
  });

  it.each(['INVITE', 'UPDATE'])('stays encrypted: %s with plain RTP gets 488, with keys 200', async (method) => {
    expect(await answerTo(peer, dialog.invite, method, 10, { body: PEER_SDP })).toBe('488');
    if (method === 'INVITE') peer.send(inDialog(peer, dialog.invite, 'ACK', 10), agent.port);
    expect(await answerTo(peer, dialog.invite, method, 11, { body: encrypted })).toBe('200');
    if (method === 'INVITE') peer.send(inDialog(peer, dialog.invite, 'ACK', 11), agent.port);
    expect(media).toEqual([true]);
  });

  it('ignores an answer without keys', async () => {
    const done = dialog.call.hold(true);
    const again = await peer.nextOther('INVITE', dialog.invite);
    peer.reply(again, '200 OK', { tag: 'peer', headers: [contactOf(peer)], body: PEER_SDP });
    await done;
    peer.send(inDialog(peer, dialog.invite, 'INVITE', 10), agent.port);
    await peer.next('SIP/2.0 200');
    peer.send(inDialog(peer, dialog.invite, 'ACK', 10, { body: PEER_SDP }), agent.port);
    expect(await answerTo(peer, dialog.invite, 'OPTIONS', 11)).toBe('200');
    expect(media).toEqual([]);
  });
});
