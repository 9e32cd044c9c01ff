/** Digits that an agent may ask for. */
export interface DigitInput {
  name: string;
  /** For the model: when to ask for them. */
  description?: string;
  /** Spoken before the first attempt; `retryPrompt` before the others. */
  prompt: string;
  retryPrompt?: string;
  minLength: number;
  maxLength: number;
  /** Ends the input; empty: none. */
  finishKey: string;
  /** The longest pause before the first key, and between two keys. */
  timeoutSeconds: number;
  attempts: number;
  /** The digits are secret: they are in no event, no recording and not known to the model. */
  secure: boolean;
  /** Digits with another check digit are refused. */
  validate?: 'luhn';
}
