/** What the console reads of the answers of the API; `openapi.json` has all of it. */
export interface Call {
  call_id: string;
  status: string;
  to_number: string;
  from_number: string;
  agent: string;
  agent_id: number;
  direction: 'inbound' | 'outbound';
  duration_seconds: number | null;
  cost: number | null;
  realtime_cost: number | null;
  created_at: string;
  started_at: string | null;
  answered_at: string | null;
  answered_by: string | null;
  ended_at: string | null;
  recording_url: string | null;
  hangup_cause: string | null;
  sip_code: number | null;
  ended_by: string | null;
  metadata: Record<string, unknown> | null;
}

export interface CallEvent {
  seq: number;
  type: string;
  at: string;
  data: Record<string, unknown>;
}

export interface LadderStep {
  at: string;
  offset_ms: number;
  direction: 'in' | 'out';
  transport: string;
  from: string;
  to: string;
  summary: string;
  cseq: string | null;
  retransmissions: number;
  message: string;
}

export interface RtpStatistics {
  codec: string | null;
  srtp: boolean;
  sent: number;
  received: number;
  lost: number;
  loss_rate: number | null;
  jitter_ms: number | null;
  mos: number | null;
  rtt_ms: number | null;
}

export interface Leg {
  leg: number;
  direction: string;
  ladder: LadderStep[];
  rtp: RtpStatistics | null;
}

export interface Diagnostics {
  legs: Leg[];
  left_out: number;
}

export interface ToolCall {
  invocation_id: string;
  tool: string;
  arguments: unknown;
  ok: boolean | null;
  result: unknown;
  started_at: string;
  ended_at: string | null;
  actions: {
    id: string;
    name: string;
    method: string;
    url: string;
    outcome: string;
    error: { message?: string } | null;
    attempts: { attempt: number; at: string; status: number | null; latency_ms: number; error: string | null }[];
  }[];
}

export interface Passage {
  knowledge_base_id?: number;
  title: string;
  source: string | null;
  text: string;
  score: number;
  page: number | null;
  heading_path?: string[];
  rows: { first: number; last: number } | null;
}

export interface KnowledgeBase {
  id: number;
  title: string;
  source_type: 'text' | 'file' | 'url';
  status: string;
  is_active: boolean;
  source_reference: string | null;
  file_name: string | null;
  file_size: number | null;
  word_count: number;
  chunk_count: number;
  processing_error: string | null;
  stage: string | null;
  progress: number;
  updated_at: string;
}

export interface JsonSchema {
  type?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

export interface Tool {
  id: number;
  name: string;
  description: string;
  is_active: boolean;
  parameters: JsonSchema;
  webhook_actions: { name: string; url: string; method: string; wait_response: boolean }[];
}

export interface ToolRun {
  invocation_id: string;
  ok: boolean;
  result: Record<string, unknown>;
  actions: {
    name: string;
    method: string;
    outcome: string;
    status: number | null;
    latency_ms: number | null;
    error: { message: string } | null;
  }[];
}

export interface Agent {
  id: number;
  name: string;
  provider: string;
  active: boolean;
}

export interface PhoneNumber {
  id: number;
  name: string;
  e164: string;
  active: boolean;
}

export interface Trunk {
  id: number;
  name: string;
  active: boolean;
  state: string;
  targets: { host: string; port: number | null; transport: string | null }[];
}

export interface ListOf<T> {
  data: T[];
  meta: { current_page: number; last_page: number; total: number; per_page: number; total_is_estimate?: boolean };
}

const LIVE = new Set(['pending', 'ringing', 'in_progress']);
export const isLive = ({ status }: Pick<Call, 'status'>): boolean => LIVE.has(status);

export interface Attempt {
  attempt: number;
  at: string;
  status: number | null;
  latency_ms: number;
  error: string | null;
  answer: string | null;
}

export interface Delivery {
  id: string;
  type: string;
  event: string;
  sequence: number;
  method: string;
  url: string;
  state: string;
  attempt_count: number;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  delivered_at: string | null;
  replayed_at: string | null;
}

export interface FoundDelivery extends Delivery {
  body: string;
  attempts: Attempt[];
}
