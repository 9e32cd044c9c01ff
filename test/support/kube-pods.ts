import type { KubeObject } from './kustomize.js';

export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: object }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number; hostPort?: number }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: {
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    privileged?: boolean;
    capabilities?: { drop?: string[]; add?: string[] };
  };
  volumeMounts?: { name: string; mountPath: string }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
}

export interface Probe {
  httpGet?: { path: string; port: string | number };
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: { runAsNonRoot?: boolean; runAsUser?: number; seccompProfile?: { type: string } };
  volumes?: { name: string; [source: string]: unknown }[];
}

export interface Workload {
  object: KubeObject;
  labels: Record<string, string>;
  pod: PodSpec;
}

/** Objects with a pod template. */
export function workloadsOf(objects: readonly KubeObject[]): Workload[] {
  return objects.flatMap((object) => {
    const { template } = (object.spec ?? {}) as {
      template?: { metadata?: { labels?: Record<string, string> }; spec: PodSpec };
    };
    return template ? [{ object, labels: template.metadata?.labels ?? {}, pod: template.spec }] : [];
  });
}

/** The volume types of the restricted profile. */
const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** Violations of the profile `restricted` of the Pod Security Standards (v1.32) in this pod. */
export function restrictedProblems(pod: PodSpec): string[] {
  const { securityContext: own = {}, volumes = [], containers, initContainers = [] } = pod;
  const wrong = (is: boolean | undefined, what: string): string[] => (is ? [what] : []);
  return [
    ...wrong(pod.hostNetwork, 'hostNetwork'),
    ...wrong(pod.hostPID, 'hostPID'),
    ...wrong(pod.hostIPC, 'hostIPC'),
    ...wrong(own.runAsNonRoot !== true, 'runAsNonRoot'),
    ...wrong(own.runAsUser === undefined || own.runAsUser === 0, 'runAsUser'),
    ...wrong(own.seccompProfile?.type !== 'RuntimeDefault', 'seccompProfile'),
    ...volumes.filter((volume) => !VOLUMES.some((type) => type in volume)).map(({ name }) => `volume ${name}`),
    ...[...containers, ...initContainers].flatMap(({ name, securityContext: mine = {}, ports = [] }) => [
      ...wrong(mine.allowPrivilegeEscalation !== false, `${name}: allowPrivilegeEscalation`),
      ...wrong(mine.privileged, `${name}: privileged`),
      ...wrong(mine.capabilities?.drop?.includes('ALL') !== true, `${name}: capabilities`),
      ...wrong(mine.capabilities?.add !== undefined, `${name}: capabilities`),
      ...wrong(
        ports.some(({ hostPort }) => hostPort !== undefined),
        `${name}: hostPort`,
      ),
    ]),
  ];
}
