import { expect, it } from '@jest/globals';
import { loadEnv, ROLE_SECRETS, type SecretReader } from '@app/common';
import { metrics } from '@app/metrics';
import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { envNames } from '../support/env-names.js';
import { CRD_SCHEMAS } from '../support/kube-crds.js';
import { type Container, type PodSpec, restrictedProblems, type Workload, workloadsOf } from '../support/kube-pods.js';
import { typeProblems } from '../support/kube-types.js';
import { letsIn, letsOut } from '../support/kube-egress.js';
import { kustomize, type KubeObject } from '../support/kustomize.js';
import { isInstalled } from '../support/programs.js';
import { suiteWith } from '../support/suite-with.js';
import { commandProblem } from '../support/trunkline-command.js';

const PRODUCTION = 'kubernetes/overlays/production';
const WITH_INGRESS = 'kubernetes/overlays/production-ingress';
const OVERLAYS = ['kubernetes/base', 'kubernetes/overlays/dev', PRODUCTION, WITH_INGRESS];
const suite = suiteWith(['kubectl']);

const EXAMPLE = 'kubernetes/overlays/example';
const overlays = new Map(
  [...OVERLAYS, EXAMPLE].map((folder) => [folder, isInstalled('kubectl') ? kustomize(folder) : []]),
);
const built = (folder: string): KubeObject[] => overlays.get(folder) ?? [];

const titled = (objects: readonly KubeObject[]): [string, KubeObject][] =>
  objects.map((object) => [`${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, object]);
const ours = ({ pod }: Workload): Container[] => pod.containers.filter(({ image }) => /(?:^|\/)trunkline:/.test(image));
const envOf = (container: Container, name: string): string | undefined =>
  container.env?.find((one) => one.name === name)?.value;
const SECRETS = new Set<string>(Object.values(ROLE_SECRETS).flat());
const SERVING = [
  { namespace: 'trunkline', component: 'api' },
  { namespace: 'trunkline', component: 'worker' },
  { namespace: 'trunkline-media', component: 'dialer' },
];
const EMBEDDER = {
  namespace: { 'kubernetes.io/metadata.name': 'trunkline' },
  pod: { 'app.kubernetes.io/component': 'embedder' },
};
const matches = (wanted: Record<string, string>, labels: Record<string, string>): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

interface SecretSource {
  secret?: { name: string; optional?: boolean; items?: { key: string; path: string }[] };
}
const sourcesOf = (volume: object): SecretSource[] =>
  (volume as { projected?: { sources: SecretSource[] } }).projected?.sources ?? [];
const secretNames = (volume: object): string[] => sourcesOf(volume).flatMap(({ secret }) => secret?.name ?? []);

/** The files in SECRETS_DIR of a container, and those without which its pod does not start. */
function secretsOf(pod: PodSpec, container: Container): { sources: string[]; required: string[] } {
  const folder = envOf(container, 'SECRETS_DIR');
  const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === folder);
  const volume = pod.volumes?.find(({ name }) => name === mount?.name) ?? {};
  const items = sourcesOf(volume).flatMap(({ secret }) =>
    (secret?.items ?? []).map((item) => ({ ...item, ...secret })),
  );
  expect(items.filter(({ key, path }) => key !== path)).toEqual([]);
  return {
    sources: items.map(({ key }) => key),
    required: items.filter(({ optional }) => optional !== true).map(({ key }) => key),
  };
}

type Model = new (data: KubeObject) => { validate(): void };

const load = createRequire(import.meta.url);

/** What the API server would refuse of the values. */
function valueProblem(object: KubeObject): string[] {
  const module = load(`kubernetes-models/${object.apiVersion}/${object.kind}`) as Record<string, Model>;
  const Type = module[object.kind] as Model;
  try {
    new Type(object).validate();
    return [];
  } catch (error) {
    return titled([object]).map(([title]) => `${title}: ${(error as Error).message}`);
  }
}

suite.each(OVERLAYS)('%s', (folder) => {
  const objects = built(folder);
  const custom = objects.filter(({ kind }) => kind in CRD_SCHEMAS);
  const known = objects.filter(({ kind }) => !(kind in CRD_SCHEMAS));
  const workloads = workloadsOf(objects);
  const of = (kind: string): KubeObject[] => objects.filter((object) => object.kind === kind);

  it('has only values that Kubernetes accepts', () => expect(known.flatMap(valueProblem)).toEqual([]));

  it('has only known fields of custom resources', () => {
    const ajv = new Ajv({ allErrors: true, strict: false });
    const refused = titled(custom).filter(([, object]) => !ajv.validate(CRD_SCHEMAS[object.kind] ?? false, object));
    expect(refused.map(([title]) => `${title}: ${ajv.errorsText()}`)).toEqual([]);
  });

  it('defines each object once, in an existing namespace', () => {
    const titles = titled(objects).map(([title]) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
    const namespaces = of('Namespace').map(({ metadata }) => metadata.name);
    const lost = objects.filter(
      ({ kind, metadata }) => kind !== 'Namespace' && !namespaces.includes(metadata.namespace ?? ''),
    );
    expect(titled(lost).map(([title]) => title)).toEqual([]);
  });

  it('meets the restricted profile except for the host network of dialers, which their namespace permits', () => {
    const found = workloads.map(({ object, pod }) => [object.metadata.name, restrictedProblems(pod)] as const);
    const wrong = Object.fromEntries(found.filter(([, problems]) => problems.length > 0));
    expect(wrong).toEqual(folder.endsWith('dev') ? {} : { dialer: ['hostNetwork'] });
    for (const { metadata } of of('Namespace')) {
      const exempt = metadata.name === 'trunkline-media' && !folder.endsWith('dev');
      expect(metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe(exempt ? 'privileged' : 'restricted');
    }
  });

  it('gives every container a pinned release, limits and a read-only file system', () => {
    for (const { image, resources, securityContext } of workloads.flatMap(({ pod }) => pod.containers)) {
      expect(image).toMatch(/:[\w.-]+(?:@sha256:[\da-f]{64})?$/);
      expect(image).not.toMatch(/:latest$/);
      for (const kind of ['requests', 'limits'] as const)
        expect(Object.keys(resources?.[kind] ?? {})).toEqual(['cpu', 'memory']);
      expect(securityContext?.readOnlyRootFilesystem).toBe(true);
    }
    expect(workloads.filter(({ pod }) => pod.automountServiceAccountToken !== false)).toEqual([]);
  });

  it('starts existing commands with known variables and without plain secrets', () => {
    const names = envNames();
    const settings = of('ConfigMap').filter(({ metadata }) => metadata.name === 'trunkline');
    for (const container of workloads.flatMap(ours)) {
      expect(commandProblem(container.args ?? [])).toBeUndefined();
      const given = (container.env ?? []).filter(({ name }) => !names.has(name));
      expect(given).toEqual([]);
      expect((container.env ?? []).filter(({ name, value }) => value && SECRETS.has(name))).toEqual([]);
    }
    const set = settings.flatMap(({ data }) => Object.keys(data ?? {}));
    expect(set.filter((name) => !names.has(name) || SECRETS.has(name))).toEqual([]);
    expect(of('Secret').length > 0).toBe(folder.endsWith('dev'));
  });

  it('probes health on the port and path that the process serves', () => {
    for (const container of workloads
      .flatMap(ours)
      .filter(({ args }) => args?.[2] !== 'phone' && args?.[0] === 'start')) {
      const portOf = (name: unknown): number | undefined =>
        container.ports?.find((port) => port.name === name)?.containerPort;
      const answering = [envOf(container, 'HEALTH_PORT'), envOf(container, 'PORT')].map(Number);
      const { startupProbe, livenessProbe, readinessProbe } = container;
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
        expect(answering).toContain(portOf(probe?.httpGet?.port));
      }
      expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path)).toEqual([
        '/health/live',
        '/health/live',
        '/health/ready',
      ]);
    }
  });

  it('sets a grace period of DRAIN_SECONDS plus a minute, so that calls can end', () => {
    const dialers = workloads.filter(({ object }) => object.metadata.name === 'dialer');
    expect(dialers).toHaveLength(1);
    for (const workload of dialers) {
      const [container] = ours(workload);
      const drain = Number(container && envOf(container, 'DRAIN_SECONDS'));
      expect(workload.pod.terminationGracePeriodSeconds).toBe(drain + 60);
    }
  });

  it('selects existing pods', () => {
    const strangers = workloads.filter(({ object, labels }) => {
      const { selector } = object.spec as { selector?: { matchLabels: Record<string, string> } };
      return selector && !matches(selector.matchLabels, labels);
    });
    expect(strangers).toEqual([]);
    const selectors = objects
      .filter(({ kind }) => ['Service', 'PodDisruptionBudget', 'PodMonitor', 'NetworkPolicy'].includes(kind))
      .map((object) => {
        const { selector, podSelector } = object.spec as Record<string, Record<string, unknown> | undefined>;
        const found = selector ?? podSelector ?? {};
        return [
          object,
          (found.matchLabels ?? (object.kind === 'Service' ? found : {})) as Record<string, string>,
        ] as const;
      });
    const lost = selectors.filter(
      ([{ metadata }, wanted]) =>
        !workloads.some(
          ({ object, labels }) => object.metadata.namespace === metadata.namespace && matches(wanted, labels),
        ),
    );
    expect(titled(lost.map(([object]) => object)).map(([title]) => title)).toEqual([]);
  });

  it('denies all other traffic in each namespace, and disrupts one pod at a time', () => {
    for (const { metadata } of of('Namespace')) {
      const deny = of('NetworkPolicy').find(
        (policy) => policy.metadata.name === 'default-deny' && policy.metadata.namespace === metadata.name,
      );
      expect(deny?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    }
    const budgets = of('PodDisruptionBudget').map(({ metadata, spec }) => [metadata.name, spec?.maxUnavailable]);
    expect(Object.fromEntries(budgets)).toEqual({ api: 1, worker: 1, dialer: 1, embedder: 1 });
  });

  it.each([
    ['the DNS cache of the node', { address: '169.254.20.10', port: 53, protocol: 'UDP' }, true],
    ['other services of the node', { address: '169.254.169.254', port: 80 }, false],
    ['the Internet', { address: '203.0.113.7', port: 443 }, true],
    ['the Internet by IPv6', { address: '2001:db8::7', port: 443 }, true],
    ['what is inside', { address: '10.1.2.3', port: 443 }, false],
    ['what is inside by IPv6', { address: 'fd00::7', port: 443 }, false],
    ['an address inside in the form of IPv6', { address: '64:ff9b::a01:203', port: 443 }, false],
    ['the link by IPv6', { address: 'fe80::7', port: 443 }, false],
    ['a database anywhere', { address: '10.1.2.3', port: 5432 }, false],
    ['a Redis anywhere', { address: '203.0.113.7', port: 6379 }, false],
    ['a collector of traces', { namespace: { 'kubernetes.io/metadata.name': 'monitoring' }, port: 4318 }, true],
    ['the embedder', { ...EMBEDDER, port: 3010 }, true],
    ['the api', { ...EMBEDDER, pod: { 'app.kubernetes.io/component': 'api' }, port: 3010 }, false],
    ['anything else', { address: '203.0.113.7', port: 22 }, false],
  ])('lets processes connect to %s (%j): %s', (_name, remote, may) => {
    for (const pod of SERVING) expect([pod.component, letsOut(objects, pod, remote)]).toEqual([pod.component, may]);
    // It needs nothing, not even names.
    expect(letsOut(objects, { namespace: 'trunkline', component: 'embedder' }, remote)).toBe(false);
  });

  it('leads to the stores of this cluster, or of the networks that the production overlays name', () => {
    const inCluster = { namespace: { 'trunkline.dev/stores': 'true' } };
    const isProduction = folder.includes('production');
    for (const [store, port] of [
      ['10.20.1.9', 5432],
      ['10.20.2.9', 6380],
      ['10.20.2.9', 26_380],
    ] as const) {
      for (const pod of SERVING) {
        expect(letsOut(objects, pod, { ...inCluster, port })).toBe(!isProduction);
        expect(letsOut(objects, pod, { address: store, port })).toBe(isProduction);
        expect(letsOut(objects, pod, { address: '10.20.3.9', port })).toBe(false);
      }
    }
    const migrate = { namespace: 'trunkline', component: 'migrate' };
    expect(letsOut(objects, migrate, { ...(isProduction ? { address: '10.20.1.9' } : inCluster), port: 5432 })).toBe(
      true,
    );
    expect(letsOut(objects, migrate, { address: '203.0.113.7', port: 443 })).toBe(false);
    // HTTPS_ONLY.
    for (const pod of SERVING) expect(letsOut(objects, pod, { address: '203.0.113.7', port: 80 })).toBe(!isProduction);
  });

  it('leads the api, and nobody else, to the internal port of the dialers', () => {
    const [api, worker] = SERVING as [(typeof SERVING)[0], (typeof SERVING)[0]];
    const dialer = { namespace: 'trunkline-media', component: 'dialer' };
    const node = folder.includes('production') ? '10.20.10.7' : '10.1.2.3';
    const labels = (namespace: string, component: string) => ({
      namespace: { 'kubernetes.io/metadata.name': namespace },
      pod: { 'app.kubernetes.io/component': component },
      port: 3200,
    });
    expect(letsOut(objects, api, { address: node, port: 3200 })).toBe(true);
    expect(letsOut(objects, api, labels('trunkline-media', 'dialer'))).toBe(true);
    expect(letsOut(objects, api, { address: '203.0.113.7', port: 3200 })).toBe(false);
    expect(letsOut(objects, worker, { address: node, port: 3200 })).toBe(false);
    expect(letsIn(objects, dialer, labels('trunkline', 'api'))).toBe(true);
    for (const other of [labels('trunkline', 'worker'), labels('monitoring', 'api'), { address: node, port: 3200 }])
      expect(letsIn(objects, dialer, other)).toBe(false);
    const [container] = workloads.filter(({ object }) => object.metadata.name === 'dialer').flatMap(ours);
    expect(envOf(container!, 'INTERNAL_PORT')).toBe('3200');
    expect(container?.ports).toContainEqual({ name: 'internal', containerPort: 3200 });
    expect(container?.env).toContainEqual({
      name: 'INTERNAL_ADDRESS',
      valueFrom: { fieldRef: { fieldPath: 'status.podIP' } },
    });
    // On the host's network the firewall of its node closes the port.
    expect(readFileSync('deploy/dialer.nft', 'utf8')).toMatch(
      /ip saddr \$API tcp dport 3200 accept\n[^]*tcp dport \{ 5060, 5061, 3002, 3200 \} drop/,
    );
  });

  it('reaches Services by IPv4 and IPv6, and accepts traffic from labelled ingress namespaces', () => {
    const ourServices = of('Service').filter(({ metadata }) => ['api', 'dialer'].includes(metadata.name));
    expect(ourServices.map(({ spec }) => spec?.ipFamilyPolicy)).toEqual(['PreferDualStack', 'PreferDualStack']);
    const api = of('NetworkPolicy').find(({ metadata }) => metadata.name === 'api');
    expect(JSON.stringify(api?.spec)).toContain('"matchLabels":{"trunkline.dev/entrance":"true"}');
  });

  it('gives api, worker and dialers the address of the embedder, which has no secret and which they alone reach', () => {
    const settings = of('ConfigMap').filter(({ metadata }) => metadata.name === 'trunkline');
    expect(settings.map(({ data }) => data?.EMBEDDER_URL)).toEqual(
      settings.map(() => 'http://embedder.trunkline.svc:3010'),
    );
    const [embedder] = workloads.filter(({ object }) => object.metadata.name === 'embedder').flatMap(ours);
    expect(embedder?.envFrom).toEqual([{ configMapRef: { name: 'trunkline' } }]);
    const service = of('Service').find(({ metadata }) => metadata.name === 'embedder');
    expect(service?.spec).toMatchObject({ ports: [{ port: 3010, targetPort: 'embeddings' }] });
    const policy = of('NetworkPolicy').find(({ metadata }) => metadata.name === 'embedder');
    expect(policy?.spec).toMatchObject({ policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 'embeddings' }] }] });
  });

  it('can disable the console', () => {
    const settings = of('ConfigMap').find(
      ({ metadata }) => metadata.name === 'trunkline' && metadata.namespace === 'trunkline',
    );
    expect(loadEnv({ ...settings?.data, CONSOLE: 'false' }).CONSOLE).toBe(false);
    expect(settings?.data?.CONSOLE).toBe('true');
  });

  it('mounts the secrets of its role into each container, and no others', () => {
    const mounted = workloads.flatMap((workload) => ours(workload).map((container) => [workload, container] as const));
    for (const [{ object, pod }, container] of mounted) {
      const role = (container.args?.[0] === 'start' ? container.args[2] : container.args?.[0]) as SecretReader;
      const { sources, required } = secretsOf(pod, container);
      expect([role, sources.toSorted()]).toEqual([role, ROLE_SECRETS[role].toSorted()]);
      const always = { api: 2, worker: 2, dialer: 2, migrate: 1 }[role as string] ?? 0;
      expect([role, required]).toEqual([role, ['DATABASE_URL', 'SECRET_KEY'].slice(0, always)]);
      expect(JSON.stringify(container.envFrom ?? [])).not.toContain('secretRef');
      const names = (pod.volumes ?? []).flatMap((volume) => secretNames(volume));
      expect(new Set(names)).toEqual(
        new Set(
          always === 0 && role !== 'phone'
            ? []
            : [object.metadata.name === 'migrate' ? 'trunkline-migrate' : 'trunkline'],
        ),
      );
    }
  });

  it('refers only to existing settings and volumes', () => {
    for (const { object, pod } of workloads) {
      const maps = of('ConfigMap').filter(({ metadata }) => metadata.namespace === object.metadata.namespace);
      const from = pod.containers.flatMap(({ envFrom }) => envFrom ?? []);
      const names = maps.map(({ metadata }) => metadata.name);
      expect(
        from.flatMap(({ configMapRef }) => configMapRef?.name ?? []).filter((name) => !names.includes(name)),
      ).toEqual([]);
      const volumes = (pod.volumes ?? []).map(({ name }) => name);
      const mounted = pod.containers.flatMap(({ volumeMounts }) => volumeMounts ?? []).map(({ name }) => name);
      expect(mounted.filter((name) => !volumes.includes(name))).toEqual([]);
    }
  });
});

suite('all of them', () => {
  it('have only known Kubernetes fields', () => {
    const objects = OVERLAYS.flatMap(built).filter(({ kind }) => !(kind in CRD_SCHEMAS));
    expect(typeProblems(objects)).toEqual([]);
  });
});

suite('the example of an own overlay', () => {
  const objects = built(EXAMPLE);
  const known = objects.filter(({ kind }) => !(kind in CRD_SCHEMAS));

  it('is accepted by Kubernetes', () => {
    expect([known.flatMap(valueProblem), typeProblems(known)]).toEqual([[], []]);
    const ajv = new Ajv({ strict: false });
    const custom = objects.filter(({ kind }) => kind in CRD_SCHEMAS);
    expect(custom.filter((object) => !ajv.validate(CRD_SCHEMAS[object.kind] ?? false, object))).toEqual([]);
  });

  it('replaces every address and name that production leaves to the operator, and nothing else', () => {
    const placeholders = /(?:calls|registry)\.example\.com|10\.20\.\d+\.\d+|192\.0\.2\.\d+|198\.51\.100\.\d+/g;
    const left = (all: readonly KubeObject[]): string[] => JSON.stringify(all).match(placeholders) ?? [];
    expect(left(objects)).toEqual([]);
    expect(left(built(PRODUCTION)).length).toBeGreaterThan(10);
    const names = (all: readonly KubeObject[]): string[] => titled(all).map(([title]) => title);
    expect(names(objects)).toEqual(names(built(PRODUCTION)));
    const [pod] = SERVING;
    expect(pod && letsOut(objects, pod, { address: '10.8.1.3', port: 5432 })).toBe(true);
    expect(pod && letsOut(objects, pod, { address: '10.20.1.9', port: 5432 })).toBe(false);
  });
});

suite('the entrance', () => {
  const kinds = (folder: string): string[] =>
    built(folder)
      .map(({ kind }) => kind)
      .filter((kind) => ['Ingress', 'Gateway', 'HTTPRoute'].includes(kind));
  const [gateway, route] = ['Gateway', 'HTTPRoute'].map((kind) =>
    built(PRODUCTION).find((object) => object.kind === kind),
  );

  it('is a Gateway with its route, or an Ingress', () => {
    expect([kinds(PRODUCTION).toSorted(), kinds(WITH_INGRESS)]).toEqual([['Gateway', 'HTTPRoute'], ['Ingress']]);
  });

  it('serves PUBLIC_URL from the port of the api, without a time limit for event streams', () => {
    const objects = built(PRODUCTION);
    const settings = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.namespace === 'trunkline');
    const { hostname } = new URL(settings?.data?.PUBLIC_URL ?? '');
    const service = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'api');
    expect(gateway?.spec).toMatchObject({ listeners: [{ name: 'https', hostname, protocol: 'HTTPS' }] });
    expect(route?.spec).toMatchObject({
      parentRefs: [{ name: gateway?.metadata.name, sectionName: 'https' }],
      hostnames: [hostname],
      rules: [{ timeouts: { request: '0s', backendRequest: '0s' }, backendRefs: [{ name: 'api', port: 80 }] }],
    });
    expect(service?.spec).toMatchObject({ ports: expect.arrayContaining([expect.objectContaining({ port: 80 })]) });
  });
});

suite('the production overlay', () => {
  const objects = built(PRODUCTION);
  const named = (kind: string): Record<string, KubeObject> =>
    Object.fromEntries(
      objects.filter((object) => object.kind === kind).map((object) => [object.metadata.name, object]),
    );

  it('scales each role by its bottleneck', () => {
    expect(Object.keys(named('HorizontalPodAutoscaler'))).toEqual(['api']);
    expect(Object.keys(named('ScaledObject'))).toEqual(['dialer', 'worker']);
    const targets = [...Object.values(named('HorizontalPodAutoscaler')), ...Object.values(named('ScaledObject'))].map(
      ({ spec }) => spec?.scaleTargetRef as { kind: string; name: string },
    );
    for (const { kind, name } of targets) expect(named(kind)[name]?.spec).not.toHaveProperty('replicas');
  });

  it('has the common labels on monitors and rules', () => {
    const watching = objects.filter(({ kind }) => ['ServiceMonitor', 'PodMonitor', 'PrometheusRule'].includes(kind));
    const unlabelled = watching.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] !== 'trunkline');
    expect([watching.length, unlabelled]).toEqual([5, []]);
    const monitors = watching.filter(({ kind }) => kind !== 'PrometheusRule');
    expect(monitors.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'])).toEqual(
      monitors.map(({ metadata }) => metadata.name),
    );
  });

  it('monitors every role and uses only existing metrics', () => {
    expect(Object.keys({ ...named('ServiceMonitor'), ...named('PodMonitor') }).toSorted()).toEqual([
      'api',
      'dialer',
      'embedder',
      'worker',
    ]);
    const names = new Set(Object.values(metrics).map((metric) => (metric as unknown as { name: string }).name));
    const asked = readFileSync('deploy/kubernetes/production/autoscaling.yaml', 'utf8').match(/trunkline_\w+/g) ?? [];
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
    expect(Object.keys(named('PrometheusRule'))).toEqual(['trunkline']);
  });

  it('lets carriers, and nobody else, exchange signalling and media with dialers on the network of the cluster', () => {
    const dialer = { namespace: 'trunkline-media', component: 'dialer' };
    const [carrier, stranger] = ['192.0.2.10', '203.0.113.7'];
    for (const [port, protocol] of [
      [5060, 'UDP'],
      [5061, 'TCP'],
      [20_400, 'UDP'],
    ] as const) {
      expect(letsIn(objects, dialer, { address: carrier, port, protocol })).toBe(true);
      expect(letsOut(objects, dialer, { address: carrier, port, protocol })).toBe(true);
      expect(letsIn(objects, dialer, { address: stranger, port, protocol })).toBe(false);
      expect(letsOut(objects, dialer, { address: stranger, port, protocol })).toBe(false);
    }
    // On the host's network its firewall has the same lists.
    const firewall = readFileSync('deploy/dialer.nft', 'utf8');
    expect(firewall).toContain('define CARRIERS = { 192.0.2.0/24, 198.51.100.0/24 }');
    expect(firewall.match(/udp dport \{ 5060, 20000-29999 \}/g)).toHaveLength(3);
  });
});
