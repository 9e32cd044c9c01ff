import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

type Direction = 'to-callee' | 'to-caller';

/** The fate of one datagram: the number of copies that are passed on. */
export type Fate = (start: string, direction: Direction) => number;

/** Changes a message; its length must stay the same. */
export type Rewrite = (message: string, direction: Direction) => string;

/**
 * A relay between a caller and a callee on loopback that loses or duplicates messages. Rewrites the ports of Contact, so that ACK and
 * BYE pass through it, and applies `rewrite`.
 */
export class LossyRelay {
  private callerPort = 0;

  private constructor(
    private readonly front: Socket,
    private readonly back: Socket,
    private readonly calleePort: number,
    private readonly fate: Fate,
    private readonly rewrite: Rewrite,
  ) {
    front.on('message', (data, from) => {
      this.callerPort = from.port;
      this.pass(data, 'to-callee');
    });
    back.on('message', (data) => this.pass(data, 'to-caller'));
  }

  static async start(calleePort: number, fate: Fate, rewrite: Rewrite = (message) => message): Promise<LossyRelay> {
    const [front, back] = [createSocket('udp4'), createSocket('udp4')];
    front.bind(0, '127.0.0.1');
    back.bind(0, '127.0.0.1');
    await Promise.all([once(front, 'listening'), once(back, 'listening')]);
    return new LossyRelay(front, back, calleePort, fate, rewrite);
  }

  /** The port for the caller. */
  get port(): number {
    return this.front.address().port;
  }

  close(): void {
    this.front.close();
    this.back.close();
  }

  private pass(data: Buffer, direction: Direction): void {
    const text = data.toString();
    const toCallee = direction === 'to-callee';
    const here = toCallee ? this.back.address().port : this.port;
    const moved = this.rewrite(text, direction).replace(/^(Contact: <sip:[^:>]*:)\d+/m, `$1${here}`);
    const out = toCallee ? this.back : this.front;
    const port = toCallee ? this.calleePort : this.callerPort;
    for (let copies = this.fate(startOf(text), direction); copies > 0; copies--) out.send(moved, port, '127.0.0.1');
  }
}

/** `INVITE`, `ACK`, or `200 INVITE` for a response. */
function startOf(text: string): string {
  const [first, second] = text.split(' ', 2);
  return first === 'SIP/2.0' ? `${second} ${/^CSeq: \d+ (\S+)/m.exec(text)?.[1]}` : first!;
}
