/** Event codes 0-15 of RFC 4733 §3.2, in order. */
const DIGITS = '0123456789*#ABCD';

/** Undefined for events that are no keys (flash, modem tones). */
export const digitOfEvent = (code: number): string | undefined => DIGITS[code];

/** Digits outside 0-9, *, # and A-D cannot be dialled as tones. */
export class InvalidDigits extends Error {
  constructor() {
    super('Only the digits 0-9, *, # and A-D can be sent as tones.');
  }
}

/** `12#` -> [1, 2, 11]. Throws InvalidDigits. */
export function eventsOfDigits(digits: string): number[] {
  return Array.from(digits.toUpperCase(), (digit) => {
    const code = DIGITS.indexOf(digit);
    if (code < 0) throw new InvalidDigits();
    return code;
  });
}
