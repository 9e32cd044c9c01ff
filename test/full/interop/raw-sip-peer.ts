import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const PATIENCE_MS = 20_000;

/** A peer whose messages the test writes, for invalid and unusual behaviour. UDP on loopback. */
export class RawSipPeer {
  private readonly received: string[] = [];
  private waiting: (() => void)[] = [];
  private farPort = 0;
  private leaving = false;
  /** Received keep-alives (RFC 5626 §3.5.1). */
  keepAlives = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly encoding: BufferEncoding,
  ) {
    socket.on('message', (data, from) => {
      const message = data.toString(encoding);
      // RFC 5626; before a call from a separate port.
      if (message === '\r\n\r\n') {
        this.keepAlives += 1;
        return;
      }
      this.farPort = from.port;
      if (this.leaving) this.agree(message);
      this.received.push(message);
      for (const wake of this.waiting.splice(0)) wake();
    });
  }

  /** `encoding`: `latin1` for messages whose bytes matter. */
  static async start(address = '127.0.0.1', encoding: BufferEncoding = 'utf8'): Promise<RawSipPeer> {
    const socket = createSocket('udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    return new RawSipPeer(socket, encoding);
  }

  get port(): number {
    return this.socket.address().port;
  }

  /** The next message with this start; earlier ones are dropped. Rejects after 20 seconds. */
  async next(start: string): Promise<string> {
    const late = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const message = this.received.shift();
      if (message?.startsWith(start)) return message;
      if (message === undefined) await this.arrival(start, late);
    }
  }

  /** The next message with that start that does not repeat `before`. */
  async nextOther(start: string, before: string): Promise<string> {
    for (;;) {
      const message = await this.next(start);
      if (headerOf(message, 'CSeq') !== headerOf(before, 'CSeq')) return message;
    }
  }

  private arrival(start: string, late: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(new Error(`no message "${start}" came`));
      late.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(() => {
        late.removeEventListener('abort', giveUp);
        resolve();
      });
    });
  }

  send(text: string, port = this.farPort): void {
    this.socket.send(Buffer.from(text, this.encoding), port, '127.0.0.1');
  }

  /** Answers `request` with its own Via, From, To, Call-ID and CSeq. */
  reply(
    request: string,
    status: string,
    o: { tag?: string; headers?: string[]; body?: string; type?: string } = {},
  ): void {
    const copied = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map((name) => {
      const line = `${name}: ${headerOf(request, name)}`;
      return name === 'To' && o.tag !== undefined && !line.includes(';tag=') ? `${line};tag=${o.tag}` : line;
    });
    const body = o.body ?? '';
    const type = body === '' ? [] : [`Content-Type: ${o.type ?? 'application/sdp'}`];
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    this.send([`SIP/2.0 ${status}`, ...copied, ...(o.headers ?? []), ...type, length, '', body].join('\r\n'));
  }

  /** Accepts every BYE and CANCEL from now on, so that the other side can close without waiting. */
  leave(): void {
    this.leaving = true;
    for (const message of this.received) this.agree(message);
  }

  private agree(message: string): void {
    const cancel = message.startsWith('CANCEL');
    if (cancel || message.startsWith('BYE')) this.reply(message, '200 OK');
    const invite = message.replace(/^(CSeq: \d+) CANCEL/m, '$1 INVITE');
    if (cancel) this.reply(invite, '487 Request Terminated', { tag: 'left' });
  }

  close(): void {
    this.socket.close();
  }
}

/** The first value of that header. */
export function headerOf(message: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(message)?.[1]?.trim() ?? '';
}
