import { endSpan, type Span, startSpan, traceParentOf } from '@app/common';
import type { Request } from 'express';

declare global {
  namespace Express {
    interface Request {
      /** Of the span of this request; absent when nothing is traced. */
      traceParent?: string;
    }
  }
}

/** One span per request, a part of the caller's trace when it says so by `traceparent`. */
export function startRequestSpan(request: Request): Span | undefined {
  const span = startSpan(request.method, { kind: 'SERVER', parent: request.headers.traceparent as string | undefined });
  request.traceParent = traceParentOf(span);
  return span;
}

export interface RequestOutcome {
  request: Request;
  /** Its template: URLs hold ids and words of people. */
  route: string;
  status: number;
  requestId: string;
}

export function endRequestSpan(span: Span | undefined, { request, route, status, requestId }: RequestOutcome): void {
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
