import { traceFields, type Log } from '@app/common';
import { metrics } from '@app/metrics';
import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { endRequestSpan, startRequestSpan } from './request-span.js';

/** Made of what cannot break a log line or a header. */
const REQUEST_ID = /^[\w.-]{8,128}$/;

/**
 * Gives every request an id (the caller's own when it is well-formed), says it in the answer, and writes one line when the
 * answer is over. The line has the route, not the URL: searches and ids of people stay out of the log, and out of the labels of
 * the request's metrics.
 */
export function requestLog(parent: Log) {
  // None of its fields can hold a secret, and looking for some in each line costs 2 % of GET one.
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
    // No AsyncLocalStorage around it: on Node 20 that costs every promise of every request, and what is logged within a
    // request is logged by the errors filter, which finds the id in the answer.
    next();
  };
}

/** The template of the request's route. */
export function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}
