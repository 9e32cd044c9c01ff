import { BlockList, isIPv6 } from 'node:net';
import type { KubeObject } from './kustomize.js';

type Labels = Record<string, string>;

interface Selector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: Selector;
  podSelector?: Selector;
}

interface Port {
  port: number | string;
  endPort?: number;
  protocol?: string;
}

interface Policy {
  podSelector?: Selector;
  egress?: { to?: Peer[]; ports?: Port[] }[];
  ingress?: { from?: Peer[]; ports?: Port[] }[];
}

/** A pod of the installation. */
interface Pod {
  namespace: string;
  component: string;
}

/** The other side: an address outside of the cluster, or the labels of a namespace (and of a pod) inside. */
interface Remote {
  address?: string;
  namespace?: Labels;
  pod?: Labels;
  port: number;
  protocol?: string;
}

/** Whether the network policies allow a pod to connect to the other side. */
export const letsOut = (policies: readonly KubeObject[], pod: Pod, remote: Remote): boolean =>
  policiesOf(policies, pod).some(({ egress = [] }) =>
    egress.some(({ to, ports }) => hasPort(ports, remote) && (to?.some((peer) => isPeer(peer, remote)) ?? true)),
  );

/** Whether the network policies allow the other side to connect to a pod. */
export const letsIn = (policies: readonly KubeObject[], pod: Pod, remote: Remote): boolean =>
  policiesOf(policies, pod).some(({ ingress = [] }) =>
    ingress.some(({ from, ports }) => hasPort(ports, remote) && (from?.some((peer) => isPeer(peer, remote)) ?? true)),
  );

function policiesOf(policies: readonly KubeObject[], { namespace, component }: Pod): Policy[] {
  const labels = { 'app.kubernetes.io/name': 'trunkline', 'app.kubernetes.io/component': component };
  return policies
    .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.namespace === namespace)
    .map(({ spec }) => spec as Policy)
    .filter(({ podSelector }) => selects(podSelector ?? {}, labels));
}

const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every(
    ({ key, operator, values = [] }) => operator === 'In' && labels[key] !== undefined && values.includes(labels[key]),
  );

const hasPort = (ports: Port[] | undefined, { port, protocol = 'TCP' }: Remote): boolean =>
  ports?.some(
    (one) =>
      typeof one.port === 'number' &&
      port >= one.port &&
      port <= (one.endPort ?? one.port) &&
      (one.protocol ?? 'TCP') === protocol,
  ) ?? true;

function isPeer({ ipBlock, namespaceSelector, podSelector }: Peer, { address, namespace, pod = {} }: Remote): boolean {
  if (ipBlock) return address !== undefined && isInside(address, ipBlock);
  if (namespace === undefined) return false;
  return selects(namespaceSelector ?? {}, namespace) && selects(podSelector ?? {}, pod);
}

const isInside = (address: string, { cidr, except = [] }: { cidr: string; except?: string[] }): boolean =>
  isIn(address, cidr) && !except.some((one) => isIn(address, one));

function isIn(address: string, cidr: string): boolean {
  if (isIPv6(address) !== cidr.includes(':')) return false;
  const [network = '', bits = ''] = cidr.split('/');
  const list = new BlockList();
  list.addSubnet(network, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
