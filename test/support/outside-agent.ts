import { builtInSpeech, Utterances, withWords } from '@app/sandbox';
import {
  buildAnswer,
  encode,
  type IncomingCall,
  type MediaSession,
  negotiate,
  openMediaSession,
  SipUserAgent,
} from '@app/telephony';

interface OutsideAgentOptions {
  /** Of each call; the last one of all further calls. */
  greetings: readonly string[];
  /** The first rule whose text the caller's words contain. */
  rules?: { on: string; say: string; hangsUp?: true }[];
  /** SIP status of all calls. */
  refuses?: number;
}

const HOST = '127.0.0.1';
const CODECS = ['PCMU' as const];
const LOG = { debug: () => undefined, warn: () => undefined };
const NEVER = new AbortController().signal;

/** A voice agent that has nothing to do with the service: a SIP phone that hears the words of testers, and speaks with words. */
export class OutsideAgent {
  /** Keys that callers pressed. */
  keys = '';
  calls = 0;
  private readonly speech = builtInSpeech();
  private readonly sessions = new Set<MediaSession>();

  private constructor(
    private readonly phone: SipUserAgent,
    private readonly options: OutsideAgentOptions,
  ) {
    phone.onInvite((call) => void this.take(call));
  }

  static async start(options: OutsideAgentOptions): Promise<OutsideAgent> {
    const phone = await SipUserAgent.start({ bind: HOST, port: 0, userAgent: 'outside agent', log: LOG });
    return new OutsideAgent(phone, options);
  }

  get uri(): string {
    return `sip:agent@${HOST}:${this.phone.port}`;
  }

  async close(): Promise<void> {
    await this.phone.close();
    await Promise.all([...this.sessions].map((session) => session.close()));
  }

  private async take(call: IncomingCall): Promise<void> {
    this.calls += 1;
    const { refuses, greetings } = this.options;
    const agreed = call.offer && negotiate({ codecs: CODECS }, call.offer);
    if (refuses !== undefined || !call.offer || !agreed) return call.reject(refuses ?? 488);
    const session = await openMediaSession({ bindAddress: HOST, ports: { min: 28_000, max: 28_398 } });
    this.sessions.add(session);
    const answer = buildAnswer(call.offer, { address: HOST, port: session.localPort, codecs: CODECS });
    call.answer(answer as string);
    session.start(agreed);
    session.onDtmf((key) => void (this.keys += key));
    const heard = new Utterances('PCMU');
    session.onFrame((frame) => {
      const event = heard.push(frame);
      if (event?.type === 'speech-stop') void this.reply(call, session, event.words ?? '');
    });
    call.on('ended', () => {
      this.sessions.delete(session);
      void session.close();
    });
    await this.say(session, greetings[Math.min(this.calls, greetings.length) - 1] ?? '');
  }

  private async reply(call: IncomingCall, session: MediaSession, words: string): Promise<void> {
    const rule = this.options.rules?.find(({ on }) => words.includes(on));
    if (!rule) return;
    await this.say(session, rule.say);
    if (rule.hangsUp) call.hangup();
  }

  /** Resolves when the last word is played. */
  private async say(session: MediaSession, text: string): Promise<void> {
    for await (const { text: sentence, samples } of this.speech.samples(text, 'en', NEVER))
      await new Promise((played) => session.write(encode(session.codec, withWords(samples, sentence)), played));
  }
}
