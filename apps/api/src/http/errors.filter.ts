import { Conflict, InvalidFields, type Log, NotFound, traceFields } from '@app/common';
import { RecordExistenceRepository } from '@app/database';
import { LOG } from '@app/settings';
import { StorageUnavailable } from '@app/storage';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { Request, Response } from 'express';
import { allowedMethods } from './allowed-methods.js';
import { type PathRecord, recordOfPath } from './path-record.js';
import { routeOf } from './request-log.js';

interface Answer {
  status: number;
  /** Of the path, when it takes others than that of the request. */
  allow?: string[];
  body: { message: string; errors?: Record<string, string[]> };
}

const plain = (status: number, message: string): Answer => ({ status, body: { message } });

const UNAVAILABLE = plain(503, 'The service cannot answer at the moment. Try again.');
const FAILED = plain(500, 'Something went wrong on our side. The X-Request-Id header names this request.');
/** Answers about the body or the query. */
const OF_CONTENT: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Turns every error into an answer: `{message}`, and for wrong fields `{message, errors}`. */
@Catch()
export class ErrorsFilter implements ExceptionFilter {
  constructor(
    @Inject(LOG) private readonly log: Log,
    private readonly records: RecordExistenceRepository,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const answer = answerTo(error, request);
    const record =
      OF_CONTENT.has(answer.status) && request.user ? recordOfPath(routeOf(request), request.params) : undefined;
    if (!record) return this.answer(error, answer, request, response);
    void this.answerIfExists(error, answer, { record, request, response });
  }

  /**
   * Existence comes before content: problems of a request are only described for a record that the account has. Checked here and
   * not before each request is read, so that valid requests cost no further statement. Never rejects.
   */
  private async answerIfExists(
    error: unknown,
    answer: Answer,
    { record: { what, place }, request, response }: { record: PathRecord; request: Request; response: Response },
  ): Promise<void> {
    try {
      const { user } = request;
      const exists = place !== undefined && user && (await this.records.exists(user.accountId, place));
      this.answer(error, exists ? answer : plain(404, new NotFound(what).message), request, response);
    } catch (failure) {
      this.answer(failure, isUnavailable(failure) ? UNAVAILABLE : FAILED, request, response);
    }
  }

  private answer(error: unknown, { status, allow, body }: Answer, request: Request, response: Response): void {
    if (status >= 500) {
      const requestId = response.getHeader('X-Request-Id');
      this.log.error(
        {
          err: error,
          status,
          request_id: requestId,
          account_id: request.user?.accountId,
          ...traceFields(request.traceParent),
        },
        'request failed',
      );
    }
    if (response.headersSent) {
      // Half of the answer is gone: only a cut connection tells the client.
      response.destroy();
      return;
    }
    if (allow) response.setHeader('Allow', allow.join(', '));
    if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    if ((status === 503 || status === 429) && !response.hasHeader('Retry-After'))
      response.setHeader('Retry-After', '1');
    response.status(status).json(body);
  }
}

function answerTo(error: unknown, request: Request): Answer {
  if (error instanceof InvalidFields) {
    return { status: 422, body: { message: error.message, errors: error.fields } };
  }
  if (error instanceof NotFound) return plain(404, error.message);
  if (error instanceof Conflict) return plain(409, error.message);
  if (error instanceof HttpException) return ofHttp(error, request);
  if (error instanceof StorageUnavailable || isUnavailable(error)) return UNAVAILABLE;
  const status = clientStatus(error);
  if (status !== undefined) return plain(status, 'The request could not be read.');
  return FAILED;
}

function ofHttp(error: HttpException, request: Request): Answer {
  const status = error.getStatus();
  // A path whose escapes are broken (`/calls/%zz`) names nothing.
  const undecodable = status === 400 && error.message.startsWith('Failed to decode param');
  if (undecodable) return noRoute(request);
  // Nest's own sentence for a route it does not have repeats the whole URL.
  if (status === 404 && error.message.startsWith('Cannot ')) return otherMethod(request) ?? noRoute(request);
  return plain(status, error.message);
}

/** The setting of Express that says whether there is a page of documentation. */
export const DOCS_SETTING = 'docs page';
const LONGEST_PATH = 200;

/** The path without its query, which may hold secrets, and without what is not printable. */
function noRoute({ app, method, path }: Request): Answer {
  const printable = path.replaceAll(/[^\x20-\x7e]/g, '?');
  const shown = printable.length > LONGEST_PATH ? `${printable.slice(0, LONGEST_PATH)}…` : printable;
  const where = app.get(DOCS_SETTING) === true ? ' The routes of this service are listed at /docs.' : '';
  return plain(404, `There is no route ${method} ${shown}.${where}`);
}

/** RFC 9110 §15.5.6: the path is there, but not for this method. */
function otherMethod(request: Request): Answer | undefined {
  const allow = allowedMethods(request);
  if (allow.length === 0) return undefined;
  const message = `The ${request.method} method is not supported for this route. Supported methods: ${allow.join(', ')}.`;
  return { status: 405, allow, body: { message } };
}

/** Errors of Express's own middlewares (http-errors) that are the client's. */
function clientStatus(error: unknown): number | undefined {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

/** PostgreSQL is full (53), shutting down (57P), unreachable (08, a socket error), or no connection came free; or our own disk is full. */
function isUnavailable(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (
    typeof code === 'string' &&
    /^(?:53|57P|08|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EPIPE|ENOSPC|EDQUOT)/.test(code)
  )
    return true;
  return (
    typeof message === 'string' &&
    /^(?:timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error)/.test(
      message,
    )
  );
}
