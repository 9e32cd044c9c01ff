/** Text that would change the meaning of the message it is put into: a line break, a control character, a delimiter. */
export class UnsafeSipText extends Error {
  constructor(readonly field: string) {
    super(`${field} contains characters that are not allowed in a SIP message`);
    this.name = 'UnsafeSipText';
  }
}

// Everything below space except HTAB, and DEL. Includes CR and LF, with which a value could add a header.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;
const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;
// RFC 3261 §25.1 `user`, without escapes we would have to understand, and without `;`, which some proxies take for parameters.
const USER = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,?/#]|%[0-9A-Fa-f]{2})+$/;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9\-.]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\])$/;

export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text);
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The part before `@`; `#` and `*` are allowed because dialled strings hold them (escaped by `userPart`). */
export function isUser(text: string): boolean {
  return text.length <= 128 && USER.test(text);
}

/** A DNS name, an IPv4 literal or an IPv6 literal in brackets. */
export function isHost(text: string): boolean {
  return text.length <= 253 && HOST.test(text);
}

/** What may stand in the first line of a request. */
export function isRequestUri(text: string): boolean {
  return text !== '' && !/[\s<>"]/.test(text) && !CONTROL.test(text);
}

/** A header value as given, or `UnsafeSipText`. */
export function headerValue(name: string, value: string): string {
  if (CONTROL.test(value)) throw new UnsafeSipText(name);
  return value;
}

/** A user part ready for a URI. `#` must be escaped there (RFC 3261 §25.1). */
export function userPart(field: string, text: string): string {
  if (!isUser(text)) throw new UnsafeSipText(field);
  return text.includes('#') ? text.replaceAll('#', '%23') : text;
}

/** A display name as a quoted string. It is cosmetic, so forbidden characters are removed and do not fail the call. */
export function quotedName(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return `"${text.replace(/[\0-\x1f\x7f<>";\\]/g, '').slice(0, 80)}"`;
}
