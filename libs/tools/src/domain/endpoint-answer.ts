import type { EgressResponse } from '@app/egress';
import { pgJson } from '@app/database';
import { extentProblem } from './json-extent.js';
import type { ActionError } from './invocation.js';

/** Bytes of an answer that are read. */
export const MAX_ANSWER_BYTES = 64 * 1024;
/** Deeper JSON is text: what reads it later goes into it by recursion. */
const EXTENT = { depth: 64, bytes: Infinity };
/** Of an answer that is an error: enough for a sentence, not for a page. */
const ERROR_ANSWER_LENGTH = 500;

/** What an endpoint said: data of somebody else's, whatever it looks like. */
export type Answer = { value: unknown } | { error: ActionError };

/** 2xx is an answer, JSON when it is JSON, else text; null when it is empty. Everything else is an error. */
export function answerOf(response: EgressResponse): Answer {
  const { status } = response;
  if (status < 200 || status > 299) return { error: refusal(response) };
  if (response.truncated)
    return failed('answer_too_large', `The answer has more than ${MAX_ANSWER_BYTES / 1024} KiB.`, status);
  if (isPacked(response))
    return failed('unreadable_answer', 'The answer is compressed, which was not asked for.', status);
  return { value: valueOf(response) };
}

const failed = (code: ActionError['code'], message: string, status: number): Answer => ({
  error: { code, message, status },
});

function refusal(response: EgressResponse): ActionError {
  const { status } = response;
  const error = { code: 'http_error' as const, message: `The endpoint answered with status ${status}.`, status };
  // Where a redirect leads to is not for others to know, and stands in its text as well.
  if (status >= 300 && status <= 399) {
    return { ...error, message: `The endpoint answered with a redirect (status ${status}), which is not followed.` };
  }
  const answer = isPacked(response) ? '' : textOf(response).slice(0, ERROR_ANSWER_LENGTH).trim();
  return answer === '' ? error : { ...error, answer };
}

function isPacked({ headers }: EgressResponse): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== '' && String(encoding).toLowerCase() !== 'identity';
}

/** As text that JSON, PostgreSQL and a model can hold. */
const textOf = ({ body }: EgressResponse): string =>
  body
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '\ufffd');

function valueOf(response: EgressResponse): unknown {
  const text = textOf(response);
  if (text.trim() === '') return null;
  const saysJson = /\bjson\b/i.test(String(response.headers['content-type'] ?? ''));
  const json = saysJson || /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  return json === undefined ? text : json;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return extentProblem(value, EXTENT) ? undefined : (JSON.parse(pgJson(value)) as unknown);
  } catch {
    return undefined;
  }
}
