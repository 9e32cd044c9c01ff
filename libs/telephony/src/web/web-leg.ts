import {
  type IncomingLeg,
  type IncomingRequest,
  type Invitation,
  NotSupportedByEngine,
} from '../engine/carrier-engine.js';
import { EmbeddedLeg, type LegContext } from '../engine/embedded-leg.js';
import { type Outcome, outcomeOfHangup } from '../engine/hangup-cause.js';
import { CALLER_CANCELLED, localAudio, NO_AUDIO } from '../engine/incoming-leg.js';
import type { RemoteMedia } from '../media/session/media-port.js';
import type { WebLine } from './web-line.js';
import { WebRelay } from './web-relay.js';

const HUNG_UP: Outcome = { status: 'completed', cause: 'normal_clearing', endedBy: 'caller' };
/** A key that the page sends has no duration. */
const KEY_MS = 100;

/** The leg of a web call: its remote party is a relay in this process, which speaks RTP to the media session and frames to the page. */
export class WebLeg extends EmbeddedLeg implements IncomingLeg {
  readonly direction = 'inbound';
  private readonly relay: WebRelay;
  private remote: RemoteMedia | undefined;
  private isAway: boolean;
  private answering = false;
  private opening: Promise<void> | undefined;

  constructor(
    private readonly line: WebLine,
    request: IncomingRequest,
    context: LegContext,
  ) {
    super(request.legId, context, request);
    this.relay = new WebRelay(line.format, {
      audio: (frame, isFirst) => line.sendAudio(frame, isFirst),
      digit: (digit) => line.sendDigit(digit),
      dropped: () => line.counts.dropped('from_page'),
    });
    this.isAway = !line.isConnected;
    this.once('ended', (end) => {
      this.relay.close();
      line.end(end);
    });
    line.listen({
      frame: (frame, nowMs) => !this.answered || this.relay.receiveFrame(frame, nowMs),
      digits: (digits) => {
        for (const digit of digits.toUpperCase()) this.audio?.receiveDigit(digit, KEY_MS);
      },
      hungUp: () => void this.finish(this.answered ? HUNG_UP : CALLER_CANCELLED),
      away: () => this.setAway(true),
      back: () => this.setAway(false),
      gone: () => (this.answered ? this.hangup('media_timeout') : void this.finish(CALLER_CANCELLED)),
      alive: () => this.answered && this.relay.keepAlive(),
      played: (unplayedMs, isAdvancing) => this.audio?.setPlayed(unplayedMs, isAdvancing),
    });
  }

  ring(): void {
    if (this.finished || this.answering) return;
    this.line.changeStatus('ringing');
    this.emit('ringing');
    this.opening = this.openRinging();
  }

  answer(): void {
    if (this.finished || this.answering || this.hangupCause !== undefined) return;
    this.answering = true;
    void this.answerNow();
  }

  override refer(): Promise<{ accepted: boolean; status?: number }> {
    return Promise.reject(new NotSupportedByEngine('REFER to a web page'));
  }

  protected override isDialogAlive(): Promise<boolean> {
    return Promise.resolve(this.line.isConnected);
  }

  /** The page takes keys as telephone events of the relay. */
  protected override sendDtmfInfo(): Promise<boolean> {
    return Promise.resolve(false);
  }

  protected override endCall(): void {
    void this.finish(localAudio(outcomeOfHangup(this.hangupCause!, this.answered)));
  }

  /** A failure is not the end: the answer tries again. */
  private async openRinging(): Promise<void> {
    try {
      await this.openAudio(undefined, true);
    } catch {
      return;
    }
    if (this.finished) await this.audio?.close();
    else this.open();
  }

  private async answerNow(): Promise<void> {
    try {
      await this.opening;
      if (!this.audio) await this.openAudio(undefined, true);
      const { localAddress: address, localPort: port } = this.audio!;
      this.remote = await this.relay.open({ address, port });
    } catch (error) {
      this.context.log.warn('media session of a web call could not be opened', {
        leg_id: this.id,
        error: (error as Error).message,
      });
      return this.finish(NO_AUDIO);
    }
    // Hung up meanwhile.
    if (this.finished) return void (await this.audio?.close());
    this.line.changeStatus('in_progress');
    this.connect(this.remoteNow(this.remote));
  }

  /** While the page is away the agent is on hold: its audio waits, and it hears silence. */
  private setAway(isAway: boolean): void {
    this.isAway = isAway;
    if (this.answered && !this.finished && this.remote) this.changeAudio(this.remoteNow(this.remote));
  }

  private remoteNow(remote: RemoteMedia): RemoteMedia {
    return this.isAway ? { ...remote, sendAudio: false } : remote;
  }
}

/** The call of a page that waits for an answer. It has no numbers. */
export class WebInvitation implements Invitation {
  readonly callers: readonly string[] = [];
  readonly dialled: readonly string[] = [];

  constructor(
    private readonly line: WebLine,
    private readonly toLeg: (request: IncomingRequest) => IncomingLeg,
  ) {}

  /** A page sends none. */
  header(): undefined {
    return undefined;
  }

  accept(request: IncomingRequest): IncomingLeg {
    return this.toLeg(request);
  }

  refuse(): void {
    this.line.end({ status: 'failed', cause: 'agent_provider_error' });
  }
}
