import type { ExactWords } from '../session-command.js';
import type { DisclosureSettings } from '../session-options.js';
import type { PlayedItem } from './playback.js';

/** Speech of unknown length: about 15 characters in a second. */
const MS_PER_CHARACTER = 65;

/**
 * - `due`: not spoken to anybody yet
 * - `speaking`: nothing interrupts it
 * - `machine`: a machine has heard it; a person who takes over has not
 * - `done`
 */
type Stage = 'due' | 'speaking' | 'machine' | 'done';

/** The sentence that the agent speaks before everything else. Decides only; the conversation speaks. */
export class Disclosure {
  private stage: Stage = 'due';
  private words: ExactWords | undefined;

  constructor(readonly settings: DisclosureSettings) {}

  /** It is about to be spoken, or is: the agent neither hears nor speaks. */
  get isHoldingBack(): boolean {
    return this.stage === 'due' || this.stage === 'speaking';
  }

  get isSpeaking(): boolean {
    return this.stage === 'speaking';
  }

  get isDue(): boolean {
    return this.stage === 'due';
  }

  /** The agent wants to say its first words. `toPerson`: a person has taken over from a machine. */
  before(toPerson: boolean): 'speak' | 'wait' | 'go_on' {
    if (this.stage === 'speaking') return 'wait';
    if (this.stage === 'done' || (this.stage === 'machine' && !toPerson)) return 'go_on';
    this.stage = 'speaking';
    return 'speak';
  }

  /** The words are requested. */
  begins(words: ExactWords): void {
    this.words = words;
  }

  /** `isMachine`: it listens instead of a person. */
  settle(isMachine: boolean): void {
    this.stage = isMachine ? 'machine' : 'done';
  }

  /**
   * How much was heard, of how much. Words that are not generated completely have an estimated length. In a text conversation both are 0.
   * `progressOf`: of an item that still plays.
   */
  heard(isText: boolean, progressOf: (itemId: string) => Pick<PlayedItem, 'playedMs' | 'generatedMs'>): Heard {
    const progress = this.words?.progress(progressOf) ?? { heardMs: 0, generatedMs: 0, isGenerated: false };
    if (isText && progress.isGenerated) return { heard_ms: 0, of_ms: 0 };
    const heard_ms = Math.round(progress.heardMs);
    const estimate = this.settings.text.length * MS_PER_CHARACTER;
    const of_ms = progress.isGenerated ? progress.generatedMs : Math.max(progress.generatedMs, estimate);
    return { heard_ms, of_ms: Math.round(of_ms) };
  }
}

interface Heard {
  heard_ms: number;
  of_ms: number;
}
