import { readJson } from '@app/common';
import { pgJson } from '@app/database';
import { contentCodings, type EgressResponse, responseText } from '@app/egress';
import { jsonLimitProblem } from '@app/json-schema';
import type { ActionError } from './tool.js';

/** Response bodies are read up to this many bytes. */
export const MAX_ANSWER_BYTES = 64 * 1024;
/** More deeply nested JSON is treated as text, because later readers recurse. */
const EXTENT = { depth: 64, bytes: Infinity };
/** Characters of an error response that are kept: a sentence, not a page. */
const ERROR_ANSWER_LENGTH = 500;

/** The result of an action's request: untrusted data of the endpoint, or an error. */
export type Answer = { value: unknown } | { error: ActionError };

/** The body of a 2xx response as JSON or text, null when it is empty; an error for all other responses. */
export function answerOf(response: EgressResponse): Answer {
  const { status } = response;
  if (status < 200 || status > 299) return { error: refusal(response) };
  if (response.truncated)
    return failed('answer_too_large', `The answer has more than ${MAX_ANSWER_BYTES / 1024} KiB.`, status);
  if (isPacked(response))
    return failed('unreadable_answer', 'The answer is compressed although the request did not accept it.', status);
  return { value: valueOf(response) };
}

const failed = (code: ActionError['code'], message: string, status: number): Answer => ({
  error: { code, message, status },
});

function refusal(response: EgressResponse): ActionError {
  const { status } = response;
  const error = { code: 'http_error' as const, message: `The endpoint answered with status ${status}.`, status };
  // The target of a redirect stays private, so its body, which may repeat it, is dropped.
  if (status >= 300 && status <= 399) {
    return { ...error, message: `The endpoint answered with a redirect (status ${status}), which is not followed.` };
  }
  const answer = isPacked(response) ? '' : textOf(response).slice(0, ERROR_ANSWER_LENGTH).trim();
  return answer === '' ? error : { ...error, answer };
}

const isPacked = ({ headers }: EgressResponse): boolean => contentCodings(headers).length > 0;

/** The body without characters that JSON, PostgreSQL or a model cannot hold. */
const textOf = (response: EgressResponse): string => responseText(response, response.body).replaceAll('\0', '\ufffd');

function valueOf(response: EgressResponse): unknown {
  const text = textOf(response);
  if (text.trim() === '') return null;
  const saysJson = /\bjson\b/i.test(String(response.headers['content-type'] ?? ''));
  const json = saysJson || /^\s*[[{]/.test(text) ? parse(text) : undefined;
  return json === undefined ? text : json;
}

function parse(text: string): unknown {
  try {
    const value = readJson(text);
    return jsonLimitProblem(value, EXTENT) ? undefined : (JSON.parse(pgJson(value)) as unknown);
  } catch {
    return undefined;
  }
}

/** Characters of JSON that a model gets: longer results distract the model and delay its reply. */
export const RESULT_LENGTH = 8_000;

/**
 * Limits the JSON of a result to 8,000 characters. Short fields stay complete; long ones share the remaining space and become
 * `{truncated: true, text}` with the beginning of their text or JSON.
 */
export function capResult(result: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(result).map(([name, value]) => ({ name, value, length: lengthOf(value) }));
  const names = fields.reduce((sum, { name }) => sum + lengthOf(name) + 2, 2);
  if (fields.reduce((sum, { length }) => sum + length, names) <= RESULT_LENGTH) return result;
  let room = RESULT_LENGTH - names;
  let left = fields.length;
  for (const field of fields.toSorted((a, b) => a.length - b.length)) {
    const share = Math.floor(room / left--);
    if (field.length > share) field.value = cut(field.value, share);
    room -= lengthOf(field.value);
  }
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

const lengthOf = (value: unknown): number => JSON.stringify(value).length;

/** The longest beginning that fits after JSON escaping. */
function cut(value: unknown, length: number): { truncated: true; text: string } {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  let [fits, tooLong] = [0, Math.min(text.length, length)];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (lengthOf(beginning(text, middle)) <= length) fits = middle;
    else tooLong = middle;
  }
  return beginning(text, fits);
}

/** Drops a lone surrogate at the end. */
const beginning = (text: string, length: number): { truncated: true; text: string } => ({
  truncated: true,
  text: text.slice(0, length).replace(/[\ud800-\udbff]$/, ''),
});
