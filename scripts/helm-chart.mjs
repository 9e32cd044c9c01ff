/**
 * Makes the Helm chart `dist/helm/trunkline` and its package from the objects of deploy/kubernetes: each object of the production overlays
 * becomes a template, and values take the place of what an installation changes. With the default values the chart is overlays/production;
 * test/full/operations/helm-chart.e2e-spec.ts renders it and compares. Needs kubectl, for its kustomize.
 *
 *     node scripts/helm-chart.mjs [--output FOLDER] [--built FOLDER]
 *
 * `--built` has the overlays that something else has built, as production.yaml and production-ingress.yaml.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: { output: { type: 'string', default: join(root, 'dist/helm') }, built: { type: 'string' } },
});
const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Helm reads YAML 1.1, where `off` is a boolean. */
const YAML_1_1 = { version: '1.1', lineWidth: 0 };

const production = overlay('production');
const objects = [...production, ...overlay('production-ingress').filter(({ kind }) => kind === 'Ingress')];

/** The defaults, in the order of the file. */
const values = {};
/** What the tokens in the objects stand for: text of the template. */
const expressions = [];

openImage();
openSettings();
openSecrets();
openDialer();
openSizes();
openAuthorities();
openEntrance();
openDestinations();
// The template of a Job cannot change: each revision of the release has its own.
find('Job', 'migrate').metadata.name = token('migrate-{{ .Release.Revision }}');
write();

function overlay(name) {
  const text = options.built
    ? readFileSync(join(options.built, `${name}.yaml`), 'utf8')
    : execFileSync('kubectl', ['kustomize', join(root, 'deploy/kubernetes/overlays', name)], {
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      });
  return parseAllDocuments(text).map((document) => document.toJS());
}

function find(kind, name, namespace) {
  const found = objects.filter(
    (one) =>
      one.kind === kind &&
      one.metadata.name === name &&
      (namespace === undefined || one.metadata.namespace === namespace),
  );
  if (found.length !== 1) throw new Error(`There are ${found.length} objects ${kind} ${name}.`);
  return found[0];
}

function podOf(name) {
  return find({ dialer: 'StatefulSet', migrate: 'Job' }[name] ?? 'Deployment', name).spec.template.spec;
}

function token(expression) {
  expressions.push(expression);
  return `TOKEN${expressions.length - 1}END`;
}

/** An item of a list that is there under a condition. */
function itemIf(condition, item) {
  return token(
    `{{- if ${condition} }}\n- ${JSON.stringify(item).replaceAll(/"<<(.*?)>>"/g, '{{ $1 | toJson }}')}\n{{- end }}`,
  );
}

function setDefault(name, content) {
  const keys = name.split('.');
  const last = keys.pop();
  const holder = keys.reduce((at, key) => (at[key] ??= {}), values);
  if (last in holder && JSON.stringify(holder[last]) !== JSON.stringify(content))
    throw new Error(`${name} has two defaults: ${JSON.stringify([holder[last], content])}`);
  holder[last] = content;
}

/** Puts a value of the chart into the place of a field, whose content becomes its default. */
function open(holder, field, name) {
  setDefault(name, holder[field]);
  holder[field] = token(`{{ .Values.${name} | toJson }}`);
}

function openImage() {
  const [, repository, tag] = /^(.*):([^:]+)$/.exec(podOf('api').containers[0].image);
  setDefault('image', { repository, tag, digest: '' });
  for (const name of ['api', 'worker', 'dialer', 'embedder', 'migrate']) {
    podOf(name).containers[0].image = token('{{ template "trunkline.image" . }}');
    podOf(name).imagePullSecrets = token('{{ .Values.imagePullSecrets | toJson }}');
  }
  setDefault('imagePullSecrets', []);
}

function openSettings() {
  const [all, dialer] = [
    find('ConfigMap', 'trunkline', 'trunkline'),
    find('ConfigMap', 'trunkline', 'trunkline-media'),
  ];
  setDefault('settings', all.data);
  const own = Object.entries(dialer.data).filter(([name, content]) => all.data[name] !== content);
  const without = Object.keys(all.data).filter((name) => !(name in dialer.data));
  setDefault('dialerSettings', Object.fromEntries(own));
  all.data = token('{{ .Values.settings | toJson }}');
  dialer.data = token(
    `{{ merge (dict) .Values.dialerSettings (omit .Values.settings ${without.map((name) => JSON.stringify(name)).join(' ')}) | toJson }}`,
  );
}

function openSecrets() {
  setDefault('namespaces.create', true);
  setDefault('secrets', { name: 'trunkline', migrate: 'trunkline-migrate' });
  for (const [name, key] of [
    ['api', 'name'],
    ['worker', 'name'],
    ['dialer', 'name'],
    ['migrate', 'migrate'],
  ])
    for (const { secret } of podOf(name).volumes.find((volume) => volume.name === 'secrets').projected.sources)
      secret.name = token(`{{ .Values.secrets.${key} | toJson }}`);
}

function openDialer() {
  const pod = podOf('dialer');
  const { env } = pod.containers[0];
  const drain = env.find(({ name }) => name === 'DRAIN_SECONDS');
  if (pod.terminationGracePeriodSeconds !== Number(drain.value) + 60)
    throw new Error('The grace period is not the drain and a minute.');
  setDefault('dialer.drainSeconds', Number(drain.value));
  drain.value = token('{{ .Values.dialer.drainSeconds | toString | toJson }}');
  pod.terminationGracePeriodSeconds = token('{{ add .Values.dialer.drainSeconds 60 }}');
  for (const [name, field] of [
    ['SIP_PUBLIC_IP', 'sipPublicIp'],
    ['MEDIA_PUBLIC_IP', 'mediaPublicIp'],
  ]) {
    const index = env.findIndex((one) => one.name === name);
    const given = `{{ dict "name" "${name}" "value" .Values.dialer.${field} | toJson }}`;
    env[index] = token(`{{ if .Values.dialer.${field} }}${given}{{ else }}${JSON.stringify(env[index])}{{ end }}`);
    setDefault(`dialer.${field}`, '');
  }
  for (const [name, field] of [
    ['DIALER_CALLS', 'calls'],
    ['MEDIA_THREADS', 'mediaThreads'],
  ]) {
    const one = env.find((variable) => variable.name === name);
    setDefault(`dialer.${field}`, Number(one.value));
    one.value = token(`{{ .Values.dialer.${field} | toString | toJson }}`);
  }
}

function openSizes() {
  for (const role of ['api', 'worker', 'dialer', 'embedder']) {
    const pod = podOf(role);
    open(pod.containers[0], 'resources', `${role}.resources`);
    pod.nodeSelector ??= {};
    pod.tolerations ??= [];
    open(pod, 'nodeSelector', `${role}.nodeSelector`);
    open(pod, 'tolerations', `${role}.tolerations`);
  }
  setDefault('autoscaling.enabled', true);
  const { spec: hpa } = find('HorizontalPodAutoscaler', 'api');
  open(hpa, 'minReplicas', 'api.replicas.min');
  open(hpa, 'maxReplicas', 'api.replicas.max');
  for (const role of ['worker', 'dialer']) {
    const { spec: scaled } = find('ScaledObject', role);
    open(scaled, 'minReplicaCount', `${role}.replicas.min`);
    open(scaled, 'maxReplicaCount', `${role}.replicas.max`);
    for (const { metadata } of scaled.triggers) open(metadata, 'serverAddress', 'autoscaling.prometheus');
  }
  // Without an autoscaler the smaller number is the number.
  for (const [role, kind] of [
    ['api', 'Deployment'],
    ['worker', 'Deployment'],
    ['dialer', 'StatefulSet'],
  ])
    find(kind, role).spec = {
      [token(`{{- if not .Values.autoscaling.enabled }}\nreplicas: {{ .Values.${role}.replicas.min }}\n{{- end }}`)]:
        null,
      ...find(kind, role).spec,
    };
  setDefault('embedder.replicas', 1);
  find('Deployment', 'embedder').spec.replicas = token('{{ .Values.embedder.replicas }}');
  setDefault('monitoring', { enabled: true, labels: {} });
  for (const object of objects.filter(isMonitoring))
    object.metadata.labels[
      token(
        '{{- range $name, $value := .Values.monitoring.labels }}\n{{ $name | toJson }}: {{ $value | toJson }}\n{{- end }}',
      )
    ] = null;
}

/** Authorities for TLS to the stores, in a ConfigMap of both namespaces. */
function openAuthorities() {
  setDefault('authorities', { configMap: '', key: 'ca.crt' });
  const given = '.Values.authorities.configMap';
  for (const name of ['api', 'worker', 'dialer', 'migrate']) {
    const pod = podOf(name);
    const [container] = pod.containers;
    container.env.push(
      token(
        `{{- if ${given} }}\n- {{ dict "name" "NODE_EXTRA_CA_CERTS" "value" (printf "/etc/trunkline/ca/%s" .Values.authorities.key) | toJson }}\n{{- end }}`,
      ),
    );
    container.volumeMounts.push(itemIf(given, { name: 'authorities', mountPath: '/etc/trunkline/ca', readOnly: true }));
    pod.volumes.push(itemIf(given, { name: 'authorities', configMap: { name: `<<${given}>>` } }));
  }
}

function openEntrance() {
  const [gateway, route, ingress] = [
    find('Gateway', 'trunkline').spec,
    find('HTTPRoute', 'api').spec,
    find('Ingress', 'api'),
  ];
  const [listener] = gateway.listeners;
  setDefault('entrance', { kind: 'gateway' });
  open(listener, 'hostname', 'entrance.host');
  open(listener.tls.certificateRefs[0], 'name', 'entrance.certificate');
  open(gateway, 'gatewayClassName', 'entrance.gatewayClass');
  route.hostnames = [token('{{ .Values.entrance.host | toJson }}')];
  setDefault('entrance.gateway', { name: '', namespace: '' });
  const [parent] = route.parentRefs;
  route.parentRefs = token(
    `{{ if .Values.entrance.gateway.name }}{{ list .Values.entrance.gateway | toJson }}{{ else }}${JSON.stringify([parent])}{{ end }}`,
  );
  open(ingress.spec, 'ingressClassName', 'entrance.ingressClass');
  open(ingress.metadata, 'annotations', 'entrance.annotations');
  for (const host of [values.entrance.host]) {
    ingress.spec.tls[0].hosts = [host].map(() => token('{{ .Values.entrance.host | toJson }}'));
    ingress.spec.tls[0].secretName = token('{{ .Values.entrance.certificate | toJson }}');
    ingress.spec.rules[0].host = token('{{ .Values.entrance.host | toJson }}');
  }
}

/** The networks of stores, dialers and carriers. */
function openDestinations() {
  setDefault('networkPolicies.enabled', true);
  for (const namespace of ['trunkline', 'trunkline-media']) {
    for (const [name, field] of [
      ['to-postgres', 'postgres'],
      ['to-redis', 'redis'],
    ])
      openBlocks(find('NetworkPolicy', name, namespace).spec.egress[0], 'to', `networkPolicies.${field}`);
    open(find('NetworkPolicy', 'internet', namespace).spec.egress[0], 'ports', 'networkPolicies.internetPorts');
  }
  const { spec: dialers } = find('NetworkPolicy', 'to-dialers');
  // Beside dialers on the network of the cluster, which are pods.
  const [pods, ...nodes] = dialers.egress[0].to;
  dialers.egress[0].to = [pods, blocks(nodes, 'networkPolicies.dialers')];
  const { spec: carriers } = find('NetworkPolicy', 'carriers');
  openBlocks(carriers.ingress[0], 'from', 'networkPolicies.carriers');
  openBlocks(carriers.egress[0], 'to', 'networkPolicies.carriers');
}

function openBlocks(holder, field, name) {
  holder[field] = blocks(holder[field], name);
}

function blocks(peers, name) {
  setDefault(
    name,
    peers.map(({ ipBlock }) => ipBlock.cidr),
  );
  return token(`{{- range .Values.${name} }}\n- ipBlock:\n    cidr: {{ . | toJson }}\n{{- end }}`);
}

function isMonitoring({ kind }) {
  return ['ServiceMonitor', 'PodMonitor', 'PrometheusRule'].includes(kind);
}

/** When an object is part of the chart. */
function conditionOf({ kind, metadata }) {
  if (kind === 'Namespace') return '.Values.namespaces.create';
  if (kind === 'Gateway') return 'and (eq .Values.entrance.kind "gateway") (not .Values.entrance.gateway.name)';
  if (kind === 'HTTPRoute') return 'eq .Values.entrance.kind "gateway"';
  if (kind === 'Ingress') return 'eq .Values.entrance.kind "ingress"';
  if (kind === 'NetworkPolicy') return '.Values.networkPolicies.enabled';
  if (kind === 'ScaledObject' || kind === 'HorizontalPodAutoscaler') return '.Values.autoscaling.enabled';
  if (isMonitoring({ kind }) || metadata.name === 'trunkline-dashboards') return '.Values.monitoring.enabled';
  return undefined;
}

/** Prometheus and Grafana have templates of their own, which Helm leaves as they are. */
function escaped(text) {
  return text.replaceAll(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`);
}

function templateOf(object) {
  const text = escaped(stringify(object, YAML_1_1));
  const lines = text.replaceAll(/^( *)(?:- )?['"]?TOKEN(\d+)END['"]?:? ?(?:null)?$/gm, (line, indent, index) =>
    expressions[index].startsWith('{{-') ? indented(expressions[index], indent) : line,
  );
  const filled = lines.replaceAll(/^( *)([^\n]*?)['"]?TOKEN(\d+)END['"]?/gm, (_all, indent, before, index) =>
    expressions[index].startsWith('{{-')
      ? `${indent}${before.trimEnd()}\n${indented(expressions[index], `${indent}${before.startsWith('- ') ? '  ' : ''}`)}`
      : `${indent}${before}${expressions[index]}`,
  );
  const condition = conditionOf(object);
  return condition === undefined ? `---\n${filled}` : `{{- if ${condition} }}\n---\n${filled}{{- end }}\n`;
}

/** Lines of the template are at the margin, those of YAML in their place. */
function indented(expression, indent) {
  return expression
    .split('\n')
    .map((line) => (line.startsWith('{{-') ? line : `${indent}${line}`))
    .join('\n');
}

function write() {
  const folder = join(resolve(options.output), 'trunkline');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'templates'), { recursive: true });
  const files = new Map();
  for (const object of objects) {
    const component = object.metadata.labels?.['app.kubernetes.io/component'];
    const name =
      isMonitoring(object) || object.metadata.name === 'trunkline-dashboards'
        ? 'monitoring'
        : (component ?? object.kind.toLowerCase());
    files.set(name, `${files.get(name) ?? ''}${templateOf(object)}`);
  }
  for (const [name, text] of files) writeFileSync(join(folder, 'templates', `${name}.yaml`), text);
  writeFileSync(
    join(folder, 'templates/_image.tpl'),
    `{{- define "trunkline.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ end }}
{{- end -}}
`,
  );
  writeFileSync(
    join(folder, 'Chart.yaml'),
    stringify({
      apiVersion: 'v2',
      name: 'trunkline',
      version,
      appVersion: version,
      description,
      type: 'application',
      kubeVersion: '>=1.28.0-0',
    }),
  );
  writeFileSync(
    join(folder, 'values.yaml'),
    `# docs/operate/helm.md describes each value.\n${stringify(values, YAML_1_1)}`,
  );
  execFileSync(
    'tar',
    ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '-czf', `trunkline-${version}.tgz`, 'trunkline'],
    {
      cwd: resolve(options.output),
    },
  );
}
