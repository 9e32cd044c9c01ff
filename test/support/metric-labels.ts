import { readFileSync } from 'node:fs';
import { ACTIVE_STATUSES, ANSWERED_BY, COMMAND_TYPES } from '@app/calls';
import { CONTACT_OUTCOMES } from '@app/campaigns';
import { PROVIDER_NAMES } from '@app/common';
import { QUEUE_NAMES } from '@app/queue';
import { HANGUP_CAUSES } from '@app/telephony';

/** The possible values of a label: all values, or a pattern with examples for queries. */
export type LabelValues = readonly string[] | { form: RegExp; examples: readonly string[] };

const ENDED = ['completed', 'busy', 'no_answer', 'failed', 'cancelled'];
const ROLES = ['api', 'worker', 'dialer', 'embedder'];
const TEXTS = ['query', 'passage'];
const LEG_DIRECTIONS = ['received', 'sent'];
const QUEUES = ['calls', 'deliveries', 'documents'];
const DELIVERIES = ['call-status', 'post-call', 'tool-action'];
const SOCKETS = ['web_call', 'listen'];
/** Those that the api counts, others as `other`. */
const CLOSE_CODES = [
  ...['1000', '1001', '1002', '1005', '1006', '1007', '1008', '1009', '1011', '1012'],
  ...['4400', '4401', '4403', '4404', '4408', '4409', '4429', '4503', 'other'],
];
const CALL_DIRECTIONS = ['outbound', 'inbound'];

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, unknown> };
const ROUTES: LabelValues = {
  form: /^(?:\/|unmatched|other|none)/,
  examples: Object.keys(paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1')),
};
const HTTP_STATUSES: LabelValues = { form: /^[1-5]\d\d$/, examples: ['200', '201', '404', '422', '429', '500', '503'] };
const PROVIDERS: LabelValues = {
  form: /^[a-z-]+$/,
  examples: PROVIDER_NAMES,
};
const VERSIONS: LabelValues = { form: /^\d+\.\d+\.\d+/, examples: ['1.0.0'] };

/** Error codes of docs/analysis.md. */
const ANALYSIS_OUTCOMES = [
  ...['completed', 'invalid_answer', 'model_unavailable', 'model_busy', 'model_timeout', 'model_failed'],
  ...['spend_limit', 'transcript_deleted', 'worker_lost', 'internal_error'],
];

/** Labels of every `trunkline_` metric, by its name without prefix and histogram suffix. */
export const LABEL_VALUES: Readonly<Record<string, Readonly<Record<string, LabelValues>>>> = {
  build_info: { version: VERSIONS, role: ROLES },
  http_request_duration_seconds: {
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    route: ROUTES,
    status: HTTP_STATUSES,
  },
  http_refused_total: {
    limit: [
      ...['token', 'account', 'address', 'auth_failures', 'connections'],
      ...['sockets', 'sockets_of_address', 'socket_attempts', 'web_key_origin', 'web_key_calls'],
    ],
  },
  sockets: { route: SOCKETS },
  socket_closes_total: { route: SOCKETS, code: CLOSE_CODES },
  socket_bytes_total: { route: SOCKETS, direction: ['in', 'out'] },
  web_frames_dropped_total: { direction: ['from_page', 'to_page'] },
  sign_ins_total: {
    outcome: [
      'succeeded',
      'denied',
      'expired',
      'refused',
      'no_role',
      'domain',
      'several',
      'unknown',
      'unavailable',
      'busy',
      'address',
    ],
  },
  calls_started_total: { direction: CALL_DIRECTIONS },
  calls_ended_total: {
    direction: CALL_DIRECTIONS,
    status: [...ENDED, 'cut_off'],
    cause: [...HANGUP_CAUSES, 'none'],
  },
  call_duration_seconds: { direction: CALL_DIRECTIONS },
  queue_wait_seconds: { outcome: ['served', 'abandoned', 'timeout', 'ended'] },
  transfers_total: { outcome: [...ENDED, 'declined'] },
  call_commands_total: { kind: COMMAND_TYPES, outcome: ['done', 'failed'] },
  call_command_seconds: { kind: COMMAND_TYPES },
  analyses_total: { outcome: ANALYSIS_OUTCOMES, kind: ['model', 'rules', 'none'] },
  campaign_attempts_total: { outcome: [...CONTACT_OUTCOMES, 'not_dialled'] },
  sip_foreign_messages_total: { kind: ['request', 'response', 'ack', 'cancel'] },
  recordings_lost_total: { cause: ['quota', 'storage', 'redaction'] },
  rtp_loss_ratio: { direction: LEG_DIRECTIONS },
  rtp_jitter_seconds: { direction: LEG_DIRECTIONS },
  provider_first_audio_seconds: { provider: PROVIDERS },
  turn_latency_seconds: { provider: PROVIDERS, stage: ['endpoint', 'first_token', 'first_audio', 'heard'] },
  turn_latency_part_seconds: {
    provider: PROVIDERS,
    part: ['endpointing', 'model', 'tools', 'synthesis', 'playout'],
  },
  interruptions_total: { kind: ['words', 'false', 'ignored'] },
  provider_losses_total: { provider: PROVIDERS },
  counted_calls_total: {
    direction: CALL_DIRECTIONS,
    outcome: ENDED,
    answered_by: [...ANSWERED_BY, 'none'],
  },
  tool_calls_total: { outcome: ['succeeded', 'failed'] },
  knowledge_searches_total: { outcome: ['found', 'nothing'] },
  calls: { status: [...ACTIVE_STATUSES, 'scheduled'] },
  jobs: { queue: QUEUE_NAMES, state: ['waiting', 'active', 'failed'] },
  jobs_oldest_seconds: { queue: QUEUE_NAMES },
  jobs_ended_total: { queue: QUEUE_NAMES, outcome: ['completed', 'failed'] },
  job_seconds: { queue: QUEUE_NAMES },
  queue_depth: { queue: QUEUES },
  queue_oldest_seconds: { queue: QUEUES },
  trunks: { state: ['up', 'down', 'unknown'] },
  trunk_registrations: { state: ['registered', 'failed', 'unregistered'] },
  campaigns: { state: ['running', 'paused', 'paused_by_breaker'] },
  delivery_attempt_seconds: { kind: DELIVERIES, outcome: ['delivered', 'refused', 'failed'] },
  delivery_lag_seconds: { kind: DELIVERIES },
  deliveries_dead_total: { kind: DELIVERIES },
  mcp_tool_calls_total: { outcome: { form: /^[a-z_]+$/, examples: ['succeeded', 'timeout', 'tool_error'] } },
  mcp_server_checks_total: { state: ['connected', 'changed', 'unreachable'] },
  mcp_requests_total: {
    tool: { form: /^[a-z_]+$/, examples: ['place_call', 'get_call'] },
    outcome: ['succeeded', 'refused', 'failed'],
  },
  document_stage_seconds: { stage: ['fetch', 'wait', 'read', 'index'] },
  knowledge_refreshes_total: { outcome: ['changed', 'unchanged', 'failed', 'shrank'] },
  documents_ended_total: { outcome: ['completed', 'failed'] },
  embedder_checks_total: { outcome: ['better', 'similar', 'worse'] },
  knowledge_fallbacks_total: { cause: ['late', 'unavailable', 'refused', 'store'] },
  embedder_seconds: { kind: TEXTS },
  embedder_waiting: { kind: TEXTS },
  embedder_refused_total: { kind: TEXTS },
  db_pool_connections: { state: ['idle', 'busy'] },
  retention_deleted_total: { kind: ['recordings', 'transcripts', 'test_runs', 'deliveries', 'documents'] },
};

export const baseOf = (metric: string): string =>
  metric.replace(/^trunkline_/, '').replace(/_(?:bucket|sum|count)$/, '');

/** Whether Prometheus can contain the value; metrics of Node accept any value. */
export function mayBe(metric: string, label: string, value: string): boolean {
  const values = LABEL_VALUES[baseOf(metric)]?.[label];
  if (!values) return !metric.startsWith('trunkline_');
  return 'form' in values ? values.form.test(value) : values.includes(value);
}

/** Whether a matcher of a query refers to an existing label value. */
export function canMatch(metric: string, { label, operator, value }: Matcher): boolean {
  const values = LABEL_VALUES[baseOf(metric)]?.[label];
  if (!values) return !metric.startsWith('trunkline_');
  if (operator === '=' || operator === '!=') return mayBe(metric, label, value);
  const pattern = new RegExp(`^(?:${value})$`);
  return ('form' in values ? values.examples : values).some((one) => pattern.test(one));
}

export interface Matcher {
  label: string;
  operator: '=' | '!=' | '=~' | '!~';
  value: string;
}
