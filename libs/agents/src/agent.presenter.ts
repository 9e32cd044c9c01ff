import { type Encryption, isoTime, timeOrNull } from '@app/common';
import { maskHeaders, openHeaders, type StoredWebhook, type WebhookHeader } from '@app/webhooks';
import { DEFAULT_ACCEPT_SECONDS, type StoredTransferOptions } from './domain/transfer-settings.js';
import type { VariableDeclaration } from './domain/variables.js';
import type { AgentEntity } from './agent.entity.js';
import type { AgentChange } from './schemas/agent-schema.js';
import type { AgentVersionEntity } from './versions/agent-version.entity.js';

/** A webhook of an agent; the values of its headers are masked. */
export interface AgentWebhookView {
  url: string;
  method: string;
  headers: WebhookHeader[];
}

export interface ScenarioView {
  name: string;
  scenario: Record<string, unknown>;
}

const shownWebhook = (webhook: StoredWebhook, encryption: Encryption): AgentWebhookView => ({
  url: webhook.url,
  method: webhook.method,
  headers: maskHeaders(openHeaders(encryption, webhook.headers_sealed)),
});

const webhookView = (webhook: StoredWebhook | null, encryption: Encryption): AgentWebhookView | null =>
  webhook && shownWebhook(webhook, encryption);

const variableView = ({ name, required, default: usual, max_length, description }: VariableDeclaration) => ({
  name,
  required,
  default: usual ?? null,
  max_length,
  description: description ?? null,
});

const transferOptionsView = (options: StoredTransferOptions) => ({
  mode: options.mode ?? ('cold' as const),
  briefing: options.briefing ?? ('summary' as const),
  accept_prompt: options.accept_prompt ?? null,
  accept_timeout_seconds: options.accept_timeout_seconds ?? DEFAULT_ACCEPT_SECONDS,
  destinations: (options.destinations ?? []).map((one) => ({
    name: one.name,
    to_number: one.to_number,
    description: one.description ?? null,
    extension: one.extension ?? null,
    headers: one.headers ?? {},
    uui: one.uui ?? null,
    ring_timeout_seconds: one.ring_timeout_seconds ?? null,
  })),
});

/** The settings that each version of an agent has. */
export const agentSettingsView = (agent: AgentEntity, encryption: Encryption) => ({
  provider: agent.provider,
  model: agent.providerOptions.model ?? null,
  voice: agent.providerOptions.voice ?? null,
  transcription_model: agent.providerOptions.transcription_model ?? null,
  turn_detection: agent.providerOptions.turn_detection ?? null,
  pipeline: agent.providerOptions.pipeline ?? null,
  fallbacks: agent.providerOptions.fallbacks ?? [],
  script: (agent.providerOptions.script ?? null) as Record<string, unknown> | null,
  instructions: agent.instructions,
  greeting: agent.greeting,
  max_call_seconds: agent.maxCallSeconds,
  ring_timeout_seconds: agent.ringTimeoutSeconds,
  post_call_webhook: webhookView(agent.postCallWebhook, encryption),
  call_status_webhook: webhookView(agent.callStatusWebhook, encryption),
  pre_call_webhook: agent.preCallWebhook && {
    ...shownWebhook(agent.preCallWebhook, encryption),
    on_error: agent.preCallWebhook.on_error,
  },
  variables: agent.variables.map(variableView),
  timezone: agent.timezone,
  call_transfer: {
    enabled: agent.transferEnabled,
    phone_number: agent.transferPhoneNumber,
    caller_id_number_id: agent.transferCallerIdNumberId,
    ...transferOptionsView(agent.transferOptions ?? {}),
  },
  do_not_call_tool: agent.doNotCallTool,
  pause_recording_tool: agent.pauseRecordingTool,
  digit_inputs: agent.digitInputs,
  recording_consent: agent.recordingConsent,
  guardrails: agent.guardrails,
  disclosure: agent.disclosure,
  redaction: agent.redaction,
  answering_machine: agent.answeringMachine,
  conversation: agent.conversation,
  analysis: agent.analysis,
  // Stored with ids, in the shape of a request.
  flow: agent.flow as NonNullable<AgentChange['flow']> | null,
  handoffs: agent.handoffs as NonNullable<AgentChange['handoffs']>,
});

export type AgentSettingsView = ReturnType<typeof agentSettingsView>;

/** An agent with its current settings. */
export const agentView = (agent: AgentEntity, scenarios: ScenarioView[], encryption: Encryption) => ({
  id: agent.id,
  name: agent.name,
  active: agent.active,
  ...agentSettingsView(agent, encryption),
  scenarios,
  publish_requires: agent.publishRequires,
  version: agent.version,
  canary:
    agent.canaryVersion === null ? null : { version: agent.canaryVersion, traffic_percent: agent.canaryPercent ?? 0 },
  created_at: isoTime(agent.createdAt),
  updated_at: isoTime(agent.updatedAt),
});

export type AgentView = ReturnType<typeof agentView>;

/** A version in a list: without its settings. */
export const versionView = (
  version: Omit<AgentVersionEntity, 'settings'>,
  { canaryPercent }: Pick<AgentEntity, 'canaryPercent'>,
) => ({
  version: version.version,
  state: version.state,
  traffic_percent: trafficOf(version.state, canaryPercent ?? 0),
  note: version.note,
  created_by: version.createdByKind === null ? null : { kind: version.createdByKind, id: version.createdById },
  created_at: isoTime(version.createdAt),
  published_at: timeOrNull(version.publishedAt),
});

export type VersionView = ReturnType<typeof versionView>;

export type VersionWithSettingsView = VersionView & { settings: AgentSettingsView };

function trafficOf(state: AgentVersionEntity['state'], canaryPercent: number): number {
  if (state === 'current') return 100 - canaryPercent;
  return state === 'canary' ? canaryPercent : 0;
}
