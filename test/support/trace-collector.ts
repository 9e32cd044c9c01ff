import { WebhookReceiver } from './webhook-receiver.js';

interface OtlpValue {
  stringValue?: string;
  intValue?: number;
  doubleValue?: number;
  boolValue?: boolean;
}

interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  events: { name: string; attributes: OtlpAttribute[] }[];
}

export interface CollectedSpan {
  /** `service.name` */
  service: string;
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  ms: number;
  attributes: Record<string, unknown>;
  events: string[];
}

/** An OpenTelemetry collector on loopback that stores received spans (OTLP over HTTP, JSON). */
export class TraceCollector {
  private constructor(private readonly receiver: WebhookReceiver) {}

  static async start(): Promise<TraceCollector> {
    return new TraceCollector(await WebhookReceiver.start());
  }

  get endpoint(): string {
    return this.receiver.url('');
  }

  /** All received bodies, unparsed. */
  get texts(): string[] {
    return this.receiver.received.map(({ body }) => body);
  }

  get spans(): CollectedSpan[] {
    return this.texts.flatMap(spansOf);
  }

  close(): Promise<void> {
    return this.receiver.close();
  }
}

function spansOf(text: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => collect(span, service)));
  });
}

const collect = (span: OtlpSpan, service: string): CollectedSpan => ({
  service,
  traceId: span.traceId,
  spanId: span.spanId,
  parentId: span.parentSpanId ?? '',
  name: span.name,
  ms: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
  attributes: valuesOf(span.attributes),
  events: span.events.map(({ name }) => name),
});

const valuesOf = (attributes: OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
