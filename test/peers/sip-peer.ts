import { createHash, randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { PATIENCE_MS } from '../support/eventually.js';
import { PeerAudio } from './peer-audio.js';
import { SipMessage } from './sip-message.js';

export interface Credentials {
  username: string;
  password: string;
}

/** A reply of the peer. `headers` are complete lines. */
interface Reply {
  headers?: string[];
  body?: string;
}

const REALM = 'peer';

/**
 * A phone or carrier over UDP (RFC 3261) without any code of the service, for tests: it places and takes calls with PCMU audio and RFC 4733 keys. It
 * answers OPTIONS, BYE and CANCEL by itself and sends nothing again, because no packet is lost on the loopback.
 */
export class SipPeer {
  /** Requests in the order of their arrival, without repetitions. */
  readonly requests: SipMessage[] = [];
  private readonly unread: SipMessage[] = [];
  private readonly arrivals = new EventEmitter().setMaxListeners(0);
  /** The last reply to each transaction, for requests that are repeated. */
  private readonly replies = new Map<string, string>();
  private readonly calls = new Map<string, PeerCall>();
  private branches = 0;

  private constructor(
    private readonly socket: Socket,
    readonly address: string,
  ) {
    socket.on('message', (data, from) => this.take(SipMessage.parse(data.toString()), from.port));
  }

  /** `address`: one of 127.0.0.0/8; a trunk may identify its carrier by it. */
  static async start(address = '127.0.0.1'): Promise<SipPeer> {
    const socket = createSocket('udp4').bind(0, address);
    await once(socket, 'listening');
    return new SipPeer(socket, address);
  }

  get port(): number {
    return this.socket.address().port;
  }

  /** The next unread INVITE; to `user` if given. */
  invited(user?: string): Promise<SipMessage> {
    const isWanted = ({ method, uri }: SipMessage): boolean =>
      method === 'INVITE' && (user === undefined || uri.startsWith(`sip:${user}@`));
    return this.next((message) => message.status === 0 && isWanted(message));
  }

  /** Replies with the Via, From, To, Call-ID and CSeq of the request. */
  reply(request: SipMessage, status: string, { headers = [], body = '' }: Reply = {}): void {
    const tag = /;tag=/.test(request.get('To')) ? '' : `;tag=${tagOf(request)}`;
    const text = textOf(
      `SIP/2.0 ${status}`,
      [
        ...request.all('Via').map((via) => `Via: ${via}`),
        ...[`From: ${request.get('From')}`, `To: ${request.get('To')}${tag}`, `Call-ID: ${request.get('Call-ID')}`],
        ...[`CSeq: ${request.get('CSeq')}`, ...headers],
      ],
      body,
    );
    this.replies.set(transactionOf(request), text);
    this.socket.send(text, request.sourcePort, '127.0.0.1');
  }

  /** Asks for a digest with MD5. */
  challenge(request: SipMessage): void {
    const challenge = `Digest realm="${REALM}", nonce="${randomBytes(8).toString('hex')}", algorithm=MD5, qop="auth"`;
    this.reply(request, '407 Proxy Authentication Required', { headers: [`Proxy-Authenticate: ${challenge}`] });
  }

  /** Whether the request proves that its sender knows the password. */
  isAuthorized(request: SipMessage, { username, password }: Credentials): boolean {
    const given = parametersOf(request.get('Proxy-Authorization'));
    const { nonce = '', nc = '', cnonce = '', uri = '' } = given;
    const expected = digest({ username, password }, REALM, request.method, { nonce, nc, cnonce, uri });
    return given['username'] === username && given['response'] === expected;
  }

  /** Rings and answers. */
  async answer(invite: SipMessage): Promise<PeerCall> {
    const audio = await PeerAudio.open(this.address);
    this.reply(invite, '180 Ringing', { headers: [this.contact] });
    const acknowledged = this.next(({ method, get }) => method === 'ACK' && get('Call-ID') === invite.get('Call-ID'));
    const sdp = ['Content-Type: application/sdp'];
    this.reply(invite, '200 OK', { headers: [this.contact, ...sdp], body: audio.description });
    await acknowledged;
    audio.sendTo(invite.body);
    const own = `${invite.get('To')};tag=${tagOf(invite)}`;
    return this.track(new PeerCall(this, invite, 200, audio, { own, remote: invite.get('From'), cseq: 1 }));
  }

  /** Calls a number and resolves with the final response. `port`: of the other side; `headers`: further ones of the INVITE. */
  async dial(to: {
    number: string;
    port: number;
    from?: string;
    credentials?: Credentials;
    headers?: string[];
  }): Promise<PeerCall> {
    const audio = await PeerAudio.open(this.address);
    const uri = `sip:${to.number}@127.0.0.1:${to.port}`;
    const callId = randomBytes(8).toString('hex');
    const own = `<sip:${to.from ?? '+15557770001'}@${this.address}>;tag=${randomBytes(4).toString('hex')}`;
    const dialog = { uri, callId, port: to.port, own, remote: `<${uri}>` };
    const { headers = [] } = to;
    let response = await this.invite(dialog, 1, audio, headers);
    let cseq = 1;
    if (response.status === 401 && to.credentials) {
      const md5 = response.all('WWW-Authenticate').find((challenge) => !/SHA/.test(challenge));
      const proof = authorization(md5 ?? '', uri, to.credentials);
      response = await this.invite(dialog, (cseq = 2), audio, [...headers, ...proof]);
    }
    if (response.status === 200) {
      const target = targetOf(response);
      this.request('ACK', { ...dialog, uri: target, remote: response.get('To') }, cseq);
      audio.sendTo(response.body);
    }
    const remote = response.get('To');
    return this.track(new PeerCall(this, response, response.status, audio, { own, remote, cseq }));
  }

  /** Sends a request of a dialog. */
  request(
    method: string,
    to: { uri: string; callId: string; port: number; own: string; remote: string },
    cseq: number,
    { headers = [], body = '' }: Reply = {},
    branch = `z9hG4bKpeer${this.port}x${(this.branches += 1)}`,
  ): void {
    const own = [`Via: SIP/2.0/UDP ${this.address}:${this.port};branch=${branch}`, 'Max-Forwards: 70', this.contact];
    const dialog = [`From: ${to.own}`, `To: ${to.remote}`, `Call-ID: ${to.callId}`, `CSeq: ${cseq} ${method}`];
    this.socket.send(
      textOf(`${method} ${to.uri} SIP/2.0`, [...own, ...dialog, ...headers], body),
      to.port,
      '127.0.0.1',
    );
  }

  /** The next unread message that matches. @throws when none comes. */
  async next(isWanted: (message: SipMessage) => boolean): Promise<SipMessage> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const at = this.unread.findIndex(isWanted);
      if (at >= 0) return this.unread.splice(at, 1)[0]!;
      await once(this.arrivals, 'arrival', { signal });
    }
  }

  /** Sends OPTIONS. @returns the status */
  async probe(port: number): Promise<number> {
    const callId = randomBytes(8).toString('hex');
    const uri = `sip:127.0.0.1:${port}`;
    const own = `<sip:peer@${this.address}>;tag=probe`;
    this.request('OPTIONS', { uri, callId, port, own, remote: `<${uri}>` }, 1);
    return (await this.next((message) => message.status >= 200 && message.get('Call-ID') === callId)).status;
  }

  async close(): Promise<void> {
    for (const call of this.calls.values()) call.audio.close();
    await new Promise<void>((resolve) => this.socket.close(resolve));
  }

  private get contact(): string {
    return `Contact: <sip:peer@${this.address}:${this.port}>`;
  }

  private async invite(
    dialog: { uri: string; callId: string; port: number; own: string; remote: string },
    cseq: number,
    audio: PeerAudio,
    headers: string[] = [],
  ): Promise<SipMessage> {
    const branch = `z9hG4bKpeer${this.port}x${(this.branches += 1)}`;
    const offer = { headers: [...headers, 'Content-Type: application/sdp'], body: audio.description };
    this.request('INVITE', dialog, cseq, offer, branch);
    const isFinal = ({ status, get }: SipMessage): boolean =>
      status >= 200 && get('Call-ID') === dialog.callId && get('CSeq') === `${cseq} INVITE`;
    const response = await this.next(isFinal);
    // RFC 3261 §17.1.1.3: the ACK of a refusal belongs to the transaction of the INVITE.
    if (response.status >= 300) this.request('ACK', { ...dialog, remote: response.get('To') }, cseq, {}, branch);
    return response;
  }

  private track(call: PeerCall): PeerCall {
    this.calls.set(call.callId, call);
    return call;
  }

  private take(message: SipMessage, sourcePort: number): void {
    message.sourcePort = sourcePort;
    const reply = message.status === 0 ? this.replies.get(transactionOf(message)) : undefined;
    if (reply !== undefined && message.method !== 'ACK') {
      this.socket.send(reply, sourcePort, '127.0.0.1');
      return;
    }
    if (message.status === 0) this.requests.push(message);
    if (message.method === 'OPTIONS' && message.status === 0) return this.reply(message, '200 OK');
    if (message.method === 'CANCEL') this.reply(message, '200 OK');
    if (message.method === 'BYE' && message.status === 0) {
      this.reply(message, '200 OK');
      this.calls.get(message.get('Call-ID'))?.end();
    }
    this.unread.push(message);
    this.arrivals.emit('arrival');
  }
}

/** A call of the peer after its final response. */
export class PeerCall {
  readonly callId: string;
  /** Resolves when the other side has hung up. */
  readonly hungUp: Promise<void>;
  private endIt: () => void = () => undefined;

  /** `first`: the INVITE or the response with the other side's contact. */
  constructor(
    private readonly peer: SipPeer,
    private readonly first: SipMessage,
    readonly status: number,
    readonly audio: PeerAudio,
    private readonly dialog: { own: string; remote: string; cseq: number },
  ) {
    this.callId = first.get('Call-ID');
    this.hungUp = new Promise((resolve) => (this.endIt = resolve));
  }

  end(): void {
    this.audio.close();
    this.endIt();
  }

  /** Sends BYE. @returns the status of the response */
  async hangUp(): Promise<number> {
    const { own, remote, cseq } = this.dialog;
    const to = { uri: targetOf(this.first), callId: this.callId, port: this.first.sourcePort, own, remote };
    this.peer.request('BYE', to, cseq + 1);
    const ended = await this.peer.next(
      ({ status, method, get }) => status >= 200 && method === 'BYE' && get('Call-ID') === this.callId,
    );
    this.audio.close();
    return ended.status;
  }
}

const targetOf = (message: SipMessage): string => /<([^>]*)>/.exec(message.get('Contact'))?.[1] ?? '';

/** The tag of the peer in the dialog of that request. */
const tagOf = (request: SipMessage): string => `peer${hash(request.get('Call-ID')).slice(0, 8)}`;

const transactionOf = (request: SipMessage): string =>
  `${/branch=([^;,\s]*)/.exec(request.get('Via'))?.[1]} ${request.method}`;

function textOf(start: string, headers: string[], body: string): string {
  return [start, ...headers, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
}

const hash = (text: string): string => createHash('md5').update(text).digest('hex');

/** RFC 7616 with MD5 and qop=auth. */
function digest(
  { username, password }: Credentials,
  realm: string,
  method: string,
  { nonce, nc, cnonce, uri }: { nonce: string; nc: string; cnonce: string; uri: string },
): string {
  const [a1, a2] = [hash(`${username}:${realm}:${password}`), hash(`${method}:${uri}`)];
  return hash(`${a1}:${nonce}:${nc}:${cnonce}:auth:${a2}`);
}

function authorization(challenge: string, uri: string, credentials: Credentials): string[] {
  const { realm = '', nonce = '', opaque } = parametersOf(challenge);
  const used = { nonce, nc: '00000001', cnonce: randomBytes(4).toString('hex'), uri };
  const response = digest(credentials, realm, 'INVITE', used);
  const quoted = { username: credentials.username, realm, nonce, uri, response, cnonce: used.cnonce, opaque };
  const parameters = Object.entries(quoted).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}="${value}"`,
  );
  return [`Authorization: Digest ${[...parameters, 'algorithm=MD5', 'qop=auth', `nc=${used.nc}`].join(', ')}`];
}

/** The parameters of a challenge or an authorization. */
function parametersOf(header: string): Record<string, string> {
  const found = header.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g);
  return Object.fromEntries([...found].map(([, name, quoted, plain]) => [name, quoted ?? plain]));
}
