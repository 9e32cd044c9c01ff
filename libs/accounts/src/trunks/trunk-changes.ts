import { type AllowList, isAddressAllowed } from '@app/common';
import { isInsideName } from '@app/egress';
import { isIP } from 'node:net';
import { type FieldFault, InvalidRecord } from '../domain/field-faults.js';
import type { TrunkNode } from './trunk-schema.js';

/** The fields of a PATCH over the stored trunk. Maps with fields of their own (`tls`, `inbound`, `register`) are merged; lists are replaced. */
export function mergeTrunk(stored: TrunkNode, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    ...withoutOtherPlace(stored, fields),
    ...fields,
    ...mergeMap('tls', stored, fields),
    ...mergeMap('inbound', stored, fields),
    ...mergeMap('register', stored, fields),
  };
}

/** A host replaces the list of targets, and a list of targets the host. */
function withoutOtherPlace(stored: TrunkNode, fields: Readonly<Record<string, unknown>>): Partial<TrunkNode> {
  const { host, port, transport, targets, ...rest } = stored;
  if (fields.targets !== undefined) return rest;
  if (!targets) return { ...rest, host, port, transport };
  return fields.host === undefined ? { ...rest, targets } : { ...rest, port: null, transport: 'udp' };
}

function mergeMap(
  key: 'tls' | 'inbound' | 'register',
  stored: TrunkNode,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const [before, given] = [stored[key], fields[key]];
  if (!before || typeof given !== 'object' || given === null || Array.isArray(given)) return {};
  return { [key]: { ...before, ...given } };
}

interface TenantRules {
  /** Networks that may be called although they are not public (SIP_ALLOW_CIDRS). */
  allow: AllowList;
  isOperator: boolean;
}

/**
 * The rules of trunks that are created or changed over the API; the operator's workspace file has none of them. `fields`: those of
 * the request; `before`: the stored trunk, null for a new one. Throws InvalidRecord.
 */
export function checkApiTrunk(
  { node, before, fields }: { node: TrunkNode; before: TrunkNode | null; fields: Readonly<Record<string, unknown>> },
  { allow, isOperator }: TenantRules,
): void {
  const faults = [
    ...insideFaults(node, allow),
    ...secretFaults(node, before, fields),
    ...(isOperator ? [] : operatorFaults(node, before)),
  ];
  if (faults.length > 0) throw new InvalidRecord(faults);
}

/** The dialer checks the addresses again after resolving names. */
function insideFaults({ host, targets, register }: TrunkNode, allow: AllowList): FieldFault[] {
  const proxy = register?.outbound_proxy;
  const servers = targets
    ? targets.map((target, index) => ({ path: ['targets', index, 'host'], host: target.host }))
    : [{ path: ['host'], host: host ?? '' }];
  const places = proxy ? [...servers, { path: ['register', 'outbound_proxy', 'host'], host: proxy.host }] : servers;
  return places
    .filter((place) => isInside(place.host, allow))
    .map(({ path }) => ({ path, code: 'blocked', message: 'must be a public host or address' }));
}

function isInside(written: string, allow: AllowList): boolean {
  const host = written.toLowerCase().replace(/\.$/, '');
  return isIP(host) > 0 ? !isAddressAllowed(host, allow) : isInsideName(host) && allow.length === 0;
}

/** A stored password is sent only to the hosts that it was stored for. */
function secretFaults(
  node: TrunkNode,
  before: TrunkNode | null,
  fields: Readonly<Record<string, unknown>>,
): FieldFault[] {
  if (!before || typeof before.password !== 'string' || fields.password !== undefined) return [];
  const known = new Set(placesOf(before));
  if (placesOf(node).every((place) => known.has(place))) return [];
  return [
    {
      path: ['password'],
      code: 'missing',
      message: 'must be given again when host or targets change',
      sentence:
        'The password must be given again, or null: the stored one is sent only to the host and targets that it was stored for.',
    },
  ];
}

const placesOf = ({ host, port, transport, targets, register }: TrunkNode): string[] =>
  [...(targets ?? [{ host, port, transport }]), ...(register?.outbound_proxy ? [register.outbound_proxy] : [])].map(
    (place) => [place.host?.toLowerCase(), place.port ?? '', place.transport ?? ''].join(' '),
  );

/** Settings that could reach the traffic of other accounts. */
function operatorFaults(node: TrunkNode, before: TrunkNode | null): FieldFault[] {
  const granted = new Set(before?.inbound?.addresses);
  const added = (node.inbound?.addresses ?? []).some((address) => !granted.has(address));
  const liveKit = node.livekit_trunk_id ?? null;
  return [
    ...(added ? [operatorsOnly(['inbound', 'addresses'])] : []),
    ...(liveKit === null || liveKit === before?.livekit_trunk_id ? [] : [operatorsOnly(['livekit_trunk_id'])]),
  ];
}

const operatorsOnly = (path: string[]): FieldFault => ({
  path,
  code: 'not_allowed',
  message: 'can be set by operators only (a workspace file, or a token with the scope account:write)',
});
