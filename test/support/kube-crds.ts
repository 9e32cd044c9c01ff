/** The used fields of custom resources as JSON Schema; any other field is a mistake. */
const object = (properties: object, required: string[] = Object.keys(properties)): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = { type: 'string', minLength: 1 };
const whole = { type: 'integer', minimum: 0 };
const strings = { type: 'object', additionalProperties: { type: 'string' } };
const list = (items: object): object => ({ type: 'array', items, minItems: 1 });
const duration = { type: 'string', pattern: '^[0-9]+(?:ms|s|m|h)$' };
const metadata = object({ name: text, namespace: text, labels: strings, annotations: strings }, ['name']);
const crd = (apiVersion: string, kind: string, spec: object): object =>
  object({ apiVersion: { const: apiVersion }, kind: { const: kind }, metadata, spec });

const MONITORING = 'monitoring.coreos.com/v1';
const endpoint = object({ port: text, path: { const: '/metrics' }, interval: duration });
const selector = object({ matchLabels: strings });
const rule = object({ alert: text, expr: text, for: duration, labels: strings, annotations: strings }, [
  'alert',
  'expr',
  'labels',
  'annotations',
]);
const record = object({ record: text, expr: text });

const GATEWAY = 'gateway.networking.k8s.io/v1';
const port = { type: 'integer', minimum: 1, maximum: 65_535 };
const gatewaySpec = object({
  gatewayClassName: text,
  listeners: list(
    object({
      name: text,
      hostname: text,
      port,
      protocol: { enum: ['HTTP', 'HTTPS', 'TLS', 'TCP', 'UDP'] },
      tls: object({ mode: { enum: ['Terminate', 'Passthrough'] }, certificateRefs: list(object({ name: text })) }),
      allowedRoutes: object({ namespaces: object({ from: { enum: ['All', 'Selector', 'Same'] } }) }),
    }),
  ),
});
const routeSpec = object({
  parentRefs: list(object({ name: text, sectionName: text })),
  hostnames: list(text),
  rules: list(
    object({
      matches: list(
        object({ path: object({ type: { enum: ['Exact', 'PathPrefix', 'RegularExpression'] }, value: text }) }),
      ),
      timeouts: object({ request: duration, backendRequest: duration }),
      backendRefs: list(object({ name: text, port })),
    }),
  ),
});

/** https://gateway-api.sigs.k8s.io/reference/spec/, https://prometheus-operator.dev/docs/api-reference/api/ and https://keda.sh/docs/2.17/reference/scaledobject-spec/ */
export const CRD_SCHEMAS: Record<string, object> = {
  Gateway: crd(GATEWAY, 'Gateway', gatewaySpec),
  HTTPRoute: crd(GATEWAY, 'HTTPRoute', routeSpec),
  ServiceMonitor: crd(MONITORING, 'ServiceMonitor', object({ selector, endpoints: list(endpoint) })),
  PodMonitor: crd(MONITORING, 'PodMonitor', object({ selector, podMetricsEndpoints: list(endpoint) })),
  PrometheusRule: crd(
    MONITORING,
    'PrometheusRule',
    object({
      groups: list(
        object({ name: text, interval: duration, rules: list({ anyOf: [rule, record] }) }, ['name', 'rules']),
      ),
    }),
  ),
  ScaledObject: crd(
    'keda.sh/v1alpha1',
    'ScaledObject',
    object(
      {
        scaleTargetRef: object({ kind: { enum: ['Deployment', 'StatefulSet'] }, name: text }),
        minReplicaCount: whole,
        maxReplicaCount: whole,
        cooldownPeriod: whole,
        // The behaviour of an autoscaling/v2 HorizontalPodAutoscaler.
        advanced: object({ horizontalPodAutoscalerConfig: object({ behavior: { type: 'object' } }) }),
        triggers: list(
          object({
            type: { const: 'prometheus' },
            metadata: object({ serverAddress: text, query: text, threshold: text }),
          }),
        ),
      },
      ['scaleTargetRef', 'minReplicaCount', 'maxReplicaCount', 'triggers'],
    ),
  ),
};
