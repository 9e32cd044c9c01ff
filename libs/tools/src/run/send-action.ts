import { BlockedAddress, type Log, type Encryption, startDeadline } from '@app/common';
import { type Egress, EgressTimeout } from '@app/egress';
import { connectionProblem, sign, type SigningSecrets } from '@app/webhooks';
import type { Pool } from 'pg';
import { type Answer, answerOf, MAX_ANSWER_BYTES } from './answer.js';
import type { ActionRequest } from './action-request.js';
import type { InFlight } from './in-flight.js';
import type { ActionError, ActionErrorCode } from './invocation.js';

/** What running tools takes; one for a process. */
export interface ToolRunParts {
  pool: Pool;
  encryption: Encryption;
  /** The one way out. */
  egress: Pick<Egress, 'request'>;
  secrets: Pick<SigningSecrets, 'of'>;
  inFlight: InFlight;
  log: Log;
  /** `user-agent` */
  agent: string;
  /** There is something new in the outbox. */
  wakeWebhooks: () => void;
}

/** One request and what came of it. */
export interface Attempt {
  answer: Answer;
  status: number | null;
  /** Null when nothing was sent. */
  latencyMs: number | null;
  /** The first 16 KiB of the answer. */
  answerHead: string | null;
  /** As sent, without the values that the user gave. */
  requestHeaders: Record<string, string>;
}

export interface Sending {
  /** `webhook-id` and `Idempotency-Key`. */
  id: string;
  accountId: number;
  request: ActionRequest;
  /** From here to the last byte of the answer, the wait for a place included. */
  timeoutMs: number;
  secrets: readonly string[];
}

const KEPT_ANSWER_BYTES = 16 * 1024;
const REDACTED = '[redacted]';

/** Sends a request once and waits for its answer. Whatever the other side does is a result; the signal ends it early. */
export async function sendAction(parts: ToolRunParts, sending: Sending, signal: AbortSignal): Promise<Attempt> {
  if (sending.secrets.length === 0) return unsent('not_signed', 'The account has no webhook secret to sign with.');
  if (signal.aborted) return unsent('aborted', ABORTED);
  const { timeoutMs, accountId, request } = sending;
  if (timeoutMs <= 0) return unsent('timeout', 'The time of the tool was over.');
  const deadline = startDeadline(timeoutMs, signal, () => new EgressTimeout(timeoutMs));
  try {
    const leave = await parts.inFlight
      .enter(accountId, new URL(request.url).host, deadline.signal)
      .catch(() => undefined);
    if (!leave) return signal.aborted ? unsent('aborted', ABORTED) : unsent('busy', BUSY);
    return await post(parts, sending, deadline.signal, signal).finally(leave);
  } finally {
    deadline.clear();
  }
}

const ABORTED = 'The call ended before there was an answer.';
const BUSY = 'Too many requests of the account are under way.';

const unsent = (code: ActionErrorCode, message: string): Attempt => ({
  answer: { error: { code, message } },
  status: null,
  latencyMs: null,
  answerHead: null,
  requestHeaders: {},
});

async function post(
  parts: ToolRunParts,
  sending: Sending,
  withinTime: AbortSignal,
  outer: AbortSignal,
): Promise<Attempt> {
  const { request, timeoutMs } = sending;
  const own = ownHeaders(sending, parts.agent);
  const given = Object.fromEntries(request.headers.map(({ key, value }) => [key.toLowerCase(), value]));
  const requestHeaders = { ...own };
  for (const name of Object.keys(given)) requestHeaders[name] = REDACTED;
  const startedAt = performance.now();
  const response = await parts.egress
    .request(request.url, {
      method: request.method,
      headers: { ...own, ...given },
      body: request.body === '' ? undefined : request.body,
      signal: withinTime,
      totalTimeoutMs: timeoutMs,
      maxBodyBytes: MAX_ANSWER_BYTES,
    })
    .catch((error: unknown) => ({ error: errorOf(error, outer) }));
  if ('error' in response) {
    const latencyMs = Math.round(performance.now() - startedAt);
    return { answer: response, status: null, latencyMs, answerHead: null, requestHeaders };
  }
  const answerHead = response.body.subarray(0, KEPT_ANSWER_BYTES).toString('utf8').replaceAll('\0', '');
  const { status, latencyMs } = response;
  return { answer: answerOf(response), status, latencyMs, answerHead, requestHeaders };
}

function errorOf(error: unknown, outer: AbortSignal): ActionError {
  if (outer.aborted) return { code: 'aborted', message: ABORTED };
  const message = connectionProblem(error);
  if (error instanceof EgressTimeout) return { code: 'timeout', message };
  return { code: error instanceof BlockedAddress ? 'blocked_address' : 'connection_failed', message };
}

function ownHeaders({ id, request, secrets }: Sending, agent: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    ...(request.body === '' ? {} : { 'content-type': 'application/json' }),
    'user-agent': agent,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(secrets, id, timestamp, request.body),
    'idempotency-key': id,
  };
}
