import type { Attributes, Span, TimeInput } from '@opentelemetry/api';
import type { Env } from '../environment/env.js';
import type { Log } from './log.js';
import { VERSION } from './version.js';

export type { Span } from '@opentelemetry/api';

type Api = typeof import('@opentelemetry/api');

/** Loaded by startTracing only: without it the process loads nothing of OpenTelemetry, and every span is undefined. */
let api: Api | undefined;

function useTracingApi(loaded: Api | undefined): void {
  api = loaded;
}

export const isTracing = (): boolean => api !== undefined;

interface SpanStart {
  kind?: 'INTERNAL' | 'SERVER' | 'CLIENT' | 'CONSUMER';
  /** A span, or the `traceparent` (W3C Trace Context) of one in another process. Any other value begins a new trace. */
  parent?: Span | string | null;
  at?: TimeInput;
  /** Ids, states, causes, counts and hosts; never phone numbers, spoken words or URLs. */
  attributes?: Attributes;
}

/**
 * Parents are passed explicitly: the implicit context of OpenTelemetry slows down every promise of the process.
 * @returns undefined when tracing is off.
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

/** The `traceparent` of the span: `00-<trace id>-<span id>-<flags>`. */
export function traceParentOf(span: Span | undefined): string | undefined {
  if (!span || !api) return undefined;
  const carrier: { traceparent?: string } = {};
  api.propagation.inject(api.trace.setSpan(api.ROOT_CONTEXT, span), carrier);
  return carrier.traceparent;
}

/** The field that connects log lines with a trace; empty without a trace. */
export function traceFields(traceParent: string | null | undefined): { trace_id?: string } {
  const id = traceParent?.split('-')[1];
  return id ? { trace_id: id } : {};
}

/** A stopping process sends its last spans for this time; then they are lost. */
const FLUSH_MS = 2_000;

export interface Tracing {
  /** Sends ended spans, for 2 s at most. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Sends spans to the collector at OTEL_EXPORTER_OTLP_ENDPOINT, by OTLP over HTTP in JSON. OpenTelemetry reads sampler, limits, headers
 * and resource attributes from its standard variables. Without an endpoint OpenTelemetry is not loaded.
 */
export async function startTracing(
  { OTEL_EXPORTER_OTLP_ENDPOINT }: Pick<Env, 'OTEL_EXPORTER_OTLP_ENDPOINT'>,
  role: string,
  log: Log,
): Promise<Tracing> {
  if (OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return { stop: async () => {} };
  const [api, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const diagnostics = diagnosticsTo(log);
  api.diag.setLogger(diagnostics, { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });
  const provider = new sdk.NodeTracerProvider({
    resource: await resourceOf(role),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  // No context manager: parents are passed explicitly (see startSpan).
  provider.register({ contextManager: null });
  useTracingApi(api);
  return { stop: () => stopped(provider.shutdown(), log) };
}

async function resourceOf(role: string) {
  const [resources, names] = await Promise.all([
    import('@opentelemetry/resources'),
    import('@opentelemetry/semantic-conventions'),
  ]);
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
  const own = resourceFromAttributes({
    [names.ATTR_SERVICE_NAME]: `trunkline-${role}`,
    [names.ATTR_SERVICE_VERSION]: VERSION,
    'trunkline.role': role,
    'process.pid': process.pid,
  });
  // The operator's attributes take precedence.
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Logs the errors of the exporter (an unreachable collector) without its messages, which may contain the collector's address. */
function diagnosticsTo(log: Log) {
  const warn = (_message: string, ...rest: unknown[]): void =>
    log.warn({ err: rest.find((one) => one instanceof Error) }, 'traces could not be sent');
  const nothing = (): void => {};
  return { error: warn, warn, info: nothing, debug: nothing, verbose: nothing };
}

async function stopped(flushing: Promise<void>, log: Log): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FLUSH_MS);
  });
  const flushed = flushing.catch((err: unknown) => log.warn({ err }, 'the last traces could not be sent'));
  await Promise.race([flushed, late]);
  clearTimeout(timer);
}
