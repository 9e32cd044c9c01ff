import type { AgentSpeech } from './agent-speech.js';
import type { Clock } from '../clock.js';
import type { ConversationLog } from './conversation-log.js';
import { injectedNote } from '../providers/realtime-wording.js';
import {
  ExactWords,
  failedCommand as failed,
  type SessionCommand,
  type SessionCommandOutcome,
} from '../session-command.js';
import type { LineHandover } from '../tools/tool-calls.js';

/** The conversation, as commands see and change it. */
export interface CommandedConversation {
  /** The end is announced, or has come. */
  readonly isClosing: boolean;
  /** The agent may speak. */
  readonly mayTalk: boolean;
  /** Neither side speaks, and no answer is prepared. */
  readonly pauses: boolean;
  note(text: string): void;
  answer(): void;
  leave(): void;
}

const ENDED = failed('call_ended', 'The call ended before the command was executed to its end.');
const CLOSING = failed('call_ending', 'The agent is saying goodbye, and the call is about to end.');
/** For the outcome of commands whose session has not begun or has ended. */
export const NO_SESSION = failed(
  'agent_left',
  'The agent does not talk on this call: it has left, or the call is over.',
);

/** A pause to speak in must come within this time. */
const MAX_WAIT_MS = 60_000;
/** The words must be spoken within this time and their own. */
const MAX_START_MS = 15_000;
const MAX_MS_PER_CHARACTER = 150;

/** Executes the commands of one conversation. */
export class CommandRunner {
  /** The model is silent. */
  muted = false;
  private waiting: { words: ExactWords; now: boolean }[] = [];
  /** Ends each unfinished command with the call. */
  private readonly unfinished = new Set<() => void>();
  private returnLine: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly conversation: CommandedConversation,
    private readonly voice: AgentSpeech,
    private readonly handover: LineHandover,
    private readonly log: ConversationLog,
    private readonly signal: AbortSignal,
  ) {}

  run(command: SessionCommand): Promise<SessionCommandOutcome> {
    if (this.conversation.isClosing) return Promise.resolve(CLOSING);
    switch (command.type) {
      case 'say':
        return this.say(command);
      case 'inject':
        return Promise.resolve(this.inject(command));
      case 'mute_agent':
        return Promise.resolve(this.mute());
      case 'unmute_agent':
        this.muted = false;
        return Promise.resolve(this.done());
      case 'take_line':
        return this.takeLine();
      case 'return_line':
        return Promise.resolve(this.giveBack(command.note));
      default:
        this.conversation.leave();
        return Promise.resolve(this.done());
    }
  }

  /**
   * Speaks words of the session itself after the agent's own; the local voice speaks those with a language. Resolves with whether they
   * were heard completely.
   */
  speak(text: string, language?: string): Promise<boolean> {
    return new Promise((resolve) => {
      const settled = ({ ok }: SessionCommandOutcome): void => {
        this.unfinished.delete(end);
        resolve(ok);
      };
      const words = new ExactWords(undefined, text, this.log, settled, language);
      const end = (): void => words.settle(ENDED);
      this.unfinished.add(end);
      words.limit(this.clock, MAX_WAIT_MS + text.length * MAX_MS_PER_CHARACTER, TOO_LATE);
      this.voice.sayExactly(words);
    });
  }

  /** To be called every 20 ms. */
  check(): void {
    const [next] = this.waiting;
    if (!next) return;
    const { mayTalk, pauses } = this.conversation;
    if (next.now ? !mayTalk : !pauses) return;
    this.waiting.shift();
    if (this.voice.plays || this.voice.generates) this.voice.stop('command');
    next.words.limit(this.clock, MAX_START_MS + next.words.text.length * MAX_MS_PER_CHARACTER, TOO_LATE);
    this.voice.sayExactly(next.words);
  }

  /** To be called at the end of the call, before the audio is dropped. */
  close(): void {
    for (const end of [...this.unfinished]) end();
    this.waiting = [];
    this.returnLine?.();
  }

  private done(result?: Record<string, unknown>): SessionCommandOutcome {
    return { ok: true, atMs: this.log.nowMs, ...(result && { result }) };
  }

  private say({ commandId, text, when }: Extract<SessionCommand, { type: 'say' }>): Promise<SessionCommandOutcome> {
    return new Promise((resolve) => {
      const end = (): void => words.settle(ENDED);
      const words = new ExactWords(commandId, text, this.log, (outcome) => {
        this.unfinished.delete(end);
        this.waiting = this.waiting.filter((one) => one.words !== words);
        resolve(outcome);
      });
      this.unfinished.add(end);
      words.limit(this.clock, MAX_WAIT_MS, NO_PAUSE);
      this.waiting.push({ words, now: when === 'now' });
      this.check();
    });
  }

  private inject({ note, respond }: Extract<SessionCommand, { type: 'inject' }>): SessionCommandOutcome {
    this.conversation.note(injectedNote(note));
    const responds = respond && this.conversation.mayTalk && !this.muted;
    if (responds) this.conversation.answer();
    return this.done({ responded: responds });
  }

  private mute(): SessionCommandOutcome {
    this.muted = true;
    if (this.voice.plays || this.voice.generates) this.voice.stop('command');
    return this.done();
  }

  private takeLine(): Promise<SessionCommandOutcome> {
    if (this.handover.active || this.returnLine)
      return Promise.resolve(failed('not_possible', 'The call is being transferred already.'));
    return new Promise((resolve) => {
      const end = (): void => resolve(ENDED);
      this.unfinished.add(end);
      const hold = (): Promise<void> => {
        this.unfinished.delete(end);
        resolve(this.done());
        return new Promise((back) => (this.returnLine = back));
      };
      void this.handover.during(hold, this.signal);
    });
  }

  private giveBack(note: string): SessionCommandOutcome {
    this.returnLine?.();
    this.returnLine = undefined;
    // The line is free after the current turn of the event loop.
    setImmediate(() => {
      if (this.conversation.isClosing) return;
      this.conversation.note(note);
      if (!this.muted) this.conversation.answer();
    });
    return this.done();
  }
}

const NO_PAUSE = failed('no_pause', 'There was no pause to speak in within 60 seconds. Use "when": "now".');
const TOO_LATE = failed('time_limit', 'The voice of the agent did not speak the words in time.');
