import { readJson } from '@app/common';
import type { ToolDeliveryRecord } from '@app/webhooks';
import type { AttemptRecord } from '../tool-invocations.repository.js';
import type { InvocationContext } from './tool.js';

type Redact = InvocationContext['redact'];

/** Longer texts are not searched for secrets while a call waits: they are not stored. */
const MAX_SEARCHED = 64 * 1024;

/** A request or an answer, JSON or not, as it may be stored. */
function redactBody(redact: NonNullable<Redact>, text: string): string {
  if (text.length > MAX_SEARCHED) return '[too long to be redacted]';
  const json = parse(text);
  if (json === undefined) return String(redact(text));
  return JSON.stringify(redact(json));
}

function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** The address with its values decoded, searched and encoded again; without the whole query when it holds a secret. */
function redactUrl(redact: NonNullable<Redact>, url: string): string {
  const { origin, pathname, search } = new URL(url);
  const path = pathname.split('/').map((segment) => {
    const plain = decode(segment);
    const shown = redact(plain);
    return shown === plain ? segment : encodeURIComponent(String(shown));
  });
  const names = [...new URLSearchParams(search)];
  const holdsSecret = names.some(([name, value]) => {
    const shown = redact({ [name]: value }) as Record<string, unknown>;
    return shown[name] !== value;
  });
  const pathOnly = origin + path.join('/');
  return holdsSecret ? pathOnly : pathOnly + search;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A queued request: its row has the redacted form, `sealed` what is sent. */
export const redactDelivery = (redact: Redact, record: ToolDeliveryRecord, sealed: string): ToolDeliveryRecord =>
  redact
    ? {
        ...record,
        url: redactUrl(redact, record.url),
        body: record.body === '' ? '' : redactBody(redact, record.body),
        request_sealed: sealed,
      }
    : record;

/** What is recorded of a request and its answer. */
export const redactAttempt = (redact: Redact, record: AttemptRecord): AttemptRecord =>
  redact
    ? {
        ...record,
        url: redactUrl(redact, record.url),
        error: redact(record.error),
        answer_head: record.answer_head === null ? null : redactBody(redact, record.answer_head),
      }
    : record;
