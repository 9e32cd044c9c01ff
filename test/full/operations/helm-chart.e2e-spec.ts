import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { type PodSpec, workloadsOf } from '../../support/kube-pods.js';
import { type KubeObject, kustomize } from '../../support/kustomize.js';
import { isInstalled } from '../../support/programs.js';
import { suiteWith } from '../../support/suite-with.js';

/** Libraries of Debian, as its packages install them. */
const GOPATH = '/usr/share/gocode';
const SPRIG = join(GOPATH, 'src/github.com/Masterminds/sprig');

type Values = Record<string, unknown>;

suiteWith(['kubectl', 'go', 'sprig'], (name) => (name === 'sprig' ? existsSync(SPRIG) : isInstalled(name)))(
  'the Helm chart, rendered by the template engine and the functions of Helm',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-helm-'));
    const [chart, program] = [join(folder, 'trunkline'), join(folder, 'helm-template')];
    let defaults: Values;

    beforeAll(() => {
      for (const name of ['production', 'production-ingress'])
        writeFileSync(join(folder, `${name}.yaml`), kustomize(`kubernetes/overlays/${name}`).map(documentOf).join(''));
      execFileSync(process.execPath, ['scripts/helm-chart.mjs', '--output', folder, '--built', folder]);
      execFileSync('go', ['build', '-o', program, 'test/peers/helm-template.go'], {
        env: { PATH: process.env.PATH, HOME: folder, GOPATH, GO111MODULE: 'off' },
      });
      defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'), { version: '1.1' }) as Values;
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    const render = (changes: Values = {}, revision = 1): KubeObject[] => {
      const input = {
        Values: merged(defaults, changes),
        Release: { Revision: revision },
        Chart: { Name: 'trunkline' },
      };
      const text = execFileSync(program, [chart], {
        input: JSON.stringify(input),
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      });
      return parseAllDocuments(text, { version: '1.1' })
        .map((document) => document.toJS() as KubeObject | null)
        .filter((object) => object !== null);
    };
    const find = (objects: readonly KubeObject[], kind: string, name: string): KubeObject | undefined =>
      objects.find((object) => object.kind === kind && object.metadata.name === name);
    const podOf = (objects: readonly KubeObject[], kind: string, name: string): PodSpec =>
      workloadsOf(objects.filter((object) => object.kind === kind && object.metadata.name === name))[0]!.pod;

    it.each([
      ['production', {}],
      ['production-ingress', { entrance: { kind: 'ingress' } }],
    ])('is overlays/%s with %j', (overlay, changes) => {
      const [rendered, wanted] = [render(changes), kustomize(`kubernetes/overlays/${overlay}`)].map(byTitle);
      expect(Object.keys(rendered!).length).toBeGreaterThan(40);
      expect(rendered).toEqual(wanted);
    });

    it('is a package with a name and a version that Helm accepts', () => {
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
      const names = execFileSync('tar', ['tzf', join(folder, `trunkline-${version}.tgz`)], { encoding: 'utf8' }).split(
        '\n',
      );
      expect(names).toEqual(
        expect.arrayContaining(['trunkline/Chart.yaml', 'trunkline/values.yaml', 'trunkline/templates/api.yaml']),
      );
      expect(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))).toMatchObject({
        apiVersion: 'v2',
        name: 'trunkline',
        version,
        appVersion: version,
      });
    });

    it('has each value in its documentation, and no others', () => {
      const page = readFileSync('docs/operate/helm.md', 'utf8');
      const documented = [...page.matchAll(/^\| (`[\w.`, ]+`) \|/gm)].flatMap(([, names = '']) =>
        [...names.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name),
      );
      const isDocumented = (path: string): boolean =>
        documented.some((name) => path === name || path.startsWith(`${name}.`));
      const paths = pathsOf(defaults);
      expect(paths.filter((path) => !isDocumented(path))).toEqual([]);
      expect(documented.filter((name) => !paths.some((path) => path === name || path.startsWith(`${name}.`)))).toEqual(
        [],
      );
    });

    it('names image, host, secrets, settings and networks once', () => {
      const digest = `sha256:${'a'.repeat(64)}`;
      const objects = render({
        image: { repository: 'ghcr.io/acme/trunkline', digest },
        imagePullSecrets: [{ name: 'registry' }],
        secrets: { name: 'of-vault', migrate: 'of-owner' },
        settings: { PUBLIC_URL: 'https://voice.acme.com', AUDIT_DAYS: '30' },
        dialerSettings: { SIP_DIGEST: 'SHA-256' },
        entrance: { host: 'voice.acme.com', certificate: 'acme-tls', gatewayClass: 'cilium' },
        networkPolicies: { postgres: ['172.16.5.0/28'], carriers: ['203.0.113.0/28', '2001:db8::/48'] },
      });
      for (const { pod } of workloadsOf(objects)) {
        expect(pod.containers[0]?.image).toBe(`ghcr.io/acme/trunkline:0.1.0@${digest}`);
        expect(pod).toMatchObject({ imagePullSecrets: [{ name: 'registry' }] });
      }
      const text = JSON.stringify(objects);
      expect(text).not.toMatch(/calls\.example\.com|registry\.example\.com|10\.20\.1\.0|192\.0\.2\.0/);
      expect(JSON.stringify(podOf(objects, 'Job', 'migrate-1').volumes)).toContain('"of-owner"');
      expect(JSON.stringify(podOf(objects, 'StatefulSet', 'dialer').volumes)).toContain('"of-vault"');
      const dataOf = (namespace: string): Record<string, string> | undefined =>
        objects.find(
          ({ kind, metadata }) =>
            kind === 'ConfigMap' && metadata.name === 'trunkline' && metadata.namespace === namespace,
        )?.data;
      expect(dataOf('trunkline')).toMatchObject({
        PUBLIC_URL: 'https://voice.acme.com',
        AUDIT_DAYS: '30',
        LOG_LEVEL: 'info',
      });
      expect(dataOf('trunkline-media')).toMatchObject({ PUBLIC_URL: 'https://voice.acme.com', SIP_DIGEST: 'SHA-256' });
      expect(JSON.stringify(find(objects, 'NetworkPolicy', 'carriers')?.spec)).toContain('2001:db8::/48');
    });

    it('leaves out what another part of the cluster does', () => {
      const objects = render({
        autoscaling: { enabled: false },
        monitoring: { enabled: false },
        networkPolicies: { enabled: false },
        namespaces: { create: false },
        entrance: { gateway: { name: 'public', namespace: 'gateways' } },
        worker: { replicas: { min: 3 } },
      });
      expect(new Set(objects.map(({ kind }) => kind))).toEqual(
        new Set([
          'ConfigMap',
          'Deployment',
          'HTTPRoute',
          'Job',
          'PodDisruptionBudget',
          'Service',
          'ServiceAccount',
          'StatefulSet',
        ]),
      );
      expect(find(objects, 'Deployment', 'worker')?.spec).toMatchObject({ replicas: 3 });
      expect(find(objects, 'HTTPRoute', 'api')?.spec).toMatchObject({
        parentRefs: [{ name: 'public', namespace: 'gateways' }],
      });
    });

    it('gives dialers their address, their drain, and authorities to all that connect to the stores', () => {
      const objects = render(
        {
          dialer: { sipPublicIp: '203.0.113.7', drainSeconds: 7200 },
          authorities: { configMap: 'authorities' },
          monitoring: { labels: { release: 'prometheus' } },
        },
        7,
      );
      const dialer = podOf(objects, 'StatefulSet', 'dialer');
      expect(dialer.terminationGracePeriodSeconds).toBe(7260);
      expect(dialer.containers[0]?.env).toEqual(
        expect.arrayContaining([
          { name: 'DRAIN_SECONDS', value: '7200' },
          { name: 'SIP_PUBLIC_IP', value: '203.0.113.7' },
          { name: 'MEDIA_PUBLIC_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
        ]),
      );
      for (const [kind, name] of [
        ['Deployment', 'api'],
        ['Deployment', 'worker'],
        ['StatefulSet', 'dialer'],
        ['Job', 'migrate-7'],
      ] as const) {
        const { containers, volumes } = podOf(objects, kind, name);
        expect(containers[0]?.env).toContainEqual({ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/trunkline/ca/ca.crt' });
        expect(containers[0]?.volumeMounts).toContainEqual({
          name: 'authorities',
          mountPath: '/etc/trunkline/ca',
          readOnly: true,
        });
        expect(volumes).toContainEqual({ name: 'authorities', configMap: { name: 'authorities' } });
      }
      expect(find(objects, 'PodMonitor', 'dialer')?.metadata.labels).toMatchObject({ release: 'prometheus' });
    });
  },
);

function merged(defaults: Values, changes: Values): Values {
  const isMap = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const result = { ...defaults };
  for (const [name, value] of Object.entries(changes)) {
    const before = result[name];
    result[name] = isMap(value) && isMap(before) ? merged(before, value) : value;
  }
  return result;
}

/** Of the fields of groups; settings, annotations, resources and the like are one value. */
const WHOLE =
  /^(?:settings|dialerSettings|entrance\.annotations|monitoring\.labels|entrance\.gateway|.*\.(?:resources|nodeSelector|tolerations|replicas))$/;

const pathsOf = (values: Values, before = ''): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const path = `${before}${name}`;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value) && !WHOLE.test(path);
    return isGroup ? pathsOf(value as Values, `${path}.`) : [path];
  });

const documentOf = (object: KubeObject): string => `---\n${stringify(object)}`;

/** Objects by kind, namespace and name, without what Kubernetes adds itself. A Job of the chart has the revision in its name. */
const byTitle = (objects: KubeObject[]): Record<string, KubeObject> =>
  Object.fromEntries(
    objects.map((object) => {
      const { kind, metadata } = object;
      const name = kind === 'Job' ? metadata.name.replace(/-1$/, '') : metadata.name;
      const text = JSON.stringify({ ...object, metadata: { ...metadata, name } }, (key, value: unknown) => {
        const isEmpty =
          ['imagePullSecrets', 'nodeSelector', 'tolerations'].includes(key) &&
          Object.keys(value as object).length === 0;
        return isEmpty || (key === 'replicas' && value === 1) ? undefined : value;
      });
      return [`${kind} ${metadata.namespace ?? ''}/${name}`, JSON.parse(text) as KubeObject];
    }),
  );
