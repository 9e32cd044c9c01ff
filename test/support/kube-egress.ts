import { BlockList, isIPv6 } from 'node:net';
import type { KubeObject } from './kustomize.js';

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: unknown;
}

interface EgressRule {
  to?: Peer[];
  ports?: { port: number | string; protocol?: string }[];
}

/** Whether the network policies of a namespace allow its pods to connect to an address outside the cluster. */
export function letsOut(
  policies: readonly KubeObject[],
  namespace: string,
  { address, port, protocol = 'TCP' }: { address: string; port: number; protocol?: string },
): boolean {
  const rules = policies
    .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.namespace === namespace)
    .flatMap(({ spec }) => (spec as { egress?: EgressRule[] }).egress ?? []);
  return rules.some(
    ({ to, ports }) =>
      (ports?.some((one) => one.port === port && (one.protocol ?? 'TCP') === protocol) ?? true) &&
      (to?.some(({ ipBlock }) => ipBlock !== undefined && isInside(address, ipBlock)) ?? true),
  );
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
