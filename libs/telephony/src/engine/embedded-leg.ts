import { EventEmitter } from 'node:events';
import type { AudioTask } from '../media-host/audio-task.js';
import type { AudioEnd, Bridge, LegAudio, MediaHost } from '../media-host/media-host.js';
import { eventsOfDigits } from '../media/signals/dtmf.js';
import type { Codec, RemoteMedia } from '../media/session/media-port.js';
import { MediaClosed } from '../media/session/media-session.js';
import { emptyStats, type RtpStats } from '../media/rtp/rtp-stats.js';
import { DEFAULT_DURATION_MS } from '../sip/dialogs/dialog-session.js';
import { isWildcard } from '../sip/transport/flow.js';
import type { SipLog } from '../sip/user-agent/sip-log.js';
import { delay, SerialQueue } from '../timing.js';
import {
  type CallLeg,
  type DialRequest,
  type LegEnd,
  type LegEvents,
  NoMediaYet,
  NotSupportedByEngine,
  type Responder,
} from './carrier-engine.js';
import type { HangupCause, Outcome } from './hangup-cause.js';

/** Dependencies of a leg. */
export interface LegContext {
  media: MediaHost;
  codecs: Codec[];
  log: SipLog;
}

/** SIP fields of the `ended` event. */
export type SipEnd = Pick<LegEnd, 'sipCode' | 'sipReason' | 'q850'>;

/** A leg in either direction: its audio, the tasks on it, and its single end. Subclasses add the SIP call. */
export abstract class EmbeddedLeg extends EventEmitter<LegEvents> implements CallLeg {
  abstract readonly direction: CallLeg['direction'];
  protected audio?: LegAudio;
  protected answered = false;
  protected hangupCause?: HangupCause;
  protected finished = false;
  protected headersAtEnd = (): Record<string, string> => ({});
  private flowing = false;
  private isOpen = false;
  private held = false;
  private checkingDialog = false;
  private hasTelephoneEvents = false;
  private readonly keys = new OutgoingDtmf({
    hasTelephoneEvents: () => this.hasTelephoneEvents,
    byInfo: (digit) => this.sendDtmfInfo(digit),
    inAudio: async (digits) => {
      if (this.finished) throw new MediaClosed();
      await this.flowingAudio().sendDtmf(digits);
    },
  });

  constructor(
    readonly id: string,
    protected readonly context: LegContext,
    private readonly recording: Pick<DialRequest, 'recordTo' | 'recordsAfterConsent'>,
  ) {
    super();
  }

  attach(kind: string, init: unknown): AudioTask {
    if (!this.audio || !(this.isOpen || this.flowing)) throw new NoMediaYet();
    return this.audio.attach(kind, init);
  }

  bridge(other: CallLeg, isConference = false): Bridge {
    if (!(other instanceof EmbeddedLeg)) throw new NotSupportedByEngine('bridging with a leg of another engine');
    return this.flowingAudio().bridge(other.flowingAudio(), isConference);
  }

  hangup(cause: HangupCause): void {
    if (this.hangupCause !== undefined || this.finished) return;
    this.hangupCause = cause;
    this.endCall();
  }

  writeAtEnd(headers: () => Record<string, string>): void {
    this.headersAtEnd = headers;
  }

  async sendDtmf(digits: string): Promise<void> {
    this.flowingAudio();
    await this.keys.send(digits);
  }

  async pauseRecording(isPaused: boolean): Promise<void> {
    if (this.finished) throw new MediaClosed();
    await this.flowingAudio().pauseRecording(isPaused);
  }

  stats(): RtpStats {
    return this.audio?.stats() ?? emptyStats();
  }

  abstract refer(to: string): Promise<{ accepted: boolean; status?: number }>;

  /** Sends a request inside the dialog; false when the remote party does not know the call or does not respond. */
  protected abstract isDialogAlive(): Promise<boolean>;

  /** Sends a key by SIP INFO; false when the remote party rejects it, or the call is over. */
  protected abstract sendDtmfInfo(digit: string): Promise<boolean>;

  /** Sends CANCEL, a refusal or BYE, which leads to `finish`. */
  protected abstract endCall(): void;

  /** `isLocal`: the remote party is in this process. */
  protected async openAudio(near?: CallLeg, isLocal = false): Promise<void> {
    const beside = near instanceof EmbeddedLeg ? near.audio : undefined;
    const place = isLocal ? { legId: this.id, isLocal } : { legId: this.id };
    this.audio = await this.context.media.open(beside ? { ...place, near: beside } : place, {
      onDtmf: (digit, durationMs) => this.emit('dtmf', digit, durationMs),
      onTimeout: (final) => void this.onMediaTimeout(final),
      onLost: () => this.audioLost(),
    });
  }

  /** The address for the remote party's audio; a session bound to every address uses that of SIP. */
  protected rtpAddress(sipAddress: string): { address: string; port: number } {
    const { localAddress, localPort } = this.audio!;
    return { address: isWildcard(localAddress) ? sipAddress : localAddress, port: localPort };
  }

  /** It rings: tasks may be attached before the audio flows. */
  protected open(): void {
    this.isOpen = true;
    this.emit('open');
  }

  /** Audio before the answer. */
  protected early(remote: RemoteMedia): void {
    this.startAudio(remote);
    this.emit('early');
  }

  /** Starts the audio of the answered call. */
  protected connect(remote: RemoteMedia, responder?: Responder): void {
    this.answered = true;
    this.startAudio(remote);
    // The recording begins with the answer, not with early media.
    const { recordTo, recordsAfterConsent } = this.recording;
    // Rejects when the audio is lost, which ends the leg.
    if (recordsAfterConsent) this.audio!.pauseRecording(true, 'consent').catch(() => undefined);
    if (recordTo !== undefined) this.audio!.record(recordTo);
    this.held = !remote.sendAudio;
    this.emit('answered', responder);
    if (this.held) this.emit('hold', true);
  }

  /** The remote party changed its side of the audio. */
  protected changeAudio(remote: RemoteMedia): void {
    this.startAudio(remote);
    if (this.held === !remote.sendAudio) return;
    this.held = !remote.sendAudio;
    this.emit('hold', this.held);
  }

  /** The only exit: closes the audio, then emits `ended`. */
  protected async finish(outcome: Outcome, sip: SipEnd = {}): Promise<void> {
    if (this.finished) return;
    this.finished = true;
    const end: AudioEnd = (await this.audio?.close()) ?? { stats: emptyStats() };
    // Spreads after the first one cost several times as much.
    this.emit('ended', Object.assign({}, outcome, sip, end));
  }

  private startAudio(remote: RemoteMedia): void {
    this.flowing = true;
    this.hasTelephoneEvents = remote.dtmfPayloadType !== undefined;
    this.audio!.start(remote);
  }

  private flowingAudio(): LegAudio {
    if (!this.audio || !this.flowing) throw new NoMediaYet();
    return this.audio;
  }

  /** Ringing may be silent and has a separate limit; a remote party that records sends nothing, but its dialog is alive. */
  private async onMediaTimeout(final: boolean): Promise<void> {
    if (!this.answered || (this.checkingDialog && !final)) return;
    const { refusedAddress, received } = this.stats();
    if (refusedAddress !== undefined && received === 0) return this.giveUpRefusedAddress(refusedAddress);
    this.checkingDialog = !final;
    const lives = !final && (await this.isDialogAlive());
    this.checkingDialog = false;
    // Audio may have resumed while the request was pending.
    if (!lives && this.stats().received === received) this.hangup('media_timeout');
  }

  private giveUpRefusedAddress(address: string): void {
    this.context.log.warn('no audio received, and the described audio address is not allowed', {
      leg_id: this.id,
      address,
    });
    this.hangup('media_address_refused');
  }

  private audioLost(): void {
    this.context.log.warn('call leg lost its audio', { leg_id: this.id });
    this.hangup('media_unavailable');
  }
}

/** The same gap as between keys that are sent in the audio. */
const GAP_MS = 300;

/** The methods by which a leg can send a key. */
interface DtmfChannels {
  /** Whether the remote party accepts keys as events in its audio (RFC 4733). */
  hasTelephoneEvents(): boolean;
  /** By SIP INFO; false when the remote party rejects it, or the call is over. */
  byInfo(digit: string): Promise<boolean>;
  /** As RFC 4733 events or as tones. Rejects when the audio has ended. */
  inAudio(digits: string): Promise<void>;
}

/** Sends keys by the best method of the remote party: telephone events, else SIP INFO, else tones. One key after the other. */
class OutgoingDtmf {
  private readonly queue = new SerialQueue();

  constructor(private readonly channels: DtmfChannels) {}

  /** Resolves when all keys are sent. Rejects with InvalidDigits before the first one. */
  async send(digits: string): Promise<void> {
    eventsOfDigits(digits);
    await this.queue.run(() => this.sendNow(digits));
  }

  private async sendNow(digits: string): Promise<void> {
    const { channels } = this;
    const keys = Array.from(digits.toUpperCase());
    while (keys.length > 0 && !channels.hasTelephoneEvents()) {
      if (!(await channels.byInfo(keys[0] as string))) break;
      keys.shift();
      await delay(DEFAULT_DURATION_MS + GAP_MS);
    }
    if (keys.length > 0) await channels.inAudio(keys.join(''));
  }
}
