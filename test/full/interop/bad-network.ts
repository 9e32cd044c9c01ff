import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { MediaPath, type Direction } from './media-path.js';
import { countFate, FAIR, fateOf, type Tally, type Weather } from './weather.js';

const HOST = '127.0.0.1';

export interface BadNetworkOptions {
  calleePort: number;
  seed: string;
  /**
   * By the user part of the first Request-URI, and the kind of message: `INVITE`, `ACK`, or `200 INVITE` for a response.
   */
  sip?: (called: string, kind: string) => Weather;
  rtp?: (called: string) => Weather;
}

interface Call {
  called: string;
  /** The number of messages of each kind, in each direction. */
  seen: Map<string, number>;
  media?: Promise<MediaPath>;
}

/**
 * A proxy on loopback that loses, duplicates, delays and reorders SIP and RTP, separately for each call. It rewrites Contact and the
 * address of the audio, so that all messages of a call pass through it.
 */
export class BadNetwork {
  readonly tally: Tally = { sent: 0, lost: 0, doubled: 0 };
  private callerPort = 0;
  private readonly calls = new Map<string, Call>();
  private readonly underWay = new Set<NodeJS.Timeout>();
  private closed = false;

  private constructor(
    private readonly front: Socket,
    private readonly back: Socket,
    private readonly options: BadNetworkOptions,
  ) {
    front.on('message', (data, from) => {
      this.callerPort = from.port;
      void this.pass(data, 'to-callee');
    });
    back.on('message', (data) => void this.pass(data, 'to-caller'));
  }

  static async start(options: BadNetworkOptions): Promise<BadNetwork> {
    const [front, back] = [createSocket('udp4'), createSocket('udp4')];
    front.bind(0, HOST);
    back.bind(0, HOST);
    await Promise.all([once(front, 'listening'), once(back, 'listening')]);
    return new BadNetwork(front, back, options);
  }

  /** The port for the caller. */
  get port(): number {
    return this.front.address().port;
  }

  /** The counts of the audio packets of the call to that user. */
  async audioOf(called: string): Promise<MediaPath['tally'] | undefined> {
    const call = [...this.calls.values()].find((one) => one.called === called);
    return (await call?.media)?.tally;
  }

  /** Delayed messages are lost. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    for (const timer of this.underWay) clearTimeout(timer);
    this.front.close();
    this.back.close();
    for (const { media } of this.calls.values()) (await media)?.close();
  }

  private async pass(data: Buffer, direction: Direction): Promise<void> {
    const message = data.toString('latin1');
    const call = this.callOf(message);
    const kind = kindOf(message);
    const name = `${direction} ${kind}`;
    const nth = (call.seen.get(name) ?? 0) + 1;
    call.seen.set(name, nth);
    const { seed, sip = () => FAIR } = this.options;
    const fate = fateOf(sip(call.called, kind), seed, `${call.called} ${name} ${nth}`);
    countFate(this.tally, fate);
    if (fate.length === 0) return;
    const moved = Buffer.from(await this.moved(message, call, direction), 'latin1');
    for (const delayMs of fate) this.later(delayMs, () => this.send(moved, direction));
  }

  private callOf(message: string): Call {
    const callId = /^Call-ID: *(.*)$/im.exec(message)?.[1]?.trim() ?? '';
    const known = this.calls.get(callId);
    if (known) return known;
    const called = /^INVITE sips?:([^@]*)@/.exec(message)?.[1] ?? callId;
    const call = { called, seen: new Map<string, number>() };
    this.calls.set(callId, call);
    return call;
  }

  private send(data: Buffer, direction: Direction): void {
    const [out, port] =
      direction === 'to-callee' ? [this.back, this.options.calleePort] : [this.front, this.callerPort];
    out.send(data, port, HOST);
  }

  private readonly later = (delayMs: number, send: () => void): void => {
    if (this.closed) return;
    if (delayMs === 0) return send();
    const timer = setTimeout(() => {
      this.underWay.delete(timer);
      send();
    }, delayMs);
    this.underWay.add(timer);
  };

  /** The message with the addresses of the proxy in place of those of the sender. */
  private async moved(message: string, call: Call, direction: Direction): Promise<string> {
    const here = direction === 'to-callee' ? this.back : this.front;
    const head = message.replace(/^(Contact: *<sips?:(?:[^@>]*@)?)[^@:>]+:\d+/im, `$1${HOST}:${here.address().port}`);
    // Without rport (RFC 3581) the response would bypass the proxy, to the port in the Via.
    const answerable = head.replace(/^(Via: *SIP\/2\.0\/UDP (?!.*;rport).*)$/im, '$1;rport');
    const port = /^m=audio (\d+)/m.exec(message)?.[1];
    return port === undefined ? answerable : this.withAudioHere(answerable, Number(port), call, direction);
  }

  private async withAudioHere(message: string, port: number, call: Call, direction: Direction): Promise<string> {
    const { seed, rtp = () => FAIR } = this.options;
    const fate = (packet: string): number[] => fateOf(rtp(call.called), seed, `${call.called} ${packet}`);
    call.media ??= MediaPath.open(fate, this.later);
    const here = (await call.media).describe(port, direction);
    const [head = '', body = ''] = message.split('\r\n\r\n', 2);
    const moved = body.replace(/^c=IN IP4 .*$/gm, `c=IN IP4 ${HOST}`).replace(/^m=audio \d+/gm, `m=audio ${here}`);
    return `${head.replace(/^Content-Length: *\d+/im, `Content-Length: ${moved.length}`)}\r\n\r\n${moved}`;
  }
}

function kindOf(message: string): string {
  const [first, second] = message.split(' ', 2);
  return first === 'SIP/2.0' ? `${second} ${/^CSeq: *\d+ (\S+)/im.exec(message)?.[1]}` : first!;
}
