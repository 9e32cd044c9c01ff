import { secureReference } from '@app/common';
import type { MediaPort } from '@app/telephony';
import type { Clock } from '../clock.js';
import type { ConversationLog } from './conversation-log.js';
import type { SessionOptions } from '../session-options.js';
import type { DigitInput } from '../tools/digit-input.js';
import { ToolFailed } from '../tools/tool-box.js';
import type { TurnLatencies } from '../transcript/turn-latency.js';

/** ISO/IEC 7812-1: the check digit of payment cards. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of Array.from(digits).toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return digits !== '' && sum % 10 === 0;
}

const CLEAR_KEY = '*';
/** Keys after the end of a secret input are secret for this time: the user may still be typing. */
const GRACE_MS = 2_000;
/** After the key that ends the input only its tone is left. */
const TONE_MS = 400;

type Ended = 'finished' | 'complete' | 'pause';

/** Speaks words. Resolves when they were heard or interrupted. */
type Speak = (text: string) => Promise<unknown>;

/** The user's keys: inputs of the conversation, or digits that a tool collects. */
export class Keypad {
  private readonly inputs: DtmfCollector;
  private collection: DigitCollection | undefined;
  /** Keys are secret. */
  private isSecret = false;
  private cancelGrace: (() => void) | undefined;
  /** Of the last collection. */
  private finishKey = '';
  private isClosed = false;

  constructor(
    private readonly media: Pick<MediaPort, 'pauseRecording'>,
    private readonly clock: Clock,
    private readonly log: Pick<ConversationLog, 'write'>,
    private readonly latencies: Pick<TurnLatencies, 'acted' | 'unanswered'>,
    onInput: (digits: string) => void,
    private readonly onSecret: SessionOptions['onSecret'],
  ) {
    this.inputs = new DtmfCollector(clock, onInput);
  }

  /** The keys of an input are not complete. */
  get isCollecting(): boolean {
    return this.inputs.collecting;
  }

  /** A tool waits for keys. */
  get isAsked(): boolean {
    return this.collection !== undefined;
  }

  /** The user enters secret digits: neither the provider nor the detection of interruptions hears the line. */
  get isLineHidden(): boolean {
    return this.isSecret;
  }

  /** Records a key unless it is secret. */
  note(digit: string, durationMs: number): void {
    if (!this.isSecret) this.log.write({ type: 'dtmf_received', digit, duration_ms: durationMs });
  }

  press(digit: string): void {
    if (this.collection) return this.collection.press(digit);
    if (this.isSecret) return this.wait(GRACE_MS);
    if (!this.cancelGrace || digit !== this.finishKey) this.inputs.press(digit);
  }

  /**
   * The digits that the user enters. Secret ones are known from the beginning of the first prompt: a user who types into it is not heard.
   * @throws ToolFailed `busy`, `no_input`, `too_few_digits`, `invalid_digits`
   */
  async collect(input: DigitInput, speak: Speak, signal: AbortSignal): Promise<Record<string, unknown>> {
    if (this.collection) throw new ToolFailed('busy', 'The caller is entering other digits. Wait for them.');
    this.inputs.close();
    this.stopWaiting();
    this.finishKey = input.finishKey;
    this.hide(input.secure);
    let ended: Ended | undefined;
    try {
      let failure = NO_INPUT;
      for (let attempt = 1; attempt <= input.attempts; attempt++) {
        this.collection = new DigitCollection(this.clock, input, signal);
        const prompt = attempt === 1 ? input.prompt : (input.retryPrompt ?? input.prompt);
        const read = await this.collection.read(speak(prompt));
        ended = read.ended;
        if (read.digits === '') this.latencies.unanswered();
        else this.latencies.acted();
        if (signal.aborted) throw new ToolFailed('aborted', 'The call or the time of the tool was over.');
        const problem = problemOf(input, read.digits);
        if (!problem) return this.resultOf(input, read.digits);
        failure = problem;
      }
      throw new ToolFailed(...failure);
    } finally {
      this.collection = undefined;
      this.wait(ended === 'finished' ? TONE_MS : GRACE_MS);
    }
  }

  close(): void {
    this.isClosed = true;
    this.inputs.close();
    this.stopWaiting();
  }

  private resultOf({ name, secure }: DigitInput, digits: string): Record<string, unknown> {
    if (!secure) return { collected: true, digits };
    this.onSecret?.(name, digits);
    return { collected: true, value: secureReference(name), note: HIDDEN };
  }

  /** Later keys belong to the input that has ended. */
  private wait(ms: number): void {
    this.stopWaiting();
    if (this.isClosed) return;
    this.cancelGrace = this.clock.after(ms, () => {
      this.stopWaiting();
      this.hide(false);
    });
  }

  private stopWaiting(): void {
    this.cancelGrace?.();
    this.cancelGrace = undefined;
  }

  private hide(isSecret: boolean): void {
    if (this.isSecret === isSecret) return;
    this.isSecret = isSecret;
    this.media.pauseRecording(isSecret, 'keys');
  }
}

const HIDDEN = 'The digits are hidden from you. Pass this value unchanged to the tool that needs them.';

type Failure = [code: string, message: string];
const NO_INPUT: Failure = ['no_input', 'The caller entered nothing.'];
const TOO_FEW: Failure = ['too_few_digits', 'The caller entered too few digits.'];
const INVALID: Failure = ['invalid_digits', 'The check digit is wrong: the caller has mistyped.'];

function problemOf({ minLength, validate }: DigitInput, digits: string): Failure | undefined {
  if (digits === '') return NO_INPUT;
  if (digits.length < minLength) return TOO_FEW;
  return validate === 'luhn' && !passesLuhn(digits) ? INVALID : undefined;
}

/** One attempt of the user to enter digits. `*` begins again. */
class DigitCollection {
  private digits = '';
  private cancelTimer = (): void => undefined;
  private end: (ended: Ended) => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly input: DigitInput,
    private readonly signal: AbortSignal,
  ) {}

  /** The time for the first key counts from the end of the prompt. */
  async read(prompt: Promise<unknown>): Promise<{ digits: string; ended: Ended }> {
    const ended = new Promise<Ended>((resolve) => (this.end = resolve));
    const giveUp = (): void => this.end('pause');
    this.signal.addEventListener('abort', giveUp, { once: true });
    void prompt.then(() => this.digits === '' && this.expectKey());
    const how = await ended;
    this.cancelTimer();
    this.end = () => undefined;
    this.signal.removeEventListener('abort', giveUp);
    return { digits: this.digits, ended: how };
  }

  press(digit: string): void {
    const { finishKey, maxLength } = this.input;
    if (digit === finishKey && this.digits !== '') return this.end('finished');
    if (digit === CLEAR_KEY) this.digits = '';
    else if (/^\d$/.test(digit) && this.digits.length < maxLength) this.digits += digit;
    if (this.digits.length === maxLength) return this.end('complete');
    this.expectKey();
  }

  private expectKey(): void {
    this.cancelTimer();
    this.cancelTimer = this.clock.after(this.input.timeoutSeconds * 1_000, () => this.end('pause'));
  }
}

const QUIET_MS = 2000;
const END_KEY = '#';

/** Collects key presses into one input, which ends with `#` or two seconds after the last key. */
export class DtmfCollector {
  private digits = '';
  private cancelTimer = (): void => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onInput: (digits: string) => void,
  ) {}

  /** A `#` that ends an input is not part of it; alone it is the input. */
  press(digit: string): void {
    this.cancelTimer();
    if (digit === END_KEY) return this.finish(this.digits || END_KEY);
    this.digits += digit;
    this.cancelTimer = this.clock.after(QUIET_MS, () => this.finish(this.digits));
  }

  get collecting(): boolean {
    return this.digits !== '';
  }

  close(): void {
    this.cancelTimer();
    this.digits = '';
  }

  private finish(input: string): void {
    this.digits = '';
    this.onInput(input);
  }
}
