import { EventEmitter, once } from 'node:events';
import { buildAnswer, type IncomingCall, SipUserAgent } from '@app/telephony';
import { LoadPhones } from './voice-load.js';

const QUIET = { debug: () => {}, warn: () => {} };
const HOST = '127.0.0.1';

/** Answers up to `calls` calls at a time and talks a third of the time, until it hangs up. */
export class AgentCallee {
  private readonly answered = new Set<IncomingCall>();
  private readonly news = new EventEmitter();
  private free: number[];

  private constructor(
    private readonly agent: SipUserAgent,
    private readonly phones: LoadPhones,
    calls: number,
  ) {
    this.free = [...Array(calls).keys()];
  }

  static async start(calls: number): Promise<AgentCallee> {
    const agent = await SipUserAgent.start({ bind: HOST, port: 0, userAgent: 'agent callee', log: QUIET });
    const callee = new AgentCallee(agent, await LoadPhones.open(calls), calls);
    agent.onInvite((call) => callee.take(call));
    return callee;
  }

  uri(n: number): string {
    return `sip:customer-${n}@${HOST}:${this.agent.port}`;
  }

  async untilAnswered(calls: number): Promise<void> {
    while (this.answered.size < calls) await once(this.news, 'answered');
  }

  hangUp(): void {
    for (const call of this.answered) call.hangup();
  }

  async close(): Promise<void> {
    await this.agent.close();
    this.phones.close();
  }

  private take(call: IncomingCall): void {
    const phone = this.free.pop();
    const answer =
      phone !== undefined &&
      call.offer &&
      buildAnswer(call.offer, { address: HOST, port: this.phones.portOf(phone), codecs: ['PCMU'] });
    if (phone === undefined || !call.offer || !answer) return call.reject(488);
    call.on('ended', () => {
      this.answered.delete(call);
      this.phones.end(phone);
      this.free.push(phone);
    });
    call.answer(answer);
    this.phones.call(phone, call.offer.port);
    this.answered.add(call);
    this.news.emit('answered');
  }
}
