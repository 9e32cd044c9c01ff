import { builtInSpeech } from '@app/simulation/tester';
import { Utterances, withWords } from '@app/sandbox';
import {
  buildAnswer,
  encode,
  type IncomingCall,
  type MediaSession,
  negotiate,
  openMediaSession,
  SipUserAgent,
} from '@app/telephony';

interface Reply {
  say: string;
  hangsUp?: true;
}

interface OutsideAgentOptions {
  /** Of each call; the last one of all further calls. */
  greetings: readonly string[];
  /** The first rule whose text the caller's words contain. */
  rules?: (Reply & { on: string })[];
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
    const greeting = greetings[Math.min(this.calls, greetings.length) - 1] ?? '';
    let last: Reply = { say: greeting };
    session.onFrame((frame) => {
      const event = heard.push(frame);
      if (event?.type !== 'speech-stop') return;
      // Callers that did not understand the agent, because a busy machine lost its words, ask again.
      last = this.replyTo(event.words ?? '') ?? last;
      void this.answer(call, session, last);
    });
    call.on('ended', () => {
      this.sessions.delete(session);
      void session.close();
    });
    await this.say(session, greeting);
  }

  private replyTo(words: string): Reply | undefined {
    return this.options.rules?.find(({ on }) => words.includes(on));
  }

  private async answer(call: IncomingCall, session: MediaSession, { say, hangsUp }: Reply): Promise<void> {
    await this.say(session, say);
    if (hangsUp) call.hangup();
  }

  /** Resolves when the last word is played. */
  private async say(session: MediaSession, text: string): Promise<void> {
    const sentences: Buffer[] = [];
    for await (const { text: sentence, samples } of this.speech.samples(text, 'en', NEVER))
      sentences.push(encode(session.codec, withWords(samples, sentence)));
    await new Promise((played) => session.write(Buffer.concat(sentences), played));
  }
}
