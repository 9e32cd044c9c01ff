import {
  buildAnswer,
  buildOffer,
  type Codec,
  type IncomingCall,
  type MediaSession,
  negotiate,
  type NegotiatedAudio,
  openMediaSession,
  type OutgoingCall,
  type SipLog,
  SipUserAgent,
} from '@app/telephony';
import type { SipFacts, TestCallFacts } from '../scenario/tester-line.js';
import { AudibleLine } from './audible-line.js';
import { type AudioLineOptions, TESTER_PORTS } from './audio-line.js';
import type { SpeechSpan } from './call-audio.js';
import { hasFaults, PacketPath } from './packet-path.js';
import type { DialledAgent, TestedCall, TestedCallListener } from './tested-call.js';
import { TesterAudio } from './tester-audio.js';

interface SipLineOptions extends AudioLineOptions {
  /** IP literal of the phone, which the service must reach. */
  bind: string;
  callerNumber: string;
  log: SipLog;
}

const RING_MS = 30_000;
/** The service may wait for a free line before it calls. */
const PLACED_MS = 60_000;

/** A real call: the tester is a SIP phone, which calls an agent, or is called by the service. */
export class SipLine extends AudibleLine {
  private readonly codecs: Codec[];
  private agent: SipUserAgent | undefined;
  private dialog: OutgoingCall | IncomingCall | undefined;
  private session: MediaSession | undefined;
  private path: PacketPath | undefined;
  private isFollowed = false;
  private sipStatus: number | null = null;
  private durationMs = 0;
  private record: TestCallFacts | undefined;
  private isLineOver = false;
  private wake: () => void = () => undefined;
  private ended: () => void = () => undefined;
  /** The stored end of the call was reported, or the line has a problem. */
  private readonly over = new Promise<void>((resolve) => (this.ended = resolve));

  constructor(
    private readonly tested: TestedCall,
    private readonly options: SipLineOptions,
  ) {
    super(options.profile);
    const { codec } = options.profile;
    this.codecs = codec === 'G722' ? [codec, 'PCMU'] : [codec];
  }

  get call(): TestCallFacts | undefined {
    return this.record;
  }

  get sip(): SipFacts | undefined {
    return this.tested.dials && { status: this.sipStatus, duration_ms: this.durationMs };
  }

  async connect(): Promise<void> {
    const { bind, log } = this.options;
    const { dials } = this.tested;
    const answered = new Promise<void>((resolve) => (this.wake = resolve));
    const late = setTimeout(
      () => this.stop(`The call was not answered within ${PLACED_MS / 1_000} seconds.`),
      PLACED_MS,
    );
    try {
      this.agent = await SipUserAgent.start({
        ...{ bind, port: 0, userAgent: 'Trunkline tester', log },
        checkAddress: dials?.checkAddress,
      });
      this.session = await openMediaSession({ bindAddress: bind, ports: TESTER_PORTS });
      await (dials ? this.dial(this.agent, dials) : this.ringUp(this.agent));
      await answered;
      if (dials && this.audio) {
        await this.tested.find(this.options.callerNumber);
        this.follow();
      }
    } catch (error) {
      this.stop(error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(late);
    }
  }

  override stop(why: string): void {
    super.stop(why);
    this.wake();
    this.ended();
  }

  protected override said(text: string, span: SpeechSpan): void {
    this.tested.said?.(text, span);
  }

  protected override pressed(keys: string): void {
    this.tested.pressed?.(keys);
  }

  protected override lastEvents(): Promise<void> {
    return this.isOver || !this.isLineOver ? Promise.resolve() : this.over;
  }

  protected async release(): Promise<void> {
    this.measured(this.session?.stats());
    this.noteDuration();
    const { dialog } = this;
    if (dialog && 'reject' in dialog && !this.audio) dialog.reject(486);
    else dialog?.hangup();
    try {
      this.record = await this.tested.end();
    } catch (error) {
      super.stop(error instanceof Error ? error.message : String(error));
    } finally {
      await this.session?.close();
      this.path?.close();
      await this.agent?.close();
    }
  }

  /** The tester calls the agent. */
  private async dial(agent: SipUserAgent, dials: DialledAgent): Promise<void> {
    const { requestUri, nextHops, targetAllowed, unanswered } = dials;
    const { callerNumber, bind } = this.options;
    const local = await this.local();
    if (this.isOver) return;
    const call = agent.invite({
      requestUri,
      nextHops,
      targetAllowed,
      from: { user: callerNumber },
      offer: () => buildOffer({ ...local, address: bind, codecs: this.codecs }),
      codecs: this.codecs,
      ringTimeoutMs: RING_MS,
    });
    this.dialog = call;
    call.on('answered', (audio) => {
      this.sipStatus = 200;
      this.begin(audio);
    });
    call.on('media', (audio) => this.renew(audio));
    call.on('dtmf', (digit, durationMs) => this.session?.receiveDigit(digit, durationMs));
    call.on('ended', (result) => {
      if (result.kind === 'rejected') this.sipStatus = result.status;
      if (!this.audio) return this.stop(unanswered(result));
      this.lineEnded();
      this.tested.lineEnded?.(result);
    });
  }

  /** The service calls the tester. */
  private async ringUp(agent: SipUserAgent): Promise<void> {
    agent.onInvite((call) => {
      if (this.dialog || this.isOver) return call.reject(486);
      this.dialog = call;
      call.on('media', (audio) => {
        const agreed = negotiate({ codecs: this.codecs }, audio);
        if (agreed) this.renew(agreed);
      });
      call.on('dtmf', (digit, durationMs) => this.session?.receiveDigit(digit, durationMs));
      call.on('cancelled', () => this.stop('The service gave up its call before the answer.'));
      call.on('ended', () => this.lineEnded());
      call.ring();
      void this.answer(call);
    });
    await this.tested.place(
      `sip:${this.options.callerNumber.replace(/^\+/, 'tester-')}@${this.options.bind}:${agent.port}`,
    );
    this.follow();
  }

  private async answer(call: IncomingCall): Promise<void> {
    const local = { ...(await this.local()), address: this.options.bind, codecs: this.codecs };
    const agreed = call.offer && negotiate({ codecs: this.codecs }, call.offer);
    if (!call.offer || !agreed) {
      call.reject(488);
      return this.stop(`The service offers none of the codecs of the profile: ${this.codecs.join(', ')}.`);
    }
    if (this.isOver) return call.reject(486);
    call.answer(buildAnswer(call.offer, local) as string);
    this.begin(agreed);
  }

  /** The port for the service's audio. */
  private async local(): Promise<{ port: number }> {
    const { profile, seed, bind } = this.options;
    const port = this.session!.localPort;
    if (!hasFaults(profile)) return { port };
    this.path = await PacketPath.open({ address: bind, port }, profile, seed);
    return { port: this.path.address.port };
  }

  private begin(audio: NegotiatedAudio): void {
    this.renew(audio);
    this.audio ??= new TesterAudio(this.session!, this.options.profile, this.options.voice);
    this.wake();
  }

  private renew(audio: NegotiatedAudio): void {
    this.session?.start({ ...audio, ...this.path?.describe(audio) });
  }

  /** The end of the conversation follows with the events of the call. */
  private lineEnded(): void {
    this.isLineOver = true;
    this.noteDuration();
    this.audio?.close();
  }

  /** Since the answer, at the first of both ends. */
  private noteDuration(): void {
    this.durationMs ||= this.nowMs();
  }

  private follow(): void {
    if (this.isFollowed) return;
    this.isFollowed = true;
    const { audio, session } = this;
    const listener: TestedCallListener = {
      event: (event) => this.noted(event),
      words: (words) => this.hears(words),
      ended: (end, cause) => {
        if (end) this.end ??= end;
        this.ended();
        if (!end) this.stop(`The call ended before a conversation: ${cause}.`);
      },
      failed: (problem) => this.stop(problem),
    };
    this.tested.follow(listener, audio && session && { audio, media: session });
  }
}
