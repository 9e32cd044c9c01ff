import { isDeepStrictEqual } from 'node:util';
import { type Clock, pause } from '../clock.js';
import type { ConversationLog, LogMark } from '../conversation/conversation-log.js';
import type { UserTurns } from '../conversation/user-input.js';
import type { ConfirmationStep, ConfirmationWords } from './tool-facts.js';

interface Asked {
  args: Record<string, unknown>;
  since: LogMark;
}

/** Words of the user may be recognised after the model has heard them. */
const MAX_WORDS_MS = 3_000;
const WORDS_STEP_MS = 100;
/** Tools that were asked about and never confirmed. */
const MAX_ASKED = 32;

/** The confirmations of one conversation: a tool runs only after the user has spoken since the model was told to read its values back. */
export class Confirmations {
  private readonly asked = new Map<string, Asked>();

  constructor(
    private readonly clock: Clock,
    private readonly log: ConversationLog,
    private readonly user: Pick<UserTurns, 'isAwaited'>,
    private readonly signal: AbortSignal,
  ) {}

  /** `args`: valid ones, without `confirmed`. */
  async step(name: string, args: Record<string, unknown>, isConfirmed: boolean): Promise<ConfirmationStep> {
    const asked = this.asked.get(name);
    if (!isConfirmed || !asked || !isDeepStrictEqual(asked.args, args)) {
      this.remember(name, args);
      return isConfirmed ? { state: 'refused', result: NOT_READ_BACK } : { state: 'asked', result: readBack(args) };
    }
    const evidence = await this.wordsSince(asked.since);
    if (!evidence) return { state: 'refused', result: NOT_ANSWERED };
    this.asked.delete(name);
    return { state: 'confirmed', evidence };
  }

  private remember(name: string, args: Record<string, unknown>): void {
    const [oldest] = this.asked.keys();
    if (oldest !== undefined && this.asked.size >= MAX_ASKED) this.asked.delete(oldest);
    this.asked.delete(name);
    this.asked.set(name, { args, since: this.log.mark() });
  }

  private async wordsSince(since: LogMark): Promise<ConfirmationWords | undefined> {
    for (let waitedMs = 0; this.user.isAwaited && waitedMs < MAX_WORDS_MS; waitedMs += WORDS_STEP_MS)
      await pause(this.clock, WORDS_STEP_MS, this.signal);
    const heard = this.log.heardSince(since);
    const last = heard.at(-1);
    return last && { words: heard.map(({ text }) => text).join(' '), at_ms: last.atMs };
  }
}

const readBack = (values: Record<string, unknown>): Record<string, unknown> => ({
  confirmation_needed: true,
  values,
  instruction:
    'Nothing was done yet. Read these values back to the caller, and ask whether they are right. After a clear yes, call the tool again with the same values and "confirmed": true. After a no, do not call it; with a corrected value, call it without "confirmed".',
});

const refusal = (message: string): Record<string, unknown> => ({ error: { code: 'not_confirmed', message } });
const NOT_READ_BACK = refusal(
  'Nothing was done: the caller has not heard these values. Read them back and wait for the answer. After a clear yes, call the tool again with the same values and "confirmed": true.',
);
const NOT_ANSWERED = refusal(
  'Nothing was done: the caller has not answered since the values were read back. Wait for the answer.',
);
