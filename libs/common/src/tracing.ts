import type { Attributes, Span, TimeInput } from '@opentelemetry/api';

export type { Span } from '@opentelemetry/api';

type Api = typeof import('@opentelemetry/api');

/** Loaded by startTracing only: without it nothing of OpenTelemetry is in the process, and every span is undefined. */
let api: Api | undefined;

export function useTracingApi(loaded: Api | undefined): void {
  api = loaded;
}

export const isTracing = (): boolean => api !== undefined;

interface SpanStart {
  kind?: 'INTERNAL' | 'SERVER' | 'CLIENT' | 'CONSUMER';
  /** A span, or the `traceparent` (W3C Trace Context) of one in another process. Any other value begins a new trace. */
  parent?: Span | string | null;
  at?: TimeInput;
  /** Ids, states, causes, counts and hosts; never numbers of people, words of theirs, or URLs. */
  attributes?: Attributes;
}

/**
 * Parents are passed explicitly: the context that OpenTelemetry would carry along costs every promise of the process.
 * @returns undefined when nothing is traced.
 */
export function startSpan(name: string, { kind = 'INTERNAL', parent, at, attributes }: SpanStart): Span | undefined {
  if (!api) return undefined;
  const options = { kind: api.SpanKind[kind], startTime: at, attributes };
  return api.trace.getTracer('trunkline').startSpan(name, options, contextOf(api, parent));
}

function contextOf({ propagation, ROOT_CONTEXT, trace }: Api, parent: SpanStart['parent']) {
  if (!parent) return ROOT_CONTEXT;
  if (typeof parent === 'string') return propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  return trace.setSpan(ROOT_CONTEXT, parent);
}

interface SpanEnd {
  at?: TimeInput;
  attributes?: Attributes;
  failed?: boolean;
}

export function endSpan(span: Span | undefined, { at, attributes = {}, failed = false }: SpanEnd = {}): void {
  if (!span || !api) return;
  span.setAttributes(attributes);
  if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR });
  span.end(at);
}

/** What others name the span by: `00-<trace id>-<span id>-<flags>`. */
export function traceParentOf(span: Span | undefined): string | undefined {
  if (!span || !api) return undefined;
  const carrier: { traceparent?: string } = {};
  api.propagation.inject(api.trace.setSpan(api.ROOT_CONTEXT, span), carrier);
  return carrier.traceparent;
}

/** The field of log lines that joins them with a trace; empty when there is none. */
export function traceFields(traceParent: string | null | undefined): { trace_id?: string } {
  const id = traceParent?.split('-')[1];
  return id ? { trace_id: id } : {};
}
