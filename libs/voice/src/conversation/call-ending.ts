import type { MediaPort } from '@app/telephony';
import type { AgentSpeech } from './agent-speech.js';
import type { EarlyMedia } from '../answering-machine/early-media.js';
import { Screening, type ScreeningListener } from '../answering-machine/screening.js';
import type { Clock } from '../clock.js';
import type { ConversationLog } from './conversation-log.js';
import type { ProviderLink } from '../provider-link/provider-link.js';
import type { AnswerResult, SessionEnd } from '../session-events.js';
import type { Phrases, SessionSettings } from '../session-options.js';
import type { ToolCalls } from '../tools/tool-calls.js';
import type { UserTurns } from './user-input.js';

/** Silence between the last word and the hangup, so that the goodbye is not clipped. */
const SETTLE_MS = 150;
/** A stalled response or queue (call on hold) must not keep an ending call open. */
const MAX_MS = 15_000;

interface EndingListener {
  /** The call will end; nothing interrupts the agent from here on. */
  announced(): void;
  ended(end: SessionEnd): void;
}

/** Ends a call after the agent has finished speaking. */
export class CallEnding {
  private end: SessionEnd | undefined;
  private hangingUp = false;
  private cancelTimer: (() => void) | undefined;

  constructor(
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly voice: Pick<AgentSpeech, 'prepares'>,
    private readonly tools: Pick<ToolCalls, 'busy'>,
    private readonly listener: EndingListener,
  ) {}

  /** Announces the end of the call; the first announcement counts. */
  announce(end: SessionEnd): void {
    this.end ??= end;
    this.listener.announced();
  }

  /** Ends the call after the remaining speech. `speechMs`: the longest time that speech still to be generated may take. */
  afterSpeech(end: SessionEnd, speechMs = 0): void {
    this.announce(end);
    this.cancelTimer ??= this.clock.after(this.media.queuedMs + speechMs + MAX_MS, () =>
      this.listener.ended(this.end ?? end),
    );
    this.check();
  }

  /** Ends the call of a lost provider. `apologise` resolves when the apology is queued. */
  async afterApology(apologise: () => Promise<unknown>): Promise<void> {
    const end = { endedBy: 'system', cause: 'agent_provider_error' } as const;
    this.announce(end);
    await apologise();
    this.afterSpeech(end);
  }

  /** To be called when a response or a tool has ended. */
  check(): void {
    if (!this.end || this.hangingUp || this.voice.prepares || this.tools.busy) return;
    this.hangingUp = true;
    void this.hangUp(this.end);
  }

  close(): void {
    this.cancelTimer?.();
  }

  private async hangUp(end: SessionEnd): Promise<void> {
    try {
      await this.media.drained(SETTLE_MS);
      this.listener.ended(end);
    } catch {
      // The port closed first: the remote party hung up.
      this.listener.ended({ endedBy: 'callee', cause: 'normal_clearing' });
    }
  }
}

/** Records the warning and returns it for the agent. */
export function timeWarning(log: Pick<ConversationLog, 'write'>, remainingMs: number): string {
  log.write({ type: 'time_warning', remaining_ms: remainingMs });
  return `The call ends in ${remainingMs / 1000} seconds. Come to a close and say goodbye.`;
}

/** Asks a silent user whether they are still there, and hangs up after a goodbye at last. */
export const idlePrompts = (
  voice: Pick<AgentSpeech, 'prompt'>,
  ending: Pick<CallEnding, 'afterSpeech'>,
  log: Pick<ConversationLog, 'write'>,
  phrases: Pick<Phrases, 'idle' | 'goodbye'>,
) => ({
  prompt: (count: number): void => {
    log.write({ type: 'idle_prompt', count });
    voice.prompt(phrases.idle);
  },
  giveUp: (): void => {
    voice.prompt(phrases.goodbye);
    ending.afterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
  },
});

/** The message for an answering machine, spoken by the provider or, when that fails, synthesised locally. */
export class VoicemailMessage {
  /** Undefined once it was synthesised locally. */
  private text: string | undefined;

  constructor(
    private readonly voice: AgentSpeech,
    private readonly say: (text: string) => void,
  ) {}

  /** It is not played completely. */
  get isSaying(): boolean {
    return this.voice.plays || this.voice.prepares;
  }

  start(text: string, hasProvider: boolean): void {
    if (this.isSaying) this.voice.stop('machine');
    this.text = text;
    if (hasProvider) this.voice.request({ say: text });
    else this.repeat();
  }

  /** Says it locally: the provider was lost, or its response failed. Returns whether there is a message to say. */
  repeat(): boolean {
    const { text } = this;
    this.text = undefined;
    if (text !== undefined) this.say(text);
    return text !== undefined;
  }

  control(step: 'hold' | 'continue' | 'stop'): void {
    if (step === 'hold') return this.voice.hold();
    if (step === 'continue') return this.voice.continue();
    this.text = undefined;
    if (this.isSaying) this.voice.stop('speech');
  }
}

/** The conversation, as the result of answering machine detection continues it. */
export interface ScreenedConversation {
  /** The model is silent. */
  readonly isMuted: boolean;
  readonly isClosing: boolean;
  readonly isConnected: boolean;
  note(text: string): void;
  readonly firstWords: { greet(isMachine: boolean): void; meetPerson(): void };
  finish(end: SessionEnd): void;
}

/** What the agent learns about a machine that it talks to. */
const NOTES: Partial<Record<AnswerResult, string>> = {
  voicemail: 'An answering machine picked up.',
  fax: 'A fax machine picked up.',
  ivr: 'An automated menu or announcement picked up. Keys can be sent with the tool for DTMF.',
  screening: 'A call screening service picked up. It asks who is calling.',
};
const PICKED_UP = 'A person has picked up now. Talk to the person.';

interface ScreenedParts {
  message: VoicemailMessage;
  ending: Pick<CallEnding, 'afterSpeech'>;
  log: Pick<ConversationLog, 'write'>;
  userTurns: Pick<UserTurns, 'spoke' | 'hasHeard'>;
  link: Pick<ProviderLink, 'provider'>;
  clock: Pick<Clock, 'now'>;
}

/** Undefined: the agent does not detect machines. */
export function screeningOn(
  conversation: ScreenedConversation,
  codec: MediaPort['codec'],
  { answeringMachine }: SessionSettings,
  parts: ScreenedParts,
  early: EarlyMedia | undefined,
): Screening | undefined {
  if (!answeringMachine) return undefined;
  return new Screening(codec, answeringMachine, outcomeOf(conversation, parts), early);
}

function outcomeOf(conversation: ScreenedConversation, parts: ScreenedParts): ScreeningListener {
  const { message, ending, log, userTurns, link, clock } = parts;
  const hangUp = (): void => conversation.finish({ endedBy: 'agent', cause: 'answering_machine' });
  return {
    get hearsWords() {
      return link.provider.capabilities.listensOnly === true;
    },
    get isSaying() {
      return message.isSaying;
    },
    write: (fact) => log.write(fact),
    userSpoke: ({ startMs, endMs }, nowMs) => {
      const from = clock.now() - nowMs;
      if (!userTurns.hasHeard) userTurns.spoke(from + startMs, from + endMs);
    },
    converse: ({ answeredBy, reason }, result) => {
      const note = reason === 'picked_up' ? PICKED_UP : answeredBy === 'machine' ? NOTES[result] : undefined;
      if (note !== undefined) conversation.note(note);
      if (reason !== 'picked_up') return conversation.firstWords.greet(answeredBy === 'machine');
      if (!conversation.isMuted) conversation.firstWords.meetPerson();
    },
    say: (text) => {
      if (conversation.isMuted) return hangUp();
      if (!conversation.isClosing) message.start(text, conversation.isConnected);
    },
    control: (step) => message.control(step),
    messageLeft: () => ending.afterSpeech({ endedBy: 'agent', cause: 'message_left' }),
    hangUp,
  };
}
