import type { DialRequest, IncomingRequest } from '@app/telephony';
import { type OpenTrunkSecret, trunkOf } from '@app/accounts';
import { destinationKind, type RecordingsService } from '@app/calls';
import type { CallContext } from './call-context.service.js';
import { redirectAllowed } from './destination-policy.js';
import { type ChosenHeaders, trunkHeaders } from './trunk-headers.js';

type LocalRecordings = Pick<RecordingsService, 'pathOf'>;

export function dialRequest(
  context: CallContext,
  recordings: LocalRecordings,
  openSecret: OpenTrunkSecret,
): DialRequest {
  return {
    legId: context.id,
    destination:
      destinationKind(context.to_number) === 'e164'
        ? { kind: 'e164', number: context.to_number }
        : { kind: 'sip', uri: context.to_number },
    from: { number: context.from_number },
    anonymous: context.settings.anonymous ?? false,
    trunk: context.trunk ? trunkOf(context.trunk, openSecret) : undefined,
    headers: headersOf(context).headers,
    redirectAllowed: (uri) => redirectAllowed(context, uri),
    ringTimeoutMs: context.ring_timeout_seconds * 1_000,
    recordTo: context.record ? recordings.pathOf(context.id) : undefined,
  };
}

export function incomingRequest(context: CallContext, recordings: LocalRecordings): IncomingRequest {
  return {
    legId: context.id,
    recordTo: context.record ? recordings.pathOf(context.id) : undefined,
    codecs: context.trunk?.codecs ?? undefined,
    srtp: context.trunk?.srtp,
  };
}

/** What the trunk's allow-list makes of the metadata of the call. */
export const headersOf = ({ trunk, metadata }: CallContext): ChosenHeaders =>
  trunkHeaders(trunk?.headers ?? {}, metadata);
