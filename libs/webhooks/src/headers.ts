import type { Seal } from '@app/common';

export interface WebhookHeader {
  key: string;
  value: string;
}

const MAX_HEADERS = 20;
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

/** @returns a sentence for the person who gave the headers, or undefined when they may be sent. */
export function validateWebhookHeaders(headers: readonly WebhookHeader[]): string | undefined {
  if (headers.length > MAX_HEADERS) return `There may be at most ${MAX_HEADERS} headers.`;
  const names = headers.map(({ key }) => key.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) return `The header ${twice} is given more than once.`;
  return headers.map(headerProblem).find(Boolean);
}

function headerProblem({ key, value }: WebhookHeader): string | undefined {
  if (!NAME.test(key)) return 'A header name must be 1 to 128 letters, digits or hyphens.';
  const name = key.toLowerCase();
  if (FORBIDDEN.has(name) || FORBIDDEN_PREFIX.test(name)) return `The header ${name} is set by the service.`;
  if (!VALUE.test(value)) return `The value of the header ${name} must not contain control characters.`;
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES)
    return `The value of the header ${name} must not be longer than ${MAX_VALUE_BYTES} bytes.`;
  return undefined;
}

const CONTEXT = 'webhook-headers';

/** As they stand in `headers_sealed`: base64 of the sealed JSON. Undefined when there are none. */
export function sealHeaders(seal: Seal, headers: readonly WebhookHeader[]): string | undefined {
  if (headers.length === 0) return undefined;
  return seal.seal(JSON.stringify(headers), CONTEXT).toString('base64');
}

/** Throws when they were sealed with another SECRET_KEY. */
export function openHeaders(seal: Seal, sealed: string | Buffer | null | undefined): WebhookHeader[] {
  if (!sealed) return [];
  const bytes = typeof sealed === 'string' ? Buffer.from(sealed, 'base64') : sealed;
  return JSON.parse(seal.open(bytes, CONTEXT)) as WebhookHeader[];
}
