import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { delay } from '@app/telephony';
import type { z } from 'zod';
import { bodyOf } from '../../server/request-body.js';
import type { HttpEmulator } from '../emulator.js';
import type { LegFaults } from '../leg-faults.js';

/** A long conversation with its tools. */
const MAX_REQUEST_LENGTH = 4 * 1024 * 1024;

/** The request is refused; each vendor has its own JSON for it. */
export class RefusedRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** Answers requests by `complete`; `refuse` writes what that refuses in the words of the vendor. */
export const answering =
  (complete: HttpEmulator['answer'], refuse: (error: RefusedRequest, response: ServerResponse) => void) =>
  async (...[request, response, services]: Parameters<HttpEmulator['answer']>): Promise<void> => {
    try {
      await complete(request, response, services);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      refuse(error, response);
    }
  };

/** @throws RefusedRequest */
export async function readRequest<Body>(request: IncomingMessage, schema: z.ZodType<Body>): Promise<Body> {
  const json = await bodyOf(request, MAX_REQUEST_LENGTH);
  if (json === undefined) throw new RefusedRequest(413, 'The request is too large.');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new RefusedRequest(400, 'We could not parse the JSON body of your request.');
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new RefusedRequest(400, `Invalid value at '${issue?.path.join('.')}': ${issue?.message}`);
}

/** @throws RefusedRequest for the faults that refuse a request. */
export function refuseByFault({ refusal }: LegFaults): void {
  if (!refusal) return;
  const { status, retryAfterSeconds } = refusal;
  if (retryAfterSeconds !== undefined)
    throw new RefusedRequest(429, 'Rate limit reached. Please try again later.', {
      'retry-after': String(retryAfterSeconds),
    });
  const reasons: Record<number, string> = { 401: 'The key is not valid.', 503: 'The model is overloaded.' };
  throw new RefusedRequest(status, reasons[status] ?? 'The request cannot be processed.');
}

export interface ServerSentEvent {
  /** The `event:` line, of vendors that have it. */
  event?: string;
  data: unknown;
  /** A part of the text: faults happen after so many of them. */
  isText?: boolean;
}

/** Answers with one JSON document. */
export async function sendJson(response: ServerResponse, faults: LegFaults, body: unknown): Promise<void> {
  if (!(await pausedFor(response, faults))) return;
  const json = JSON.stringify(body);
  const fault = faults.due(Infinity);
  if (fault === 'stall') return;
  if (fault === 'disconnect') return void response.destroy();
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(fault === 'garbage' ? json.slice(0, json.length / 2) : json);
}

/** Answers with a stream of events. `done`: a last line that is not JSON. */
export async function sendEvents(
  response: ServerResponse,
  faults: LegFaults,
  events: Iterable<ServerSentEvent>,
  done = '',
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  if (!(await pausedFor(response, faults))) return;
  let sent = 0;
  for (const { event, data, isText = false } of events) {
    if (isText && !(await passesFaults(response, faults, sent))) return;
    const name = event === undefined ? '' : `event: ${event}\n`;
    if (!response.write(`${name}data: ${JSON.stringify(data)}\n\n`) && !(await drained(response))) return;
    if (isText) sent++;
  }
  if (await passesFaults(response, faults, sent)) response.end(done);
}

/** Whether the stream continues. */
async function passesFaults(response: ServerResponse, faults: LegFaults, sent: number): Promise<boolean> {
  for (let fault = faults.due(sent); fault !== undefined; fault = faults.due(sent)) {
    if (fault === 'stall') return false;
    if (fault === 'garbage') response.write('data: {"type":"garb\n\n');
    else {
      // Events before the cut still leave.
      await new Promise((resolve) => response.write('\n', resolve));
      response.destroy();
      return false;
    }
  }
  return true;
}

async function pausedFor(response: ServerResponse, { delayMs }: LegFaults): Promise<boolean> {
  if (delayMs > 0) await whileOpen(response, (signal) => delay(delayMs, signal));
  return !response.destroyed;
}

async function drained(response: ServerResponse): Promise<boolean> {
  await whileOpen(response, (signal) => once(response, 'drain', { signal }));
  return !response.destroyed;
}

/** Ends early when the client disconnects. */
async function whileOpen(response: ServerResponse, wait: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const closed = new AbortController();
  const close = (): void => closed.abort();
  response.once('close', close);
  try {
    await wait(closed.signal);
  } catch (error) {
    if (!closed.signal.aborted) throw error;
  } finally {
    response.off('close', close);
  }
}
