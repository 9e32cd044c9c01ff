import { createSocket, type Socket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { buildAnswer, SipUserAgent, type IncomingCall } from '@app/telephony';
import { PATIENCE_MS } from './eventually.js';

const QUIET = { debug: () => {}, warn: () => {} };
const TALK_MS = 150;

/** A callee that counts INVITE dialogs per called user: even numbers are busy, odd numbers ring, answer and hang up soon after. */
export class CountingCallee {
  readonly dialogs = new Map<string, number>();
  /** Arrival time of each INVITE (performance.now). */
  readonly arrivals: number[] = [];
  /** The highest number of simultaneous calls. */
  mostAtOnce = 0;
  private live = 0;
  private readonly news = new EventEmitter();

  private constructor(
    private readonly agent: SipUserAgent,
    private readonly audio: Socket,
    private readonly address: string,
    private readonly talkMs: number,
  ) {}

  static async start(address = '127.0.0.1', talkMs = TALK_MS): Promise<CountingCallee> {
    // One socket receives and drops the audio of all calls.
    const audio = createSocket('udp4').bind(0, address);
    await once(audio, 'listening');
    const agent = await SipUserAgent.start({ bind: address, port: 0, userAgent: 'counting callee', log: QUIET });
    const callee = new CountingCallee(agent, audio, address, talkMs);
    agent.onInvite((call) => callee.take(call));
    return callee;
  }

  get port(): number {
    return this.agent.port;
  }

  /** A separate destination per number. */
  uri(n: number): string {
    return `sip:callee-${n}@${this.address}:${this.port}`;
  }

  async untilDialogs(count: number, ms = PATIENCE_MS): Promise<void> {
    const timeout = AbortSignal.timeout(ms);
    while (this.dialogs.size < count) await once(this.news, 'invite', { signal: timeout });
  }

  async close(): Promise<void> {
    await this.agent.close();
    this.audio.close();
  }

  private take(call: IncomingCall): void {
    const user = call.requestUser;
    this.dialogs.set(user, (this.dialogs.get(user) ?? 0) + 1);
    this.arrivals.push(performance.now());
    this.news.emit('invite');
    this.mostAtOnce = Math.max(this.mostAtOnce, (this.live += 1));
    call.on('ended', () => (this.live -= 1));
    if (Number(/\d+$/.exec(user)?.[0]) % 2 === 0 || !call.offer) return this.reject(call, 486);
    call.ring();
    const answer = buildAnswer(call.offer, {
      address: this.address,
      port: this.audio.address().port,
      codecs: ['PCMU'],
    });
    if (!answer) return this.reject(call, 488);
    call.answer(answer);
    const timer = setTimeout(() => call.hangup(), this.talkMs);
    call.on('ended', () => clearTimeout(timer));
  }

  private reject(call: IncomingCall, status: number): void {
    this.live -= 1;
    call.reject(status);
  }
}
