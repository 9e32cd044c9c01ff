import { isoTime, timeOrNull, usd } from '@app/common';
import type { OutboxEvent, StoredWebhook } from '@app/webhooks';
import type { CallLinksService } from '../recordings/call-links.service.js';
import type { CallRow, CallWithFlow } from '../call.entity.js';
import type { CallSchedule, CostLine, TransferRecord } from '../domain/call.js';
import { type CallFlow, flowValues } from '../domain/call-flow.js';
import { callFailure } from '../domain/call-failure.js';
import { answerParts, type AnswerParts, type CallMeasures, type StoredLatency } from '../domain/call-measures.js';
import { eventOf } from '../domain/call-state.js';
import { callFlowView } from './call-flow.presenter.js';
import { measuresView } from './call-measures.presenter.js';
import type { MediaQuality } from './diagnostics.presenter.js';

/** The links in a call object. */
export type SignedLinks = Pick<CallLinksService, 'recording' | 'transcript'>;

const HOUR = 3_600;
/** A post-call webhook may be read days later. */
const WEEK = 7 * 24 * HOUR;

const moneyOrNull = (micros: string | null): number | null => (micros === null ? null : usd(Number(micros)));

/** Whole seconds since the answer, up to now for a live call; null: not answered. */
function durationSeconds(call: CallRow, now: Date): number | null {
  if (!call.answered_at) return null;
  const ms = (call.ended_at ?? now).getTime() - call.answered_at.getTime();
  return Math.max(0, Math.round(ms / 1_000));
}

/** Whole seconds that an inbound caller waited for a free place, up to now for a waiting one; null: it did not wait. */
function queuedSeconds(call: CallRow, now: Date): number | null {
  if (!call.queued_at) return null;
  const ms = (call.served_at ?? call.queue_left_at ?? call.ended_at ?? now).getTime() - call.queued_at.getTime();
  return Math.max(0, Math.round(ms / 1_000));
}

export function toReducedCallView(call: CallRow) {
  return {
    call_id: call.id,
    status: call.status,
    to_number: call.to_number,
    from_number: call.from_number,
    agent: call.agent_name,
  };
}

// Object.assign below, not a spread: V8 defines each property that follows a spread in its slowest way. A page of 15 calls took
// 320 µs to build with one, 33 µs without.

/** The call object of the API. `now`: the duration of a live call is counted up to this time. */
export function callView(call: CallRow, links: SignedLinks, now = new Date(), recordingTtl = HOUR) {
  const seconds = durationSeconds(call, now);
  const completed = call.status === 'completed';
  return Object.assign(toReducedCallView(call), {
    duration_seconds: seconds,
    duration_minutes: seconds === null ? null : Math.round((seconds / 60) * 100) / 100,
    cost: completed ? moneyOrNull(call.cost_micros) : null,
    realtime_cost: completed ? moneyOrNull(call.realtime_cost_micros) : null,
    started_at: timeOrNull(call.started_at),
    answered_at: timeOrNull(call.answered_at),
    answered_by: call.answered_by,
    answering_machine: call.answering_machine,
    recording_consent: call.recording_consent,
    disclosure: call.disclosure,
    guardrail_hits: call.guardrail_hits ?? [],
    ended_at: timeOrNull(call.ended_at),
    recording_url: call.recording_key ? links.recording(call, recordingTtl) : null,
    recording_deleted_at: timeOrNull(call.recording_deleted_at),
    transcript_deleted_at: timeOrNull(call.transcript_deleted_at),
    hangup_cause: call.hangup_cause,
    failure: callFailure(call),
    direction: call.direction,
    channel: call.channel,
    agent_id: call.agent_id,
    agent_version: call.agent_version,
    number_id: call.number_id,
    trunk_id: call.trunk_id,
    metadata: call.metadata,
    variables: call.variables,
    knowledge_base_ids: call.knowledge_base_ids,
    campaign_id: call.campaign_id,
    contact_id: call.contact_id,
    created_at: isoTime(call.created_at),
    scheduled_for: call.channel === 'web' ? null : timeOrNull(call.due_at),
    schedule: scheduleView(call.settings.schedule),
    sip_code: call.sip_code,
    ended_by: call.ended_by,
    transfers: transfersOf(call),
    queued_seconds: queuedSeconds(call, now),
  });
}

/** The `schedule` of a request with the time zones that it applies to; null: the call may be dialled at any time. */
function scheduleView(schedule: CallSchedule | undefined) {
  if (!schedule) return null;
  const { not_before: notBefore, windows, excluded_dates: excluded = [], time_zones: zones = [] } = schedule;
  return {
    not_before: notBefore === undefined ? null : isoTime(new Date(notBefore)),
    window: windows ? { windows, excluded_dates: excluded } : null,
    time_zones: zones,
  };
}

export type CallView = ReturnType<typeof callView>;

type PricedLine = Omit<CostLine, 'price_book'>;

const costLineView = (line: PricedLine) => ({
  kind: line.kind,
  description: line.description,
  quantity: line.quantity,
  unit: line.unit,
  unit_price: usd(line.unit_price_micros),
  amount: usd(line.amount_micros),
});

/** A call with its results. */
export interface CallWithResults extends CallRow {
  /** null: the call has not ended or was not answered, or its transcript was deleted. */
  summary: string | null;
  measures: CallMeasures | null;
  flow: CallFlow | null;
  costs: CostLine[];
}

/** The response of `GET /calls/{callId}`. */
export const callWithResultsView = (call: CallWithResults, links: SignedLinks) =>
  Object.assign(callView(call, links), measuresView(call.measures), callFlowView(call, call.flow), {
    summary: call.summary,
    costs: call.costs.map(costLineView),
  });

export type CallWithResultsView = ReturnType<typeof callWithResultsView>;

/** A call before anything has happened in it. */
type UndialledCall = Pick<
  CallRow,
  | 'id'
  | 'to_number'
  | 'from_number'
  | 'agent_name'
  | 'direction'
  | 'channel'
  | 'agent_id'
  | 'metadata'
  | 'variables'
  | 'created_at'
>;

/** The body of the pre-call webhook, the same for every attempt. */
export const preCallBody = (id: string, call: UndialledCall): string =>
  JSON.stringify({
    id,
    type: 'pre-call',
    event: 'requested',
    created_at: isoTime(call.created_at),
    data: {
      call_id: call.id,
      status: 'pending',
      to_number: call.to_number,
      from_number: call.from_number,
      agent: call.agent_name,
      direction: call.direction,
      channel: call.channel,
      agent_id: call.agent_id,
      metadata: call.metadata,
      variables: call.variables,
      created_at: isoTime(call.created_at),
    },
  });

/** The status webhook of the current state of a call. */
export function statusEvent(row: CallWithFlow, target: StoredWebhook, at: Date): OutboxEvent {
  return {
    accountId: row.account_id,
    callId: row.id,
    type: 'call-status',
    event: eventOf(row.status),
    sequence: row.webhook_seq,
    createdAt: at,
    target,
    data: statusEventData(row),
  };
}

/** `data` of a call-status webhook. */
export function statusEventData(call: CallWithFlow): Record<string, unknown> {
  return Object.assign(toReducedCallView(call), {
    direction: call.direction,
    channel: call.channel,
    agent_id: call.agent_id,
    agent_version: call.agent_version,
    campaign_id: call.campaign_id,
    contact_id: call.contact_id,
    metadata: call.metadata,
    created_at: isoTime(call.created_at),
    started_at: timeOrNull(call.started_at),
    answered_at: timeOrNull(call.answered_at),
    answered_by: call.answered_by,
    answering_machine: call.answering_machine,
    recording_consent: call.recording_consent,
    disclosure: call.disclosure,
    guardrail_hits: call.guardrail_hits ?? [],
    ended_at: timeOrNull(call.ended_at),
    hangup_cause: call.hangup_cause,
    failure: callFailure(call),
    ...(call.flow && { values: flowValues(call.flow), path: call.flow.path ?? [] }),
  });
}

/** A turn in the transcript; times in ms since the answer. */
export interface TranscriptTurn {
  role: string;
  text: string;
  started_ms: number;
  ended_ms: number;
  /** The agent had more to say and was interrupted. */
  truncated: boolean;
  /** Of an answer of the agent. */
  latency?: TurnLatencyView;
}

/** The turns and tool calls among the events of a call, for the post-call webhook. */
interface ConversationRecord {
  transcript: TranscriptTurn[];
  tool_calls: Record<string, unknown>[];
}

export const transcriptTurn = (data: Record<string, unknown>): TranscriptTurn => ({
  role: String(data.role),
  text: String(data.text),
  started_ms: Number(data.started_ms),
  ended_ms: Number(data.ended_ms),
  truncated: data.truncated === true,
  ...(isRecord(data.latency) && { latency: latencyView(data.latency) }),
});

/** A turn is written when it ends; overlapping turns are sorted by their beginnings. */
export function conversationRecord(
  events: readonly { type: string; data: Record<string, unknown> }[],
): ConversationRecord {
  const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
  const transcript = of('turn')
    .map(transcriptTurn)
    .sort((a, b) => a.started_ms - b.started_ms);
  return { transcript, tool_calls: of('tool_call') };
}

/** `TurnLatency` of the session, and the time between its steps. */
type TurnLatencyView = StoredLatency & { input_ended_ms: number; parts: AnswerParts };

function latencyView(latency: Record<string, unknown>): TurnLatencyView {
  const known = (name: string) => (name in latency ? { [name]: Number(latency[name]) } : {});
  const stored = {
    input_ended_ms: Number(latency.input_ended_ms),
    endpoint_ms: Number(latency.endpoint_ms),
    ...known('first_token_ms'),
    ...known('tools_ms'),
    first_audio_ms: Number(latency.first_audio_ms),
    heard_ms: Number(latency.heard_ms),
  };
  return { ...stored, parts: answerParts(stored) };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The content of the post-call webhook besides the call itself. */
interface CallResults extends ConversationRecord {
  summary: string | null;
  costs: PricedLine[];
  mediaQuality: MediaQuality | null;
  measures: CallMeasures | null;
}

/** The post-call webhook of a call that has ended. */
export function postCallEvent(
  row: CallWithFlow,
  results: CallResults,
  links: SignedLinks,
  { target, sequence }: Pick<OutboxEvent, 'target' | 'sequence'>,
): OutboxEvent {
  return {
    accountId: row.account_id,
    callId: row.id,
    type: 'post-call',
    event: 'ended',
    sequence,
    createdAt: row.ended_at ?? new Date(),
    target,
    data: postCallData(row, results, links),
    transcriptUrl: links.transcript(row, WEEK),
  };
}

/** `data` of the post-call webhook: the whole call with its results, not shortened yet. */
export function postCallData(call: CallWithFlow, results: CallResults, links: SignedLinks): Record<string, unknown> {
  return {
    ...callView(call, links, call.ended_at ?? undefined, WEEK),
    transcript: results.transcript,
    transcript_url: null,
    summary: results.summary,
    costs: results.costs.map(costLineView),
    recording: recordingOf(call, links),
    media_quality: results.mediaQuality,
    ...measuresView(results.measures),
    ...callFlowView(call, call.flow ?? null),
    tool_calls: results.tool_calls.map(toolCallView),
    knowledge_searches: knowledgeSearches(results.tool_calls),
  };
}

/** null: not recorded. A lost recording has no `url`; `error` is the reason. */
function recordingOf(call: CallRow, links: SignedLinks): Record<string, unknown> | null {
  if (!call.recording_key && !call.recording_error) return null;
  return {
    url: call.recording_key ? links.recording(call, WEEK) : null,
    bytes: call.recording_bytes === null ? null : Number(call.recording_bytes),
    duration_seconds: call.recording_ms === null ? null : call.recording_ms / 1_000,
    error: call.recording_error,
  };
}

/** The transfers of the API: a transfer that was live when the dialer died ended with the call. */
function transfersOf({ transfers, ended_at: endedAt }: Pick<CallRow, 'transfers' | 'ended_at'>): TransferRecord[] {
  const shown = transfers.map((one) => ({ ...OF_EARLIER_TRANSFERS, ...one }));
  if (!endedAt) return shown;
  return shown.map((one) => (one.ended_at ? one : { ...one, status: 'failed', ended_at: isoTime(endedAt) }));
}

/** Transfers that an earlier release stored were cold. */
const OF_EARLIER_TRANSFERS = {
  ...({ mode: 'cold', destination: null, joined_at: null, accepted_by: null, declined_reason: null } as const),
};

/** The built-in tool whose calls are searches; its results are passages. */
const SEARCH = 'search_knowledge_base';

type ToolCallData = Record<string, unknown>;

/** A search of the agent in the post-call webhook; times in ms since the answer. */
interface KnowledgeSearchView {
  tool_call_id: unknown;
  /** The first of `queries`. */
  query: unknown;
  /** The wordings that were searched together. */
  queries: unknown[];
  /** Best first; empty when nothing was found or the search failed. */
  results: unknown[];
  /** `{code, message}` of a failed search. */
  error: unknown;
  started_ms: unknown;
  ended_ms: unknown;
}

const isSearch = ({ name }: ToolCallData): boolean => name === SEARCH;

export const knowledgeSearches = (calls: readonly ToolCallData[]): KnowledgeSearchView[] =>
  calls.filter(isSearch).map(searchView);

function searchView(call: ToolCallData): KnowledgeSearchView {
  const { results, error } = objectOf(call.result);
  const { query, queries: wordings = query } = objectOf(call.arguments);
  const queries: unknown[] = [wordings ?? []].flat();
  return {
    tool_call_id: call.tool_call_id,
    query: queries[0] ?? null,
    queries,
    results: Array.isArray(results) ? results : [],
    error: error ?? null,
    started_ms: call.started_ms,
    ended_ms: call.ended_ms,
  };
}

/** The searches list the passages; the tool call only has their number. */
export function toolCallView(call: ToolCallData): ToolCallData {
  const { results } = objectOf(call.result);
  return isSearch(call) && Array.isArray(results) ? { ...call, result: { found: results.length } } : call;
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
