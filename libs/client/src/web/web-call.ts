import { CallAudio, type Microphone, type MicrophoneFrame, type PlayOutReport, type Speaker } from './audio.js';
import { CallSocket } from './call-socket.js';
import type { ConnectionState } from './connection-state.js';
import { createWebCall, type PublishableCall } from './create-web-call.js';
import { endOf, Failures } from './failures.js';
import type { CallCommand, CallMessage, ErrorMessage, TranscriptMessage } from './messages.js';
import { errorCodeOf, pageLanguage, sentence, type WebCallErrorCode, type WebCallLanguage } from './sentences.js';
import { SpeechWatch } from './speech-watch.js';

/** The time that the service has for its last message after `hangUp`. */
const FAREWELL_MS = 2_000;

/** A call that a backend has created with `POST /api/v1/web-calls`. The token opens one connection within 60 s. */
export interface CreatedCall {
  url: string;
  token: string;
}

/** A call, or how to create it once the microphone is open: a person who has to allow it may take longer than the token lives. */
export type WebCallTarget = CreatedCall | PublishableCall | (() => Promise<CreatedCall>);

/** `connecting` and `reconnecting` are those of the page; the others are statuses of the call. */
export type WebCallStatus = 'connecting' | 'reconnecting' | 'ringing' | 'in_progress' | (string & {});

/** How a call ended. */
export interface WebCallEnd {
  /** The status of the call: `completed`, `failed`, …; `ended` when the page lost it. */
  status: string;
  cause: string | null;
  /** Why the call could not go on; absent after a normal end. */
  error?: WebCallErrorCode;
  /** A sentence for the person at the page; absent after a normal end. */
  message?: string;
}

export type WebCallEvent =
  | { type: 'status'; status: WebCallStatus }
  /** The words of a turn so far; `final` when they will not change. */
  | TranscriptMessage
  /** Every 100 ms: the largest amplitude of microphone and agent, 0 to 1. */
  | { type: 'levels'; input: number; output: number }
  /** The agent sent a key. */
  | { type: 'dtmf'; digit: string }
  /** The call goes on with a problem: `no_speech`, `microphone_missing`. */
  | { type: 'problem'; code: WebCallErrorCode; message: string }
  /** Every 100 ms: the buffer of the play-out. */
  | { type: 'play_out'; report: PlayOutReport }
  | ({ type: 'ended' } & WebCallEnd);

export interface WebCallOptions {
  onEvent?: (event: WebCallEvent) => void;
  /** Ends the call, also while it is being connected. */
  signal?: AbortSignal;
  /** The language of the sentences. Default: that of the page, or else of the browser. */
  language?: WebCallLanguage;
  /** Constraints of the microphone in addition to echo cancellation, noise suppression and automatic gain: `{ deviceId }`. */
  microphone?: MediaTrackConstraints;
  /** URL of `worklet.js` of the package on your server. Default: a blob, which a strict content security policy forbids. */
  workletUrl?: string;
}

/** A call between the person at the page and an agent. */
export interface WebCall {
  readonly callId: string;
  readonly status: WebCallStatus;
  readonly muted: boolean;
  /** A muted microphone sends silence. */
  mute: (muted: boolean) => void;
  /** Sends keys, `0` to `9`, `*` and `#`. */
  sendDigits: (digits: string) => void;
  hangUp: () => void;
  /** Resolves when the call has ended, for any reason. */
  readonly ended: Promise<WebCallEnd>;
}

/**
 * Connects the microphone and the speaker of the page with an agent. Call it in the handler of a click: browsers start audio only there.
 * @returns the call when the service has accepted it; the agent may still have to answer (`status`)
 * @throws WebCallError with a sentence for the person at the page
 */
export async function startWebCall(target: WebCallTarget, options: WebCallOptions = {}): Promise<WebCall> {
  const call = new BrowserCall(options);
  return call.start(target);
}

class BrowserCall implements WebCall {
  status: WebCallStatus = 'connecting';
  muted = false;
  callId = '';
  readonly ended: Promise<WebCallEnd>;

  private readonly language: WebCallLanguage;
  private readonly failures: Failures;
  private readonly audio: CallAudio;
  private readonly speech = new SpeechWatch();
  private microphone: Microphone | undefined;
  private speaker: Speaker | undefined;
  private socket: CallSocket<CallMessage, CallCommand> | undefined;
  private resumeToken: string | undefined;
  /** The last status of the call itself. */
  private callStatus: string | undefined;
  private inputPeak = 0;
  private refusal: ErrorMessage | undefined;
  private resolveEnded!: (end: WebCallEnd) => void;
  private isOver = false;
  private farewell: ReturnType<typeof setTimeout> | undefined;
  private onReady: (() => void) | undefined;

  constructor(private readonly options: WebCallOptions) {
    this.language = options.language ?? pageLanguage();
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    this.failures = new Failures(this.language);
    this.audio = new CallAudio(options.workletUrl);
  }

  async start(target: WebCallTarget): Promise<WebCall> {
    const { signal } = this.options;
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', this.hangUp);
      globalThis.addEventListener('pagehide', this.hangUp);
      this.emit({ type: 'status', status: this.status });
      // Before the call exists: a person who denies the microphone costs nothing.
      await this.openMicrophone();
      this.speaker = await this.audio.speaker(1, (report) => this.tick(report));
      const created = await this.create(target, signal);
      signal?.throwIfAborted();
      await this.connect(created);
      return this;
    } catch (error) {
      const failure = this.failures.of(error);
      const aborted = signal?.aborted === true;
      this.finish({ status: 'ended', cause: null, ...(!aborted && endOf(failure)) });
      throw aborted ? signal.reason : failure;
    }
  }

  mute(muted: boolean): void {
    this.muted = muted;
    this.microphone?.mute(muted);
    this.speech.reset();
  }

  sendDigits(digits: string): void {
    if (!/^[0-9*#A-D]{1,64}$/.test(digits)) throw new RangeError('Up to 64 keys: 0 to 9, A to D, * and #.');
    this.socket?.send({ type: 'dtmf', digits });
  }

  readonly hangUp = (): void => {
    if (this.isOver) return;
    if (!this.socket?.isOpen) return this.finish({ status: 'ended', cause: null });
    this.socket.send({ type: 'hangup' });
    this.farewell ??= setTimeout(() => this.finish({ status: 'ended', cause: null }), FAREWELL_MS);
  };

  private create(target: WebCallTarget, signal: AbortSignal | undefined): CreatedCall | Promise<CreatedCall> {
    if (typeof target === 'function') return target();
    return 'key' in target ? createWebCall(target, signal) : target;
  }

  private async openMicrophone(): Promise<void> {
    const microphone = await this.audio.microphone(this.options.microphone ?? {}, (frame) => this.sendFrame(frame));
    if (this.isOver) return microphone.close();
    microphone.mute(this.muted);
    microphone.onEnded(() => void this.replaceMicrophone());
    this.microphone = microphone;
  }

  /** The device is gone: the browser chooses another one, if there is one. */
  private async replaceMicrophone(): Promise<void> {
    this.microphone?.close();
    this.microphone = undefined;
    try {
      await this.openMicrophone();
    } catch (error) {
      if (this.isOver) return;
      const { code, message } = this.failures.of(error);
      this.emit({ type: 'problem', code, message });
    }
  }

  private connect({ url, token }: CreatedCall): Promise<void> {
    return new Promise((resolve, reject) => {
      this.onReady = resolve;
      void this.ended.then(({ error = 'failed', message }) => reject(this.failures.error(error, message)));
      this.socket = new CallSocket<CallMessage, CallCommand>({
        url,
        token: () => this.resumeToken ?? token,
        onMessage: (message) => this.receive(message),
        onAudio: (frame) => this.speaker?.play(frame),
        onState: (state) => this.connectionChanged(state),
      });
      this.socket.open();
    });
  }

  private receive(message: CallMessage): void {
    switch (message.type) {
      case 'ready':
        this.callId = message.call_id;
        this.resumeToken = message.resume_token;
        this.onReady?.();
        return;
      case 'status':
        this.callStatus = message.status;
        return this.changeStatus(message.status);
      case 'clear':
        return this.speaker?.clear();
      case 'error':
        this.refusal = message;
        return;
      case 'ended': {
        const { status = 'ended', cause = null } = message;
        const code = errorCodeOf(cause ?? '');
        const failure = code ? this.failures.error(code) : this.refusal && this.failures.refused(this.refusal);
        return this.finish({ status, cause, ...(failure && endOf(failure)) });
      }
      case 'transcript':
      case 'dtmf':
        return this.emit(message);
    }
  }

  private connectionChanged(state: ConnectionState): void {
    if (state.name === 'waiting' && state.resumes) this.changeStatus('reconnecting');
    if (state.name === 'open' && this.callStatus !== undefined) this.changeStatus(this.callStatus);
    if (state.name !== 'ended') return;
    const failure =
      state.error &&
      (this.refusal ? this.failures.refused(this.refusal, state.error) : this.failures.error(state.error));
    this.finish({ status: 'ended', cause: null, ...(failure && endOf(failure)) });
  }

  private sendFrame({ frame, peak }: MicrophoneFrame): void {
    this.inputPeak = Math.max(this.inputPeak, peak);
    this.socket?.sendAudio(frame);
  }

  /** Every 100 ms. */
  private tick(report: PlayOutReport): void {
    const [output = 0] = report.peaks;
    const input = this.inputPeak;
    this.inputPeak = 0;
    this.socket?.send({ type: 'played', ms: report.playedMs });
    this.emit({ type: 'levels', input, output });
    this.emit({ type: 'play_out', report });
    if (this.status !== 'in_progress' || this.muted || !this.speech.isSilent(input, output)) return;
    this.emit({ type: 'problem', code: 'no_speech', message: sentence('no_speech', this.language) });
  }

  private changeStatus(status: WebCallStatus): void {
    if (this.isOver || this.status === status) return;
    this.status = status;
    this.emit({ type: 'status', status });
  }

  private finish(end: WebCallEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.farewell);
    this.options.signal?.removeEventListener('abort', this.hangUp);
    globalThis.removeEventListener('pagehide', this.hangUp);
    this.microphone?.close();
    this.audio.close();
    this.socket?.close();
    this.status = end.status;
    this.resolveEnded(end);
    this.emit({ type: 'ended', ...end });
  }

  private emit(event: WebCallEvent): void {
    this.options.onEvent?.(event);
  }
}
