import type { ConsentResult } from '../session-events.js';
import type { RecordingConsentSettings } from '../session-options.js';
import { ToolFailed } from '../tools/tool-box.js';

/**
 * - `due`: nobody was asked
 * - `machine`: a machine has picked up, which does not consent; a person may take over
 * - `announcing`: the message is spoken
 * - `asking`: the answer of the user is awaited
 */
type Stage = 'due' | 'machine' | 'announcing' | 'asking' | 'settled';

/** The consent of the user to the recording, which is silent until then. Decides only; the conversation speaks and records. */
export class RecordingConsent {
  private stage: Stage = 'due';

  constructor(readonly settings: RecordingConsentSettings) {}

  get isDue(): boolean {
    return this.stage === 'due';
  }

  /** The message is about to be spoken: the agent neither hears nor speaks. */
  get isHoldingBack(): boolean {
    return this.stage === 'due' || this.stage === 'announcing';
  }

  /** The message must be heard completely: nothing interrupts it. */
  get isAnnouncing(): boolean {
    return this.stage === 'announcing' && this.settings.mode === 'announce';
  }

  /** The user has been asked. */
  get isAwaitingAnswer(): boolean {
    return this.stage === 'asking';
  }

  /** The question is spoken, or was: a key answers it. */
  get isAnsweredByKeys(): boolean {
    return this.isAwaitingAnswer || (this.stage === 'announcing' && this.settings.mode === 'ask');
  }

  /**
   * The agent wants to say its first words: it speaks the message before them, waits for the consent, or goes on. With a machine, which does
   * not consent, it goes on at once.
   */
  before(isMachine: boolean): 'speak_message' | 'wait' | 'go_on' {
    if (isMachine && this.isDue) this.stage = 'machine';
    if (this.stage === 'settled' || isMachine) return 'go_on';
    if (this.stage !== 'due' && this.stage !== 'machine') return 'wait';
    this.stage = 'announcing';
    return 'speak_message';
  }

  /** The message was spoken. Undefined: the user was asked, or has answered already. */
  spoken(isHeard: boolean): ConsentResult | undefined {
    if (this.stage !== 'announcing') return undefined;
    if (this.settings.mode === 'announce') return isHeard ? 'announced' : 'not_asked';
    this.stage = 'asking';
    return undefined;
  }

  /** A key of the user, which may interrupt the question. Undefined: it is no answer. */
  press(digit: string): ConsentResult | undefined {
    if (!this.isAnsweredByKeys) return undefined;
    return this.settings.acceptKeys.includes(digit) ? 'accepted' : 'refused';
  }

  /** The answer in words, as the model has understood it. @throws ToolFailed */
  answer(agrees: boolean): ConsentResult {
    if (!this.isAwaitingAnswer) throw new ToolFailed('not_asked', 'The caller is not being asked.');
    return agrees ? 'accepted' : 'refused';
  }

  settle(): void {
    this.stage = 'settled';
  }

  /** The call is over. Undefined: the consent is settled. */
  ended(): ConsentResult | undefined {
    if (this.stage === 'settled') return undefined;
    return this.stage === 'asking' ? 'no_answer' : 'not_asked';
  }
}
