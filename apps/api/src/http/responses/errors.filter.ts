import { Conflict, type ErrorCode, InvalidFields, type Log, NotFound, traceFields, Unavailable } from '@app/common';
import { RecordExistenceRepository } from '@app/database';
import { LOG } from '@app/common/settings';
import { StorageUnavailable } from '@app/storage';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { Request, Response } from 'express';
import { allowedMethods } from '../server/routes.js';
import { withMisspelledFields } from '../validation/misspelled-fields.js';
import { type PathRecord, recordOfPath } from '../validation/path-params.js';
import { hasWrittenNumber, NumberSuggestionsService } from './number-suggestions.service.js';

interface ErrorResponse {
  status: number;
  /** Methods of the path, if it does not support the method of the request. */
  allow?: string[];
  body: {
    message: string;
    errors?: Record<string, string[]>;
    codes?: Record<string, ErrorCode[]>;
    request_id?: unknown;
  };
}

const plain = (status: number, message: string): ErrorResponse => ({ status, body: { message } });

const UNAVAILABLE = plain(503, 'The service cannot answer at the moment. Try again.');
const FAILED = plain(500, 'Something went wrong on our side. The X-Request-Id header names this request.');
/** Responses about the body or the query. */
const CONTENT_STATUSES: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Maps every error to a JSON response: `{message}`, and for invalid fields `{message, errors, codes, request_id}`. */
@Catch()
export class ErrorsFilter implements ExceptionFilter {
  constructor(
    @Inject(LOG) private readonly log: Log,
    private readonly records: RecordExistenceRepository,
    private readonly suggestions: NumberSuggestionsService,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const reply = errorResponse(error, request, response);
    const { user, handler, params } = request;
    const record = CONTENT_STATUSES.has(reply.status) && user && handler ? recordOfPath(handler, params) : undefined;
    if (!record && !hasWrittenNumber(error)) return this.send(error, reply, request, response);
    void this.sendIfExists(error, reply, { record, request, response });
  }

  /**
   * Existence comes before content: request errors are reported only for a record that the account has. Checking here instead of
   * before each request saves valid requests a statement, and so does reading the country of numbers. Never rejects.
   */
  private async sendIfExists(
    error: unknown,
    reply: ErrorResponse,
    { record, request, response }: { record: PathRecord | undefined; request: Request; response: Response },
  ): Promise<void> {
    try {
      const { user } = request;
      const { place } = record ?? {};
      const exists = place !== undefined && user && (await this.records.exists(user.accountId, place));
      if (record && !exists) return this.send(error, plain(404, new NotFound(record.name).message), request, response);
      if (user && hasWrittenNumber(error)) await this.suggestions.complete(user.accountId, reply.body, error.problems);
      this.send(error, reply, request, response);
    } catch (failure) {
      this.send(failure, isUnavailable(failure) ? UNAVAILABLE : FAILED, request, response);
    }
  }

  private send(error: unknown, { status, allow, body }: ErrorResponse, request: Request, response: Response): void {
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
      // Part of the response was sent: only closing the connection signals the error.
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

function errorResponse(error: unknown, request: Request, response: Response): ErrorResponse {
  if (error instanceof InvalidFields) {
    const { message, fields: errors, codes } = withMisspelledFields(error, request);
    return { status: 422, body: { message, errors, codes, request_id: response.getHeader('X-Request-Id') } };
  }
  if (error instanceof NotFound) return plain(404, error.message);
  if (error instanceof Conflict) return plain(409, error.message);
  if (error instanceof Unavailable) return plain(503, error.message);
  if (error instanceof HttpException) return ofHttp(error, request);
  if (error instanceof StorageUnavailable || isUnavailable(error)) return UNAVAILABLE;
  const status = clientStatus(error);
  if (status !== undefined) return plain(status, 'The request could not be read.');
  return FAILED;
}

function ofHttp(error: HttpException, request: Request): ErrorResponse {
  const status = error.getStatus();
  // A path with invalid escapes (`/calls/%zz`) has no route.
  const undecodable = status === 400 && error.message.startsWith('Failed to decode param');
  if (undecodable) return noRoute(request);
  // The message of Nest for an unknown route repeats the whole URL.
  if (status === 404 && error.message.startsWith('Cannot ')) return otherMethod(request) ?? noRoute(request);
  return plain(status, error.message);
}

/** Express setting: whether the documentation is served. */
export const DOCS_SETTING = 'docs page';
const MAX_PATH_LENGTH = 200;

/** Shows the path without its query, which may hold secrets, and without unprintable characters. */
function noRoute({ app, method, path }: Request): ErrorResponse {
  const printable = path.replaceAll(/[^\x20-\x7e]/g, '?');
  const shown = printable.length > MAX_PATH_LENGTH ? `${printable.slice(0, MAX_PATH_LENGTH)}…` : printable;
  const where = app.get(DOCS_SETTING) === true ? ' The routes of this service are listed at /docs.' : '';
  return plain(404, `There is no route ${method} ${shown}.${where}`);
}

/** RFC 9110 §15.5.6: the path exists, but does not support this method. */
function otherMethod(request: Request): ErrorResponse | undefined {
  const allow = allowedMethods(request);
  if (allow.length === 0) return undefined;
  const message = `The ${request.method} method is not supported for this route. Supported methods: ${allow.join(', ')}.`;
  return { status: 405, allow, body: { message } };
}

/** The 4xx status of an error of Express's own middlewares (http-errors). */
function clientStatus(error: unknown): number | undefined {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

/** PostgreSQL is full (53), shutting down (57P) or unreachable (08, socket errors), no connection is free, or the local disk is full. */
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
