/** Bytes of a whole body. Receivers pass bodies on to queues and functions that have limits as well. */
const MAX_STATUS_BYTES = 4 * 1024;
const MAX_POST_CALL_BYTES = 256 * 1024;

type Data = Record<string, unknown>;
type Render = (data: Data) => string;

interface PostCall {
  data: Data;
  transcriptUrl?: string | null;
}

const fits = (text: string, limit: number): boolean => Buffer.byteLength(text) <= limit;

/** A status body over 4 KB omits the metadata and sets `metadata_omitted: true`. */
export function statusBody(data: Data, render: Render): string {
  const whole = render(data);
  return fits(whole, MAX_STATUS_BYTES) ? whole : render(withoutMetadata(data));
}

/**
 * A post-call body over 256 KB loses the text of the passages that were found (`passages_omitted: true`; their ids stay), then
 * arguments and results of tools (`tool_details_omitted: true`), then the end of its transcript (`transcript_truncated: true`, the whole
 * of it at `transcript_url`), and when even that is not enough, its metadata.
 */
export function postCallBody({ data, transcriptUrl = null }: PostCall, render: Render): string {
  const whole = render(data);
  if (fits(whole, MAX_POST_CALL_BYTES)) return whole;
  const searched = withoutPassages(data);
  if (fits(render(searched), MAX_POST_CALL_BYTES)) return render(searched);
  const bare = withoutToolDetails(searched);
  if (fits(render(bare), MAX_POST_CALL_BYTES)) return render(bare);
  const cut = withShorterTranscript(bare, transcriptUrl, render);
  return fits(render(cut), MAX_POST_CALL_BYTES) ? render(cut) : render(withoutMetadata(cut));
}

function withoutPassages(data: Data): Data {
  const searches = listOf(data['knowledge_searches']);
  if (searches.length === 0) return data;
  const bare = searches.map((search) => ({ ...search, results: listOf(search['results']).map(withoutText) }));
  return { ...data, knowledge_searches: bare, passages_omitted: true };
}

/** `GET /calls/{callId}/tool-calls` returns the omitted details. */
function withoutToolDetails(data: Data): Data {
  const calls = listOf(data['tool_calls']);
  if (calls.length === 0) return data;
  const bare = calls.map(({ arguments: _arguments, result: _result, ...call }) => call);
  return { ...data, tool_calls: bare, tool_details_omitted: true };
}

const listOf = (value: unknown): Data[] => (Array.isArray(value) ? (value as Data[]) : []);

const withoutText = ({ text: _text, ...passage }: Data): Data => passage;

function withoutMetadata(data: Data): Data {
  return { ...data, metadata: null, metadata_omitted: true };
}

function withShorterTranscript(data: Data, url: string | null, render: Render): Data {
  const turns: unknown[] = Array.isArray(data['transcript']) ? data['transcript'] : [];
  const cut: Data = { ...data, transcript: [], transcript_url: url, transcript_truncated: true };
  let room = MAX_POST_CALL_BYTES - Buffer.byteLength(render(cut));
  // One byte more per turn for the comma.
  const kept = turns.findIndex((turn) => (room -= Buffer.byteLength(JSON.stringify(turn)) + 1) < 0);
  return { ...cut, transcript: turns.slice(0, Math.max(kept, 0)) };
}
