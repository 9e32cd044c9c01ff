import type { Env } from './env.js';
import type { Log } from './log.js';
import { useTracingApi } from './tracing.js';
import { VERSION } from './version.js';

/** Spans that a stopping process may still send; then they are lost. */
const FLUSH_MS = 2_000;

export interface Tracing {
  /** Sends what has ended, for 2 s at most. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Sends spans to the collector at OTEL_EXPORTER_OTLP_ENDPOINT, by OTLP over HTTP in JSON. Sampler, limits, headers and resource
 * attributes are read from the standard variables by OpenTelemetry itself. Without an endpoint nothing of it is loaded.
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
  // What the operator has set comes last.
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** What the exporter complains of (a collector that is away) belongs into the log; its words may name the collector's address. */
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
