import { type Env, type FieldErrors, withCode } from '@app/common';
import { isJsonObject, jsonLimitProblem } from '@app/json-schema';
import { createHash, randomBytes } from 'node:crypto';

/** What an endpoint reports of a background tool. */
export interface ToolReport {
  status: 'progress' | 'completed' | 'failed';
  /** Words for the model. */
  text?: string | null;
  /** JSON for the model; `assign` reads it. */
  result?: unknown;
}

export const REPORT_STATUSES = ['progress', 'completed', 'failed'] as const;
export const REPORT_TEXT_LENGTH = 4_000;
const RESULT_EXTENT = { bytes: 64 * 1024, depth: 64 };
/** Progress notes of one invocation. */
export const MAX_NOTES = 20;

/** The address at which one invocation takes its result. */
export interface CallbackAddress {
  url: string;
  tokenHash: Buffer;
}

/** The token is the only proof of the sender: it is unguessable, and only its hash is stored. */
export function newCallback({ PUBLIC_URL, PORT }: Pick<Env, 'PUBLIC_URL' | 'PORT'>): CallbackAddress {
  const token = randomBytes(32).toString('base64url');
  const origin = (PUBLIC_URL ?? `http://localhost:${PORT}`).replace(/\/+$/, '');
  return { url: `${origin}/api/v1/tool-callbacks/${token}`, tokenHash: callbackHash(token) };
}

export const callbackHash = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The problems of a report by field. */
export function reportProblems({ status, text, result }: ToolReport): FieldErrors {
  const hasText = typeof text === 'string' && text.trim() !== '';
  const hasResult = result !== undefined && result !== null;
  if (status === 'progress' && hasResult)
    return { result: [withCode('not_allowed', 'A progress note has a text and no result.')] };
  if (!hasText && !hasResult && status !== 'completed')
    return { text: [withCode('missing', `The text field is required for the status ${status}.`)] };
  if (hasText && hasResult && status === 'completed')
    return { text: [withCode('not_allowed', 'A completed tool has a text or a result, not both.')] };
  const extent = hasResult ? jsonLimitProblem(result, RESULT_EXTENT) : undefined;
  return extent ? { result: [withCode('too_long', `The result field ${extent}.`)] } : {};
}

/** The result of a report, as the model and the record have it. */
export function resultOfReport({ status, text, result }: ToolReport): Record<string, unknown> {
  if (status === 'failed')
    return {
      error: {
        code: 'tool_error',
        message: text ?? 'The tool reported an error.',
        ...(result !== undefined && result !== null && { details: result }),
      },
    };
  if (isJsonObject(result)) return result;
  if (result !== undefined && result !== null) return { value: result };
  return { text: text ?? '' };
}
