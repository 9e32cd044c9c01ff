import {
  BlockedAddress,
  deepWithoutSecureValues,
  KeyedSemaphore,
  type Release,
  type SecureValues,
  startDeadline,
  withoutSecureValues,
} from '@app/common';
import { connectionProblem, Egress, EgressTimeout, sendSigned } from '@app/egress';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type ActionRequest, openedRequest } from './domain/action-request.js';
import { type Answer, answerOf, MAX_ANSWER_BYTES } from './domain/endpoint-answer.js';
import type { ActionError, ActionErrorCode } from './domain/tool.js';

/** One request and its result. */
export interface Attempt {
  answer: Answer;
  status: number | null;
  /** Null: nothing was sent. */
  latencyMs: number | null;
  /** The first 16 KiB of the answer. */
  answerHead: string | null;
  /** As sent, without the user's values. */
  requestHeaders: Record<string, string>;
}

export interface Sending {
  /** `webhook-id` and `Idempotency-Key`. */
  id: string;
  accountId: number;
  request: ActionRequest;
  /** From now until the last byte of the answer, including the wait for a slot. */
  timeoutMs: number;
  secrets: readonly string[];
  /** Secret digits that the request refers to. */
  digits?: SecureValues;
}

/** Requests in flight in one process: of one account, and of those to one host. */
const MAX_PER_ACCOUNT = 64;
const MAX_PER_HOST = 32;

/** Sends the requests of awaited actions. */
@Injectable()
export class ActionSenderService implements OnModuleDestroy {
  private readonly slots = new RequestSlots();
  private readonly closing = new AbortController();

  constructor(private readonly egress: Egress) {}

  /** Sends a request once and waits for the answer. A failure of the endpoint is a result, not an error; the signal ends the wait early. */
  async send(sending: Sending, signal: AbortSignal): Promise<Attempt> {
    if (sending.secrets.length === 0) return unsent('not_signed', 'The account has no webhook secret to sign with.');
    const stopped = AbortSignal.any([signal, this.closing.signal]);
    if (stopped.aborted) return unsent('aborted', ABORTED);
    const { timeoutMs, accountId, request } = sending;
    if (timeoutMs <= 0) return unsent('timeout', 'The time of the tool was over.');
    const deadline = startDeadline(timeoutMs, stopped, () => new EgressTimeout(timeoutMs));
    try {
      const host = new URL(request.url).host;
      const release = await this.slots.acquire(accountId, host, deadline.signal).catch(() => undefined);
      if (!release) return stopped.aborted ? unsent('aborted', ABORTED) : unsent('busy', BUSY);
      const { digits } = sending;
      if (!digits?.size) return await this.post(sending, deadline.signal, stopped).finally(release);
      const opened = { ...sending, request: openedRequest(request, digits) };
      return withoutDigits(await this.post(opened, deadline.signal, stopped).finally(release), digits);
    } finally {
      deadline.clear();
    }
  }

  /** Aborts the requests in flight. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  private async post(sending: Sending, withinTime: AbortSignal, outer: AbortSignal): Promise<Attempt> {
    const { id, request, secrets, timeoutMs } = sending;
    const exchange = await sendSigned(this.egress, {
      id,
      url: request.url,
      method: request.method,
      body: request.body,
      secrets,
      own: { 'idempotency-key': id },
      given: Object.fromEntries(request.headers.map(({ key, value }) => [key.toLowerCase(), value])),
      signal: withinTime,
      totalTimeoutMs: timeoutMs,
      maxBodyBytes: MAX_ANSWER_BYTES,
    });
    const { latencyMs, requestHeaders } = exchange;
    if ('error' in exchange) {
      const error = errorOf(exchange.error, outer);
      return { answer: { error }, status: null, latencyMs, answerHead: null, requestHeaders };
    }
    const { response, head } = exchange;
    return { answer: answerOf(response), status: response.status, latencyMs, answerHead: head, requestHeaders };
  }
}

/**
 * Slots for the requests of awaited actions: a hanging endpoint can only occupy its share. Further requests wait in order, behind
 * requests of the same account only.
 */
export class RequestSlots {
  private readonly accounts: KeyedSemaphore<number>;
  private readonly hosts: KeyedSemaphore<string>;

  constructor(perAccount = MAX_PER_ACCOUNT, perHost = MAX_PER_HOST) {
    this.accounts = new KeyedSemaphore(perAccount);
    this.hosts = new KeyedSemaphore(perHost);
  }

  /** The slot of the host first: a request that waits for its host takes no slot of the account. Throws the signal's reason. */
  async acquire(accountId: number, host: string, signal: AbortSignal): Promise<Release> {
    const leaveHost = await this.hosts.acquire(`${accountId} ${host}`, signal);
    try {
      const leaveAccount = await this.accounts.acquire(accountId, signal);
      return () => {
        leaveAccount();
        leaveHost();
      };
    } catch (error) {
      leaveHost();
      throw error;
    }
  }
}

/** The endpoint may repeat the digits. */
function withoutDigits(attempt: Attempt, digits: SecureValues): Attempt {
  const { answerHead } = attempt;
  const answer = deepWithoutSecureValues(attempt.answer, digits) as Attempt['answer'];
  return { ...attempt, answer, answerHead: answerHead && withoutSecureValues(answerHead, digits) };
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

function errorOf(error: unknown, outer: AbortSignal): ActionError {
  if (outer.aborted) return { code: 'aborted', message: ABORTED };
  const message = connectionProblem(error);
  if (error instanceof EgressTimeout) return { code: 'timeout', message };
  return { code: error instanceof BlockedAddress ? 'blocked_address' : 'connection_failed', message };
}
