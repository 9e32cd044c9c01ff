import { isoTime, newId } from '@app/common';

/** The webhooks of calls. */
type CallWebhookType = 'call-status' | 'post-call' | 'call-analysis' | 'tool-result';

/**
 * `tool-action`: a queued action of a tool (one without `wait_response`). `test`: sent by `POST /webhooks/test`. `pre-call`: the dialer
 * has waited for its answer. `campaign`: a campaign was started, paused or completed. `call-analysis`: an analysis of a call has ended.
 * `test-run`: a run of scenarios has ended. `tool-result`: a background tool reported its result after the end of its call.
 */
export const WEBHOOK_TYPES = [
  'call-status',
  'post-call',
  'tool-action',
  'test',
  'pre-call',
  'campaign',
  'call-analysis',
  'test-run',
  'tool-result',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/**
 * `pending`: in the fast lane, later events of its stream wait. `slow`: retried for hours, later events pass. `delivered`: answered with
 * 2xx. `dead`: given up, or its endpoint is disabled. `refused`: the target is not allowed, nothing was sent.
 */
export const DELIVERY_STATES = ['pending', 'slow', 'delivered', 'dead', 'refused'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The states of undelivered events outside of the fast lane. */
export const RARE_STATES = ['slow', 'dead', 'refused'] as const satisfies DeliveryState[];
type RareState = (typeof RARE_STATES)[number];

export const isRareState = (state: DeliveryState): state is RareState =>
  (RARE_STATES as readonly DeliveryState[]).includes(state);

/** `event` of a call's webhook; `ended` is that of the post-call, the last two are those of the call-analysis. */
export type CallEvent =
  | 'initiated'
  | 'ringing'
  | 'in-progress'
  | 'completed'
  | 'failed'
  | 'busy'
  | 'no-answer'
  | 'cancelled'
  | 'ended'
  | 'analysed'
  | 'analysis-failed'
  | 'tool-completed'
  | 'tool-failed';

/** A stored webhook target. Its headers may hold secrets: a JSON list, encrypted (base64) with context `webhook-headers`. */
export interface StoredWebhook {
  url: string;
  method: string;
  headers_sealed?: string;
}

/** One event for one target. */
export interface OutboxEvent {
  accountId: number;
  callId: string;
  type: CallWebhookType;
  event: CallEvent;
  /** Numbers the webhooks of a call from 1 upwards. */
  sequence: number;
  createdAt: Date;
  target: StoredWebhook;
  /** `data` of the body. */
  data: Record<string, unknown>;
  /** Of a post-call: the address of the whole transcript, for a body in which it does not fit. */
  transcriptUrl?: string;
}

/** `event` of a campaign's webhook. */
export type CampaignWebhookEvent = 'started' | 'paused' | 'completed';

/** A change of the status of a campaign. */
export interface CampaignOutboxEvent {
  accountId: number;
  campaignId: number;
  event: CampaignWebhookEvent;
  /** Numbers the webhooks of a campaign from 1 upwards. */
  sequence: number;
  createdAt: Date;
  target: StoredWebhook;
  /** `data` of the body. */
  data: Record<string, unknown>;
}

/** The end of a run of scenarios. */
interface TestRunOutboxEvent {
  accountId: number;
  /** The status of the run. */
  event: string;
  url: string;
  createdAt: Date;
  /** `data` of the body. */
  data: Record<string, unknown>;
}

/** A row of `webhook_deliveries` and its stream, as plain JSON: it travels to PostgreSQL as one jsonb parameter. */
export interface DeliveryRecord {
  id: string;
  account_id: number;
  call_id: string;
  type: CallWebhookType;
  event: CallEvent;
  sequence: number;
  method: string;
  url: string;
  /** With the port when it is not the default port of the scheme. */
  host: string;
  /** base64 */
  headers_sealed: string | null;
  body: string;
  created_at: string;
}

/** The row of an event. Its body is the exact text that every attempt sends and signs. */
export function deliveryRecord(event: OutboxEvent): DeliveryRecord {
  const id = newId();
  const createdAt = isoTime(event.createdAt);
  const render = (data: Record<string, unknown>) =>
    JSON.stringify({
      id,
      type: event.type,
      event: event.event,
      created_at: createdAt,
      sequence: event.sequence,
      data,
    });
  return {
    id,
    account_id: event.accountId,
    call_id: event.callId,
    type: event.type,
    event: event.event,
    sequence: event.sequence,
    method: event.target.method,
    url: event.target.url,
    host: new URL(event.target.url).host,
    headers_sealed: event.target.headers_sealed ?? null,
    body: bodyOf(event, render),
    created_at: createdAt,
  };
}

function bodyOf(event: OutboxEvent, render: Render): string {
  if (event.type === 'post-call') return postCallBody(event, render);
  // The result of a tool has at most 64 KB.
  if (event.type === 'tool-result') return render(event.data);
  return event.type === 'call-analysis' ? analysisBody(event.data, render) : statusBody(event.data, render);
}

/** A delivery outside of calls. Its body is the exact text that every attempt sends and signs. */
interface OwnRecord {
  id: string;
  accountId: number;
  event: string;
  sequence: number;
  target: StoredWebhook;
  body: string;
  createdAt: Date;
}

/** The webhook of a campaign. */
export interface CampaignRecord extends OwnRecord {
  campaignId: number;
}

/** The webhook of a run of scenarios, or a test of a webhook. */
export type SingleRecord = OwnRecord & { type: 'test-run' | 'test' };

type BodyOfRecord = Pick<OwnRecord, 'id' | 'event' | 'sequence' | 'createdAt'> & {
  type: WebhookType;
  data: Record<string, unknown>;
};

const ownBody = ({ id, type, event, sequence, createdAt, data }: BodyOfRecord): string =>
  JSON.stringify({ id, type, event, created_at: isoTime(createdAt), sequence, data });

export function campaignRecord({ data, ...event }: CampaignOutboxEvent): CampaignRecord {
  const id = newId();
  return { ...event, id, body: ownBody({ ...event, id, type: 'campaign', data }) };
}

/** A run ends once: it has one webhook. */
export function testRunRecord({ accountId, event, url, createdAt, data }: TestRunOutboxEvent): SingleRecord {
  const record = { id: newId(), type: 'test-run', event, sequence: 1, createdAt } as const;
  return { ...record, accountId, target: { url, method: 'POST' }, body: ownBody({ ...record, data }) };
}

/** What an invocation of a tool queues, as plain JSON: it travels to PostgreSQL as one jsonb parameter. */
export interface ToolDeliveryRecord {
  /** Of the delivery: its `webhook-id` and `Idempotency-Key`. */
  id: string;
  account_id: number;
  /** Null outside of a call. */
  call_id: string | null;
  invocation_id: string;
  /** Orders the requests of one invocation to one URL. */
  sequence: number;
  method: string;
  url: string;
  /** With the port when it is not the default port of the scheme. */
  host: string;
  /** base64 */
  headers_sealed: string | null;
  /** Empty: sent without a body. */
  body: string;
  /** What is sent, where `url` and `body` are redacted: see sealRequest. base64. */
  request_sealed?: string;
  /** Until its first attempt. */
  hold_ms: number;
}

/** A webhook whose answer a call has waited for, with its only attempt. */
export interface AwaitedDelivery {
  id: string;
  accountId: number;
  callId: string;
  target: StoredWebhook;
  body: string;
  createdAt: Date;
  state: Extract<DeliveryState, 'delivered' | 'dead' | 'refused'>;
  status: number | null;
  error: string | null;
  latencyMs: number;
  /** The first 16 KiB of the answer. */
  responseHead: string | null;
  /** As sent, without the values of the user's headers. */
  requestHeaders: Record<string, string>;
}

/** A test of a webhook, sent once, the way all webhooks are sent. `agentId`: the agent whose webhook it is; null: it is a URL of the request. */
export function testRecord(accountId: number, target: StoredWebhook, agentId: number | null): SingleRecord {
  const record = { id: newId(), type: 'test', event: 'test', sequence: 1, createdAt: new Date() } as const;
  const data = { message: 'This is a test of your webhook.', agent_id: agentId };
  return { ...record, accountId, target, body: ownBody({ ...record, data }) };
}

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

/** A call-analysis body over 256 KB omits the evidence (`evidence_omitted: true`), which `GET /calls/{callId}/analysis` returns. */
function analysisBody(data: Data, render: Render): string {
  const whole = render(data);
  if (fits(whole, MAX_POST_CALL_BYTES)) return whole;
  const bare = (name: string) => listOf(data[name]).map(({ evidence: _evidence, ...one }) => one);
  return render({ ...data, fields: bare('fields'), rubric: bare('rubric'), metadata: null, evidence_omitted: true });
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
