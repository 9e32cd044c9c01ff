import type { StoredRecordingConsent } from '@app/agents';
import { destinationKind } from '@app/calls';
import type { CallContext } from '../call/call-context.service.js';

type ConsentedCall = Pick<CallContext, 'direction' | 'to_number' | 'from_number' | 'record' | 'recording_consent'>;

/** The consent that a recorded call needs; undefined: none. An unknown number may be from anywhere. */
export function consentFor(call: ConsentedCall): StoredRecordingConsent | undefined {
  const { record, recording_consent: consent, direction } = call;
  if (!record || !consent) return undefined;
  const number = numberOf(direction === 'inbound' ? call.from_number : call.to_number);
  const isMeant = consent.prefixes.length === 0 || number === undefined;
  return isMeant || consent.prefixes.some((prefix) => number.startsWith(prefix)) ? consent : undefined;
}

/** The E.164 number of a destination or caller; undefined: it has none. */
function numberOf(address: string): string | undefined {
  if (destinationKind(address) === 'e164') return address;
  return /^sips?:(\+[1-9][0-9]{6,14})(?:[@;]|$)/i.exec(address)?.[1];
}
