import type { MediaPort } from '@app/telephony';
import { systemClock, type Clock } from './clock.js';
import { Conversation } from './conversation.js';
import { DEFAULT_PHRASES, type SessionOptions } from './session-options.js';
import type { EndCause, SessionEnd } from './session-events.js';

/** Why somebody outside ends a session, and what that means. */
const STOPS = {
  user_hangup: { endedBy: 'callee', cause: 'normal_clearing' },
  media_timeout: { endedBy: 'system', cause: 'media_timeout' },
  session_expired: { endedBy: 'system', cause: 'session_expired' },
  cancelled: { endedBy: 'system', cause: 'cancelled' },
  transferred: { endedBy: 'agent', cause: 'transferred' },
  drained: { endedBy: 'system', cause: 'drained' },
} as const satisfies Record<string, { endedBy: SessionEnd['endedBy']; cause: EndCause }>;

export type StopReason = keyof typeof STOPS;

/** The voice agent of one call: `start` when it is answered, `stop` when somebody else ends it. */
export class AgentSession {
  private readonly clock: Clock;
  private conversation: Conversation | undefined;
  private stopped: StopReason | undefined;

  constructor(private readonly options: SessionOptions) {
    this.clock = options.clock ?? systemClock;
  }

  /**
   * Gets the first words of a session to come ready. Optional, may run beside the ringing and be aborted by the answer, and
   * in another thread when the speech is shared. Never rejects: what could not be prepared is made when it is needed.
   */
  static async prepare(
    { provider, settings, speech, log }: Pick<SessionOptions, 'provider' | 'settings' | 'speech' | 'log'>,
    signal: AbortSignal,
  ): Promise<void> {
    const phrases = Object.values({ ...DEFAULT_PHRASES, ...settings.phrases });
    if (settings.answeringMachine?.onMachine === 'leave_message') phrases.push(settings.answeringMachine.message);
    try {
      await provider.prepare(settings.agent, signal);
      for (const phrase of phrases) await speech.prepare(phrase, settings.agent.language, signal);
    } catch (err) {
      log.warn({ err, provider: provider.name }, 'voice agent not prepared');
    }
  }

  /**
   * Talks until somebody ends the call; `media` must be running. Never rejects. After it resolved no more events come;
   * hanging up the line is the caller's part. Aborting the signal is `stop('drained')`.
   */
  start(media: MediaPort, signal?: AbortSignal): Promise<SessionEnd> {
    return new Promise((resolve) => {
      const onAbort = () => this.stop('drained');
      this.conversation = new Conversation(this.options, media, this.clock, (end) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(end);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.conversation.start();
      if (signal?.aborted) onAbort();
      if (this.stopped) this.stop(this.stopped);
    });
  }

  /** What the callee writes instead of speaking, where there is no audio. Only after `start`. */
  hearText(text: string): void {
    this.conversation?.hearText(text);
  }

  /** Ends the session at once, without a goodbye. Does nothing when it has ended. */
  stop(reason: StopReason): void {
    this.stopped ??= reason;
    this.conversation?.finish(STOPS[reason]);
  }
}
