import { endSpan, type Log, type Span, startSpan, traceFields, traceParentOf } from '@app/common';
import { metrics } from '@app/metrics';
import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { routeOf } from './routes.js';

declare global {
  namespace Express {
    interface Request {
      /** `traceparent` of the request's span; absent when tracing is off. */
      traceParent?: string;
    }
  }
}

/** Only characters that cannot break a log line or a header. */
const REQUEST_ID = /^[\w.-]{8,128}$/;

/**
 * Assigns each request an id (the client's if it is well-formed), returns it in X-Request-Id, and writes one log line, one metric and one
 * span at the end of the response. They contain the route template instead of the URL, which may hold search terms and personal data.
 */
export function requestLog(parent: Log) {
  // No field of this line can hold a secret, and redaction costs 2 % of the CPU time of reading one record.
  const log = parent.child({}, { redact: [] });
  return (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    const given = request.get('x-request-id');
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
    response.setHeader('X-Request-Id', requestId);
    const span = startRequestSpan(request);
    response.once('close', () => {
      const ms = performance.now() - startedAt;
      const { method } = request;
      const route = routeOf(request);
      const status = response.statusCode;
      metrics.httpRequestSeconds.observe({ method, route, status }, ms / 1_000);
      endRequestSpan(span, { request, route, status, requestId });
      const line: Record<string, unknown> = {
        request_id: requestId,
        account_id: request.user?.accountId,
        method,
        route,
        status,
        ms: Math.round(ms * 10) / 10,
      };
      Object.assign(line, traceFields(request.traceParent));
      if (!response.writableFinished) line.aborted = true;
      log.info(line, 'request');
    });
    // No AsyncLocalStorage: on Node 20 it slows down every promise. The errors filter reads the request id from the response.
    next();
  };
}

/** One span per request. It joins the trace of the client if the request has a `traceparent` header. */
function startRequestSpan(request: Request): Span | undefined {
  const span = startSpan(request.method, { kind: 'SERVER', parent: request.headers.traceparent as string | undefined });
  request.traceParent = traceParentOf(span);
  return span;
}

interface RequestOutcome {
  request: Request;
  /** The template; URLs contain ids and personal data. */
  route: string;
  status: number;
  requestId: string;
}

function endRequestSpan(span: Span | undefined, { request, route, status, requestId }: RequestOutcome): void {
  if (!span) return;
  span.updateName(`${request.method} ${route}`);
  endSpan(span, {
    failed: status >= 500,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': status,
      'trunkline.request_id': requestId,
      'trunkline.account_id': request.user?.accountId,
    },
  });
}
