import type { components } from '@app/client';

type Schemas = components['schemas'];

/** Services of an earlier release do not know these. */
interface OfVersion {
  agent_version?: number | null;
  variables?: Readonly<Record<string, unknown>> | null;
}

export type Call = Schemas['CallDto'] & OfVersion;
/** A call with its results, as `GET /calls/{id}` returns it. */
export type WholeCall = Schemas['CallWithResultsDto'] & OfVersion;
export type Transfer = Schemas['TransferDto'];
export type CostLine = Schemas['CostLineDto'];

/** `type` is a string: a tab that stays open during an update receives event types that it does not know. */
export interface CallEvent extends Pick<Schemas['CallEvent'], 'seq' | 'at'> {
  type: string;
  data: Record<string, unknown>;
}

export type LadderStep = Schemas['LadderStepDto'];
export type RtpStatistics = Schemas['RtpStatisticsDto'];
export type Leg = Schemas['LegDiagnosticsDto'];
export type Diagnostics = Schemas['DiagnosticsDto'];
export type ToolCall = Schemas['ToolCallDto'];

/** The common fields of results of the console's and the agent's searches. */
export type Passage = Pick<
  Schemas['FoundPassageDto'],
  'title' | 'source' | 'text' | 'score' | 'page' | 'heading_path' | 'rows'
>;

export type KnowledgeBase = Schemas['KnowledgeBaseDto'];
export type KnowledgeBaseChanges = Schemas['UpdateKnowledgeBaseDto'];

/** The parts of a JSON Schema that forms use; the API validates the rest. */
export interface JsonSchema {
  type?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
}

export type Tool = Schemas['ToolDto'];
export type NewTool = Schemas['CreateToolDto'];
export type ToolAction = Schemas['WebhookActionDto'];
export type NewToolAction = Schemas['CreateWebhookActionDto'];
export type ToolRun = Schemas['ToolRunDto'];
export type Agent = Schemas['AgentDto'];
export type PhoneNumber = Schemas['NumberDto'];
export type Trunk = Schemas['TrunkDto'];
export type Delivery = Schemas['DeliveryDto'];
export type FoundDelivery = Schemas['DeliveryWithAttemptsDto'];

export interface AgentVariable {
  name: string;
  required?: boolean;
  default?: string | number | boolean | null;
  max_length?: number;
  description?: string | null;
}

interface AgentWebhook {
  url: string;
  method?: string;
  headers?: { key: string; value: string }[];
  on_error?: string;
}

/** The settings that a version of an agent has. */
export interface AgentSettings {
  provider: string;
  model: string | null;
  voice: string | null;
  transcription_model: string | null;
  turn_detection: object | null;
  fallbacks: object[];
  script: object | null;
  instructions: string;
  greeting: string;
  variables?: AgentVariable[] | null;
  timezone?: string | null;
  max_call_seconds: number;
  ring_timeout_seconds: number;
  post_call_webhook: AgentWebhook | null;
  call_status_webhook: AgentWebhook | null;
  pre_call_webhook?: AgentWebhook | null;
  call_transfer: { enabled: boolean; phone_number: string | null; caller_id_number_id: number | null };
  answering_machine: { detect: boolean; on_machine: string; message: string; wait_for_beep_seconds: number } | null;
  conversation: object | null;
}

/** An agent with its current settings. */
export interface WholeAgent extends AgentSettings {
  id: number;
  name: string;
  active: boolean;
  scenarios: object[];
  publish_requires: string[];
  version: number;
  canary: { version: number; traffic_percent: number } | null;
  updated_at: string;
}

export interface AgentVersion {
  version: number;
  state: 'draft' | 'current' | 'canary' | 'superseded';
  traffic_percent: number;
  note: string;
  created_by: { kind: string; id: string | null } | null;
  created_at: string;
  published_at: string | null;
}

export interface AgentPreview {
  instructions: string;
  greeting: string;
  voicemail: string;
  missing: string[];
  unused: string[];
  problems: { field: string; message: string }[];
}

export interface TestedTarget {
  host: string;
  port: number | null;
  transport: string | null;
  state: 'up' | 'down';
  sip_status: number | null;
  rtt_ms: number | null;
  reason: string | null;
}

export interface TrunkTest {
  state: 'up' | 'down' | 'unknown';
  targets: TestedTarget[];
}

export interface Account {
  id: number;
  name: string;
  limits: {
    concurrent_calls: number | null;
    calls_per_second: number | null;
    queued_calls: number | null;
    requests_per_minute: number | null;
    daily_spend_usd: number | null;
    storage_bytes: number | null;
    destinations: { allow: string[] | null; deny: string[] | null };
  };
  retention: Record<'recordings_days' | 'transcripts_days' | 'deliveries_days' | 'documents_days', number | null>;
  spend: { today_usd: number; resets_at: string };
  storage: { used_bytes: number };
  calls: { queued: number; live: number };
}

export type Simulation = Schemas['SimulationDto'];

/** A command to a live call. */
export interface CallCommand {
  command_id: string;
  type: string;
  status: 'pending' | 'running' | 'done' | 'failed' | 'not_executed';
  input: Readonly<Record<string, unknown>>;
  effective_at: string | null;
  error: { code: string; message: string } | null;
}
export type Token = Schemas['TokenDto'];
export type IssuedToken = Schemas['IssuedTokenDto'];
export type Scope = Token['scopes'][number];
export type Endpoint = Schemas['EndpointDto'];
export type ReplayedRange = Schemas['RangeReplayDto'];
export type AuditEvent = Schemas['AuditEventDto'];

/** One page of a list; the console pages through all lists. */
export interface ListOf<T> {
  data: T[];
  meta: Pick<Schemas['PageMetaDto'], 'current_page' | 'last_page' | 'total'> &
    Pick<Schemas['ListMetaDto'], 'total_is_estimate'>;
}

const LIVE: ReadonlySet<Call['status']> = new Set(['pending', 'ringing', 'in_progress']);
export const isLive = ({ status }: Pick<Call, 'status'>): boolean => LIVE.has(status);
