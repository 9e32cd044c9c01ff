import { CallAudio, type Microphone, type MicrophoneFrame, type PlayOutReport, type Speaker } from './audio.js';
import { CallSocket } from './call-socket.js';
import type { ConnectionState } from './connection-state.js';
import { endOf, Failures } from './failures.js';
import type { ErrorMessage, ListenerCommand, ListenerMessage, ListenerState, TranscriptMessage } from './messages.js';
import { pageLanguage, sentence, type WebCallErrorCode, type WebCallLanguage } from './sentences.js';

/** What a listener says, and to whom: `speaking` to the user instead of the agent, `whispering` to a colleague. */
export type ListenerMode = 'listening' | 'speaking' | 'whispering';

export interface ListenTarget {
  /** `wss://…/api/v1/calls/{callId}/audio` */
  url: string;
  /** A token with the scope `calls:listen`; absent on pages that have a session with the service, such as the console. */
  token?: string;
}

/** Why listening ended. */
export interface ListenerEnd {
  /** The status of the call, when the service named it. */
  status?: string;
  /** Absent when the call has ended, or after `close`. */
  error?: WebCallErrorCode;
  message?: string;
}

export type ListenerEvent =
  | { type: 'connection'; status: 'connecting' | 'open' | 'reconnecting' }
  /** A status of the call. */
  | { type: 'status'; status: string }
  /** Who listens, and who speaks. */
  | ListenerState
  | TranscriptMessage
  | { type: 'mode'; mode: ListenerMode }
  /** Every 100 ms: the largest amplitude of user, agent and own microphone, 0 to 1. */
  | { type: 'levels'; user: number; agent: number; input: number }
  /** A request was refused (a whisper without a colleague), or the microphone failed; listening goes on. */
  | { type: 'problem'; code: string; message: string }
  | { type: 'play_out'; report: PlayOutReport }
  | ({ type: 'ended' } & ListenerEnd);

export interface ListenOptions {
  onEvent?: (event: ListenerEvent) => void;
  signal?: AbortSignal;
  language?: WebCallLanguage;
  /** Constraints of the microphone in addition to echo cancellation, noise suppression and automatic gain. */
  microphone?: MediaTrackConstraints;
  workletUrl?: string;
}

/** A person who listens to a call. */
export interface CallListener {
  readonly callId: string;
  /** The token may take over and whisper. */
  readonly maySpeak: boolean;
  readonly mode: ListenerMode;
  /**
   * Opens the microphone, and speaks to the user instead of the agent. Event `state` names the speaker when it took effect.
   * @throws WebCallError without a microphone
   */
  takeOver: () => Promise<void>;
  /** The agent continues, and the microphone is closed. */
  handBack: () => void;
  /**
   * Opens the microphone, and speaks to the colleague of a transfer or a conference only.
   * @throws WebCallError without a microphone
   */
  whisper: () => Promise<void>;
  endWhisper: () => void;
  /** A muted microphone sends silence. */
  mute: (muted: boolean) => void;
  /** Stops listening; a line that was taken over goes back to the agent. */
  close: () => void;
  readonly ended: Promise<ListenerEnd>;
}

/**
 * Plays a live call, the user on the left and the agent on the right. Call it in the handler of a click.
 * @throws WebCallError with a sentence for the person at the page
 */
export async function listenToCall(target: ListenTarget, options: ListenOptions = {}): Promise<CallListener> {
  const listener = new BrowserListener(options);
  return listener.start(target);
}

class BrowserListener implements CallListener {
  callId = '';
  maySpeak = false;
  mode: ListenerMode = 'listening';
  readonly ended: Promise<ListenerEnd>;

  private readonly language: WebCallLanguage;
  private readonly failures: Failures;
  private readonly audio: CallAudio;
  private speaker: Speaker | undefined;
  private microphone: Microphone | undefined;
  private socket: CallSocket<ListenerMessage, ListenerCommand> | undefined;
  private muted = false;
  private inputPeak = 0;
  private refusal: ErrorMessage | undefined;
  private isOver = false;
  private resolveEnded!: (end: ListenerEnd) => void;
  private onReady: (() => void) | undefined;

  constructor(private readonly options: ListenOptions) {
    this.language = options.language ?? pageLanguage();
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    this.failures = new Failures(this.language);
    this.audio = new CallAudio(options.workletUrl);
  }

  async start(target: ListenTarget): Promise<CallListener> {
    const { signal } = this.options;
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', this.close);
      this.emit({ type: 'connection', status: 'connecting' });
      this.speaker = await this.audio.speaker(2, (report) => this.tick(report));
      signal?.throwIfAborted();
      await this.connect(target);
      return this;
    } catch (error) {
      const failure = this.failures.of(error);
      this.finish(signal?.aborted ? {} : endOf(failure));
      throw signal?.aborted ? signal.reason : failure;
    }
  }

  takeOver(): Promise<void> {
    return this.speak('speaking', 'take_over');
  }

  handBack(): void {
    this.stopSpeaking('speaking', 'hand_back');
  }

  whisper(): Promise<void> {
    return this.speak('whispering', 'whisper');
  }

  endWhisper(): void {
    this.stopSpeaking('whispering', 'end_whisper');
  }

  mute(muted: boolean): void {
    this.muted = muted;
    this.microphone?.mute(muted);
  }

  readonly close = (): void => this.finish({});

  private async speak(mode: ListenerMode, type: ListenerCommand['type']): Promise<void> {
    if (this.isOver) throw this.failures.error('call_not_found');
    if (!this.microphone) {
      try {
        const microphone = await this.audio.microphone(this.options.microphone ?? {}, (frame) => this.sendFrame(frame));
        if (this.isOver) return microphone.close();
        microphone.mute(this.muted);
        microphone.onEnded(() => this.microphoneLost());
        this.microphone = microphone;
      } catch (error) {
        throw this.failures.of(error);
      }
    }
    this.socket?.send({ type });
    this.enter(mode);
  }

  private stopSpeaking(mode: ListenerMode, type: ListenerCommand['type']): void {
    if (this.mode !== mode) return;
    this.socket?.send({ type });
    this.silence();
  }

  /** A supervisor without a microphone does not keep the line. */
  private microphoneLost(): void {
    this.stopSpeaking('speaking', 'hand_back');
    this.stopSpeaking('whispering', 'end_whisper');
    this.emit({ type: 'problem', code: 'microphone_missing', message: sentence('microphone_missing', this.language) });
  }

  private silence(): void {
    this.microphone?.close();
    this.microphone = undefined;
    this.enter('listening');
  }

  private enter(mode: ListenerMode): void {
    if (this.mode === mode) return;
    this.mode = mode;
    this.emit({ type: 'mode', mode });
  }

  private connect({ url, token }: ListenTarget): Promise<void> {
    return new Promise((resolve, reject) => {
      this.onReady = resolve;
      void this.ended.then(({ error = 'failed', message }) => reject(this.failures.error(error, message)));
      this.socket = new CallSocket<ListenerMessage, ListenerCommand>({
        url,
        token: () => token,
        onMessage: (message) => this.receive(message),
        onAudio: (frame) => this.speaker?.play(frame),
        onState: (state) => this.connectionChanged(state),
      });
      this.socket.open();
    });
  }

  private receive(message: ListenerMessage): void {
    switch (message.type) {
      case 'ready':
        this.callId = message.call_id;
        this.maySpeak = message.may_speak;
        this.onReady?.();
        return;
      case 'state':
      case 'status':
      case 'transcript':
        return this.emit(message);
      case 'clear':
        return this.speaker?.clear();
      case 'error':
        this.refusal = message;
        if (!this.callId) return;
        // The service refused to let this person speak.
        if (this.mode !== 'listening') this.silence();
        return this.emit({ type: 'problem', code: message.code, message: this.failures.refused(message).message });
      case 'ended':
        return this.finish(message.status === undefined ? {} : { status: message.status });
    }
  }

  private connectionChanged(state: ConnectionState): void {
    if (state.name === 'open') {
      this.refusal = undefined;
      this.emit({ type: 'connection', status: 'open' });
    }
    if (state.name === 'waiting') {
      // The service gives the line back to the agent when the connection is lost.
      if (this.mode !== 'listening') this.silence();
      if (state.resumes) this.emit({ type: 'connection', status: 'reconnecting' });
    }
    if (state.name !== 'ended') return;
    const failure =
      state.error &&
      (this.refusal ? this.failures.refused(this.refusal, state.error) : this.failures.error(state.error));
    this.finish(failure ? endOf(failure) : {});
  }

  private sendFrame({ frame, peak }: MicrophoneFrame): void {
    this.inputPeak = Math.max(this.inputPeak, peak);
    if (this.mode !== 'listening') this.socket?.sendAudio(frame);
  }

  private tick(report: PlayOutReport): void {
    const [user = 0, agent = 0] = report.peaks;
    this.emit({ type: 'levels', user, agent, input: this.inputPeak });
    this.inputPeak = 0;
    this.emit({ type: 'play_out', report });
  }

  private finish(end: ListenerEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.signal?.removeEventListener('abort', this.close);
    this.microphone?.close();
    this.audio.close();
    this.socket?.close();
    this.mode = 'listening';
    this.resolveEnded(end);
    this.emit({ type: 'ended', ...end });
  }

  private emit(event: ListenerEvent): void {
    this.options.onEvent?.(event);
  }
}
