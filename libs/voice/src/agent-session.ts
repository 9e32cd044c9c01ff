import { isWideband, type MediaPort, type WireCodec } from '@app/telephony';
import { type EarlyMedia, EarlyScreening } from './answering-machine/early-media.js';
import { systemClock, type Clock } from './clock.js';
import { Conversation } from './conversation/conversation.js';
import { SpeechGuard } from './conversation/speech-guard.js';
import type { FlowSession } from './flow/flow-session.js';
import type { RunningFlow } from './flow/running-flow.js';
import { EarlyConnection } from './provider-link/early-connection.js';
import { connectRequest } from './provider-link/provider-link.js';
import { DEFAULT_PHRASES, type SessionOptions } from './session-options.js';
import { sessionTools } from './tools/session-tools.js';
import { NO_SESSION, type SessionCommand, type SessionCommandOutcome } from './session-command.js';
import type { EndCause, SessionEnd } from './session-events.js';

/** The reasons to end a session from outside, and the end that they cause. */
const STOPS = {
  user_hangup: { endedBy: 'callee', cause: 'normal_clearing' },
  media_timeout: { endedBy: 'system', cause: 'media_timeout' },
  session_expired: { endedBy: 'system', cause: 'session_expired' },
  cancelled: { endedBy: 'system', cause: 'cancelled' },
  transferred: { endedBy: 'agent', cause: 'transferred' },
  drained: { endedBy: 'system', cause: 'drained' },
} as const satisfies Record<string, { endedBy: SessionEnd['endedBy']; cause: EndCause }>;

export type StopReason = keyof typeof STOPS;

/** The voice agent of one call: `start` at the answer, `stop` when the line ends first. */
export class AgentSession {
  private readonly options: SessionOptions;
  private readonly clock: Clock;
  private readonly flow: FlowSession | undefined;
  private conversation: Conversation | undefined;
  private early: EarlyConnection | undefined;
  private earlyMedia: EarlyScreening | undefined;
  private stopped: StopReason | undefined;

  /** `flow`: absent for one agent without steps and handoffs. */
  constructor(options: SessionOptions, flow?: RunningFlow) {
    const tools = options.tools.with(sessionTools(options.settings));
    this.options = { ...options, settings: { ...options.settings }, tools };
    if (options.judge ?? flow) this.options.guard = new SpeechGuard(options.judge);
    this.flow = flow && new flow.Session(flow, this.options);
    this.options = { ...this.options, ...this.flow?.firstProviders };
    this.clock = options.clock ?? systemClock;
  }

  /**
   * Prepares the first words of a session. Optional: may run during ringing, is aborted by the answer, and may run in another
   * thread when the speech is shared. Never rejects: speech that is not prepared is generated on demand.
   */
  static async prepare(
    { provider, settings, speech, log }: Pick<SessionOptions, 'provider' | 'settings' | 'speech' | 'log'>,
    signal: AbortSignal,
  ): Promise<void> {
    const phrases = Object.values({ ...DEFAULT_PHRASES, ...settings.phrases });
    if (settings.disclosure) phrases.unshift(settings.disclosure.text);
    const { answeringMachine: machines } = settings;
    if (machines?.onMachine === 'leave_message') phrases.push(machines.message);
    if (machines?.onScreening === 'answer' && machines.screeningMessage) phrases.push(machines.screeningMessage);
    try {
      await provider.prepare(settings.agent, signal);
      for (const phrase of phrases) await speech.prepare(phrase, settings.agent.language, signal);
    } catch (err) {
      log.warn({ err, provider: provider.name }, 'voice agent not prepared');
    }
  }

  /**
   * Connects the provider while the phone rings, unless it charges for connected time. `expected`: the probable codec of the call. Resolves
   * when it is connected, or will not be before the answer; never rejects.
   */
  connect(expected: WireCodec): Promise<void> {
    if (this.conversation || this.stopped) return Promise.resolve();
    const { provider, log } = this.options;
    const line = { codec: expected === 'PCMA' ? expected : 'PCMU', wideband: isWideband(expected) } as const;
    this.early ??= new EarlyConnection(provider, () => connectRequest(this.options, line, provider, []), log);
    return this.early.open();
  }

  /**
   * Hears the audio before the answer, which is evidence for an answering machine. `onEnd`: a machine talks without answering, and the call
   * is to be given up. Does nothing unless the agent detects machines.
   */
  hearEarlyMedia(media: MediaPort, onEnd: (end: SessionEnd) => void): void {
    const { answeringMachine: settings } = this.options.settings;
    if (!settings || this.conversation || this.earlyMedia) return;
    this.earlyMedia = new EarlyScreening(media, settings, (fact) => this.options.onEvent({ at_ms: 0, ...fact }), onEnd);
  }

  /** The call was not answered, or begins. Returns what was heard. */
  stopEarlyMedia(): EarlyMedia | undefined {
    return this.earlyMedia?.stop();
  }

  /**
   * Runs the session; `media` must be running. Resolves at its end and never rejects; no event follows. The caller hangs up
   * the line. Aborting the signal is `stop('drained')`.
   */
  start(media: MediaPort, signal?: AbortSignal): Promise<SessionEnd> {
    return new Promise((resolve) => {
      const onAbort = () => this.stop('drained');
      const ended = (end: SessionEnd): void => {
        signal?.removeEventListener('abort', onAbort);
        this.early?.close();
        resolve(end);
      };
      const early = { connection: this.early, media: this.stopEarlyMedia(), flow: this.flow };
      this.conversation = new Conversation(this.options, media, this.clock, ended, early);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.conversation.start();
      if (signal?.aborted) onAbort();
      if (this.stopped) this.stop(this.stopped);
    });
  }

  /** Takes text of the user in a text conversation. Only after `start`. */
  hearText(text: string): void {
    this.conversation?.hearText(text);
  }

  /** 20 ms of L16 of the person who has taken over; does nothing when nobody has. */
  hearPerson(frame: Buffer): void {
    this.conversation?.hearPerson(frame);
  }

  /** Executes a command. Never rejects: a session that has not begun or has ended fails it. */
  command(command: SessionCommand): Promise<SessionCommandOutcome> {
    if (!this.conversation || this.conversation.isOver) return Promise.resolve(NO_SESSION);
    return this.conversation.run(command);
  }

  /** Ends the session at once, without a goodbye. Does nothing after its end. */
  stop(reason: StopReason): void {
    this.stopped ??= reason;
    if (!this.conversation) this.stopEarlyMedia();
    if (!this.conversation) this.early?.close();
    this.conversation?.finish(STOPS[reason]);
  }
}
