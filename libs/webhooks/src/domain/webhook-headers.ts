import { type CodedProblem, type Encryption, withCode } from '@app/common';
import { randomBytes } from 'node:crypto';

export interface WebhookHeader {
  key: string;
  value: string;
}

export const MAX_HEADERS = 20;
const MAX_VALUE_BYTES = 2048;
/** RFC 9110 §5.6.2 token. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
/** RFC 9110 §5.5 field-value as it goes over the wire: visible Latin-1, spaces and tabs. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Framing and routing belong to the connection (RFC 9110 §7.6.1), `webhook-*` to the signature, `proxy-*` to proxies. */
const FORBIDDEN = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'keep-alive',
  'accept-encoding',
]);
const FORBIDDEN_PREFIX = /^(proxy-|webhook-)/;

/** A problem of a list of headers, for the client of the API. */
interface HeaderProblem {
  /** Undefined: the list itself. */
  place?: { index: number; part: keyof WebhookHeader };
  problem: CodedProblem;
}

/** @returns an error message for the client of the API, or undefined when the headers may be sent. */
export const validateWebhookHeaders = (headers: readonly WebhookHeader[]): string | undefined =>
  headerProblems(headers)[0]?.problem.message;

/** At most one problem per header. */
export function headerProblems(headers: readonly WebhookHeader[]): HeaderProblem[] {
  if (headers.length > MAX_HEADERS)
    return [{ problem: withCode('too_many', `There may be at most ${MAX_HEADERS} headers.`) }];
  const names = headers.map(({ key }) => key.toLowerCase());
  return headers.flatMap(({ key, value }, index): HeaderProblem[] => {
    const isTwice = names.indexOf(key.toLowerCase()) < index;
    const twice = isTwice ? withCode('duplicate', `The header ${key} is given more than once.`) : undefined;
    const ofKey = nameProblem(key) ?? twice;
    if (ofKey) return [{ place: { index, part: 'key' }, problem: ofKey }];
    const ofValue = valueProblem(key, value);
    return ofValue ? [{ place: { index, part: 'value' }, problem: ofValue }] : [];
  });
}

/** headerProblems with the path of each header in the request field `field`, for example `headers.0.key`. */
export const headerErrors = (
  field: string,
  headers: readonly WebhookHeader[],
): [field: string, problem: CodedProblem][] =>
  headerProblems(headers).map(({ place, problem }) => [
    place ? `${field}.${place.index}.${place.part}` : field,
    problem,
  ]);

function nameProblem(key: string): CodedProblem | undefined {
  if (!NAME.test(key)) return withCode('invalid_format', 'A header name must be 1 to 128 letters, digits or hyphens.');
  const name = key.toLowerCase();
  const isForbidden = FORBIDDEN.has(name) || FORBIDDEN_PREFIX.test(name);
  return isForbidden ? withCode('not_allowed', `The header ${key} is set by the service.`) : undefined;
}

function valueProblem(key: string, value: string): CodedProblem | undefined {
  if (!VALUE.test(value))
    return withCode('invalid_format', `The value of the header ${key} must not contain control characters.`);
  if (Buffer.byteLength(value) <= MAX_VALUE_BYTES) return undefined;
  return withCode('too_long', `The value of the header ${key} must not be longer than ${MAX_VALUE_BYTES} bytes.`);
}

/** Replaces a secret value in responses. In an update it stands for the stored value. */
export const MASK = '********';

/** Headers as the API returns them: their values are write-only. */
export const maskHeaders = (headers: readonly WebhookHeader[]): WebhookHeader[] =>
  headers.map(({ key }) => ({ key, value: MASK }));

const CONTEXT = 'webhook-headers';

/** The value of `headers_sealed`: base64 of the encrypted JSON. undefined: there are no headers. */
export function sealHeaders(encryption: Encryption, headers: readonly WebhookHeader[]): string | undefined {
  if (headers.length === 0) return undefined;
  return encryption.encrypt(JSON.stringify(headers), CONTEXT).toString('base64');
}

/** Throws when they were encrypted with another SECRET_KEY. */
export function openHeaders(encryption: Encryption, sealed: string | Buffer | null | undefined): WebhookHeader[] {
  if (!sealed) return [];
  const bytes = typeof sealed === 'string' ? Buffer.from(sealed, 'base64') : sealed;
  return JSON.parse(encryption.decrypt(bytes, CONTEXT)) as WebhookHeader[];
}

/** A Standard Webhooks secret: 32 random bytes as `whsec_<base64>`. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
