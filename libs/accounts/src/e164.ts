/** ITU-T E.164 §6: at most 15 digits, the country code first, which never begins with 0. */
const E164 = /^\+[1-9]\d{6,14}$/;
const PUNCTUATION = /[\s().\-/]/g;

/** `+1 (555) 000-1111` as `+15550001111`; undefined when it is no E.164 number. */
export function normaliseE164(text: string): string | undefined {
  const number = text.replace(PUNCTUATION, '');
  return E164.test(number) ? number : undefined;
}
