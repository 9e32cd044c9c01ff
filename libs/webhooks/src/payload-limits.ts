/** Bytes of a whole body. Receivers put these into queues and functions with limits of their own. */
const MAX_STATUS_BYTES = 4 * 1024;
const MAX_POST_CALL_BYTES = 256 * 1024;

type Data = Record<string, unknown>;
type Render = (data: Data) => string;

const fits = (text: string, limit: number): boolean => Buffer.byteLength(text) <= limit;

/** A status body over 4 KB goes without the metadata and says `metadata_omitted: true`. */
export function statusBody(data: Data, render: Render): string {
  const whole = render(data);
  return fits(whole, MAX_STATUS_BYTES) ? whole : render(withoutMetadata(data));
}

/**
 * A post-call body over 256 KB loses the end of its transcript and says `transcript_truncated: true`; when even that is not
 * enough, its metadata.
 */
export function postCallBody(data: Data, render: Render): string {
  const whole = render(data);
  if (fits(whole, MAX_POST_CALL_BYTES)) return whole;
  const cut = render(withShorterTranscript(data, render));
  return fits(cut, MAX_POST_CALL_BYTES) ? cut : render(withoutMetadata(withShorterTranscript(data, render)));
}

function withoutMetadata(data: Data): Data {
  return { ...data, metadata: null, metadata_omitted: true };
}

function withShorterTranscript(data: Data, render: Render): Data {
  const turns: unknown[] = Array.isArray(data['transcript']) ? data['transcript'] : [];
  const cut: Data = { ...data, transcript: [], transcript_truncated: true };
  let room = MAX_POST_CALL_BYTES - Buffer.byteLength(render(cut));
  // One byte more per turn for the comma.
  const kept = turns.findIndex((turn) => (room -= Buffer.byteLength(JSON.stringify(turn)) + 1) < 0);
  return { ...cut, transcript: turns.slice(0, Math.max(kept, 0)) };
}
