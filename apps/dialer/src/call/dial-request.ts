import { destinationRefusal, type DiallingTrunk, type OpenTrunkSecret, trunkOf } from '@app/accounts';
import { type StoredTransferDestination } from '@app/agents';
import { destinationKind, type RecordingsService } from '@app/calls';
import { type DialRequest, type HangupCause, hasControlCharacters, type IncomingRequest } from '@app/telephony';
import type { CallContext } from './call-context.service.js';
import { consentFor } from '../media/recording-consent.js';

type LocalRecordings = Pick<RecordingsService, 'pathOf'>;

export function dialRequest(
  context: CallContext,
  recordings: LocalRecordings,
  openSecret: OpenTrunkSecret,
  permits: Pick<DialRequest, 'redirectAllowed' | 'targetAllowed'>,
): DialRequest {
  return {
    legId: context.id,
    destination: destinationOf(context.to_number),
    from: { number: context.from_number },
    anonymous: context.settings.anonymous ?? false,
    trunk: context.trunk ? trunkOf(context.trunk, openSecret) : undefined,
    headers: headersOf(context).headers,
    ...permits,
    ringTimeoutMs: context.ring_timeout_seconds * 1_000,
    recordTo: context.record ? recordings.pathOf(context.id) : undefined,
    ...(consentFor(context) && { recordsAfterConsent: true }),
  };
}

/** Of a stored number or SIP URI. */
export const destinationOf = (address: string): DialRequest['destination'] =>
  destinationKind(address) === 'e164' ? { kind: 'e164', number: address } : { kind: 'sip', uri: address };

/** The headers of a transfer's INVITE, with values from the metadata of the call. */
export function transferHeaders(
  { headers = {}, uui }: Pick<StoredTransferDestination, 'headers' | 'uui'>,
  metadata: Record<string, unknown> | null,
): Record<string, string> {
  const chosen = trunkHeaders(headers, metadata).headers;
  const data = uui === undefined ? undefined : trunkHeaders({ 'User-to-User': uui }, metadata).headers['User-to-User'];
  // RFC 7433 §4.1: the encoding is named.
  return data === undefined
    ? chosen
    : { ...chosen, 'User-to-User': `${Buffer.from(data).toString('hex')};encoding=hex` };
}

export function incomingRequest(context: CallContext, recordings: LocalRecordings): IncomingRequest {
  return {
    legId: context.id,
    // Trunks of other accounts may share the address of the caller.
    ...(context.trunk_id !== null && { callerName: String(context.trunk_id) }),
    recordTo: context.record ? recordings.pathOf(context.id) : undefined,
    // The pre-call webhook may choose an agent that needs consent; the agent's session ends the pause otherwise.
    ...((consentFor(context) ?? context.pre_call_webhook) && { recordsAfterConsent: true }),
    codecs: context.trunk?.codecs ?? undefined,
    srtp: context.trunk?.srtp,
  };
}

/** The headers that the trunk's allow-list takes from the metadata of the call. */
export const headersOf = ({ trunk, metadata }: CallContext): ChosenHeaders =>
  trunkHeaders(trunk?.headers ?? {}, metadata);

/** The headers of BYE and REFER that the trunk takes from the variables of the call. */
export const endHeadersOf = (
  { trunk }: Pick<CallContext, 'trunk'>,
  variables: Record<string, unknown>,
): Record<string, string> => trunkHeaders(trunk?.end_headers ?? {}, variables).headers;

interface ChosenHeaders {
  headers: Record<string, string>;
  dropped: DroppedHeader[];
}

/** A header that is left out of the INVITE. Its value is not reported, because it may be personal data. */
interface DroppedHeader {
  header: string;
  metadata_key: string;
  reason: string;
}

/** In characters. Longer values make an INVITE too large for UDP, and carriers truncate them. */
const MAX_VALUE = 256;

/**
 * The headers of the INVITE that a trunk's allow-list (header -> metadata key) takes from a call's metadata. Missing keys are skipped;
 * a value that is not allowed in a header is dropped and reported, and does not fail the call.
 */
export function trunkHeaders(allowed: Record<string, string>, metadata: Record<string, unknown> | null): ChosenHeaders {
  const chosen: ChosenHeaders = { headers: {}, dropped: [] };
  for (const [header, key] of Object.entries(allowed)) {
    const value = metadata && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    if (value === undefined || value === null) continue;
    const read = readValue(value);
    if ('text' in read) chosen.headers[header] = read.text;
    else chosen.dropped.push({ header, metadata_key: key, reason: read.problem });
  }
  return chosen;
}

function readValue(value: unknown): { text: string } | { problem: string } {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return { problem: 'only text, numbers and true or false can be sent' };
  const text = String(value).trim();
  if (text === '') return { problem: 'the value is empty' };
  if (text.length > MAX_VALUE) return { problem: `the value is longer than ${MAX_VALUE} characters` };
  return hasControlCharacters(text) ? { problem: 'the value holds line breaks or control characters' } : { text };
}

/** The limits of an account and the trunk that decide which destinations a call may have. */
export type DestinationPolicy = Pick<
  CallContext,
  'destinations_allow' | 'destinations_deny' | 'daily_spend_micros' | 'spent_micros'
> & {
  /** The trunk of the call; null: the call goes directly to the host of a SIP URI. */
  trunk: DiallingTrunk | null;
};

/**
 * Why an accepted call must not be dialled now: the account's limits may have changed while it waited, and calls of an agent,
 * number or trunk that became inactive are not placed.
 */
export function dialRefusal(
  order: DestinationPolicy & Pick<CallContext, 'to_number' | 'active'>,
): HangupCause | undefined {
  if (!order.active) return 'deactivated';
  return refusalOf(order, order.to_number);
}

/**
 * Why a live call must not be transferred to `number`, which is another call at the carrier. The limits at the time of dialling apply.
 */
export const transferRefusal = (order: DestinationPolicy, number: string): HangupCause | undefined =>
  refusalOf(order, number);

/** Whether a call may follow the contact of a 3xx: a remote party must not redirect it to a destination that the account may not call. */
export const isRedirectAllowed = (order: DestinationPolicy, uri: string): boolean => !isBlocked(order, uri);

/** Whether the do-not-call list of an account has a destination. */
export type IsListed = (accountId: number, destination: string) => Promise<boolean>;

/** `isRedirectAllowed` with the do-not-call list at this moment. A list that cannot be read forbids the redirection. */
export const mayFollow = async (
  order: DestinationPolicy & Pick<CallContext, 'account_id'>,
  uri: string,
  isListed: IsListed,
): Promise<boolean> => isRedirectAllowed(order, uri) && !(await isListed(order.account_id, uri).catch(() => true));

function refusalOf(order: DestinationPolicy, destination: string): HangupCause | undefined {
  if (isBlocked(order, destination)) return 'blocked_destination';
  const { daily_spend_micros: limit, spent_micros: spent } = order;
  return limit !== null && Number(spent) >= Number(limit) ? 'spend_limit' : undefined;
}

const isBlocked = (order: DestinationPolicy, destination: string): boolean =>
  destinationRefusal({ allow: order.destinations_allow, deny: order.destinations_deny }, destination, order.trunk) !==
  undefined;
