import type { Clock } from './clock.js';
import type { ConversationLog } from './conversation/conversation-log.js';
import type { PlayedItem } from './conversation/playback.js';
import type { LateResult } from './tools/tool-facts.js';

/** A command to the session from outside of the conversation. */
export type SessionCommand =
  /** Speaks exact words. `commandId` is written into the turns of the transcript. */
  | { type: 'say'; commandId: string; text: string; when: 'next_pause' | 'now' }
  /** A note for the model; `respond`: it speaks about the note at once. `variables`: of the call, which the note is about. */
  | { type: 'inject'; note: string; respond: boolean; variables?: Record<string, unknown> }
  /** The model neither speaks nor calls tools until `unmute_agent`; it goes on hearing the user. */
  | { type: 'mute_agent' }
  | { type: 'unmute_agent' }
  /** The agent finishes its speech, then it neither hears nor speaks until `return_line` or `leave`. */
  | { type: 'take_line' }
  /** The agent continues, and answers the note. */
  | { type: 'return_line'; note: string }
  /** The result of a background tool, or its progress, for the next pause. */
  | ({ type: 'tool_result' } & LateResult)
  /** The session ends silently: the user is connected to another party. */
  | { type: 'leave' }
  /**
   * The agent stops in the middle of its sentence, and a person speaks to the user (`AgentSession.hearPerson`) until `hand_back`, or until
   * the frames of the person stay away. The model hears the user, and learns what the person says, but neither speaks nor calls tools.
   */
  | { type: 'take_over'; name: string }
  /** The agent continues. Nothing happens unless a person has taken over. */
  | { type: 'hand_back'; reason: 'handed_back' | 'disconnected' }
  /** Speaks words of the service in the next pause, or after some seconds without one. `language`: BCP 47, absent: the agent's. */
  | { type: 'announce'; text: string; language?: string };

/** `atMs`: when the command took effect, in milliseconds since the answer. */
export type SessionCommandOutcome =
  | { ok: true; atMs: number; result?: Record<string, unknown> }
  | { ok: false; code: string; message: string; result?: Record<string, unknown> };

export const failedCommand = (
  code: string,
  message: string,
  result?: Record<string, unknown>,
): SessionCommandOutcome => ({
  ok: false,
  code,
  message,
  ...(result && { result }),
});

/** For the outcome of commands whose session has not begun or has ended. */
export const NO_SESSION = failedCommand(
  'agent_left',
  'The agent does not talk on this call: it has left, or the call is over.',
);

/** Words of a command, from the request to the end of their audio at the phone. */
export class ExactWords {
  private readonly playing = new Set<string>();
  private readonly spoken: string[] = [];
  private playedMs = 0;
  private generatedMs = 0;
  private endedAt = 0;
  private isCut = false;
  private isGenerated = false;
  private isSettled = false;
  private cancelLimit = (): void => undefined;

  constructor(
    /** Absent: words of the session itself. */
    readonly commandId: string | undefined,
    readonly text: string,
    private readonly log: ConversationLog,
    private readonly onSettled: (outcome: SessionCommandOutcome) => void,
    /** Absent: that of the agent. */
    readonly language?: string,
  ) {}

  /** Replaces the limit for the next step. */
  limit(clock: Clock, ms: number, outcome: SessionCommandOutcome): void {
    this.cancelLimit();
    this.cancelLimit = clock.after(ms, () => this.settle(outcome));
  }

  /** An item of audio with these words begins. */
  begins(itemId: string): void {
    this.playing.add(itemId);
  }

  /** The item turned out to have other words. */
  forget(itemId: string): void {
    this.playing.delete(itemId);
  }

  /** An item has been played or dropped; `text`: the part that was heard. */
  ended({ itemId, playedMs, generatedMs, endedAt, truncated }: PlayedItem, text: string): void {
    if (!this.playing.delete(itemId)) return;
    this.playedMs += playedMs;
    this.generatedMs += generatedMs;
    this.endedAt = Math.max(this.endedAt, endedAt);
    this.isCut ||= truncated;
    if (text) this.spoken.push(text);
    this.check();
  }

  /** No more audio follows. */
  generated(): void {
    this.isGenerated = true;
    this.check();
  }

  /** No audio of these words has begun. */
  get isUnsaid(): boolean {
    return !this.isSettled && this.playing.size === 0 && this.playedMs === 0;
  }

  /** How much was played so far, and generated. `progressOf`: of an item that still plays. */
  progress(progressOf: (itemId: string) => Pick<PlayedItem, 'playedMs' | 'generatedMs'>): {
    heardMs: number;
    generatedMs: number;
    isGenerated: boolean;
  } {
    let { playedMs: heardMs, generatedMs } = this;
    for (const itemId of this.playing) {
      const playing = progressOf(itemId);
      heardMs += playing.playedMs;
      generatedMs += playing.generatedMs;
    }
    return { heardMs, generatedMs, isGenerated: this.isGenerated && !this.isCut };
  }

  /** The rest is dropped. */
  cut(): void {
    this.isCut = true;
    this.generated();
  }

  fail(code: string, message: string): void {
    this.settle(failedCommand(code, message));
  }

  private check(): void {
    if (!this.isGenerated || this.playing.size > 0) return;
    const result = { played_ms: Math.round(this.playedMs), text: this.spoken.join(' ') };
    if (this.isCut)
      return this.settle(
        failedCommand(
          'interrupted',
          `The words were interrupted after ${result.played_ms} ms, mostly by the user.`,
          result,
        ),
      );
    this.settle({ ok: true, atMs: this.log.at(this.endedAt), result });
  }

  settle(outcome: SessionCommandOutcome): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.cancelLimit();
    this.onSettled(outcome);
  }
}
