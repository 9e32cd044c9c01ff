import { hasControlCharacters } from '@app/telephony';

export interface ChosenHeaders {
  headers: Record<string, string>;
  dropped: DroppedHeader[];
}

/** A header that the call goes without. The value itself is not reported: it may be personal data. */
interface DroppedHeader {
  header: string;
  metadata_key: string;
  reason: string;
}

/** Characters; longer ones make an INVITE too large for UDP, and carriers cut them. */
const MAX_VALUE = 256;

/**
 * The headers of the INVITE that a trunk's allow-list (header -> metadata key) makes of a call's metadata. What the metadata
 * does not have is left out; a value that cannot stand in a header is dropped and reported, and does not fail the call.
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
