import type { Encryption } from '@app/common';
import { openHeaders, sealHeaders, type StoredWebhook } from '@app/webhooks';
import { isDeepStrictEqual } from 'node:util';
import type { AgentEntity, StoredPreCallWebhook, StoredProviderOptions } from '../agent.entity.js';
import { templateErrors } from '../domain/placeholders.js';
import { DEFAULT_ACCEPT_SECONDS, type StoredTransferOptions } from '../domain/transfer-settings.js';
import { type AgentChange, type WebhookNode, type AgentNode } from './agent-schema.js';
import type { GivenFlow } from './flow-schema.js';
import { foreignSettings, OPTION_KEYS, ownSettings } from './provider-schema.js';

/** The settings of an agent, from a file or a request. */
type GivenAgent = Omit<AgentChange, 'script' | 'call_transfer' | 'flow' | 'handoffs'> & {
  call_transfer?: AgentNode['call_transfer'];
};

/** What a file or a request refers to. */
interface Resolved {
  script: unknown;
  callerIdNumberId: number | null | undefined;
  /** With the ids of agents. */
  flows: GivenFlow;
}

/** The wanted columns of an agent; undefined ones are not given. */
export function agentSettings(
  encryption: Encryption,
  node: GivenAgent,
  { script, callerIdNumberId, flows }: Resolved,
): (stored: StoredAgent | null) => Partial<AgentEntity> {
  const { post_call_webhook: postCall, call_status_webhook: callStatus, call_transfer: transfer } = node;
  return (stored) => ({
    ...templateSettings(node),
    provider: node.provider,
    providerOptions: providerOptions(node, script, stored),
    active: node.active,
    maxCallSeconds: node.max_call_seconds,
    ringTimeoutSeconds: node.ring_timeout_seconds,
    postCallWebhook: postCall === undefined ? undefined : encryptWebhook(encryption, postCall, stored?.postCallWebhook),
    callStatusWebhook:
      callStatus === undefined ? undefined : encryptWebhook(encryption, callStatus, stored?.callStatusWebhook),
    preCallWebhook: preCallWebhook(encryption, node.pre_call_webhook, stored?.preCallWebhook),
    transferEnabled: transfer?.enabled,
    transferPhoneNumber: transfer?.phone_number,
    transferCallerIdNumberId: callerIdNumberId,
    transferOptions: transferOptions(transfer, stored),
    doNotCallTool: node.do_not_call_tool,
    ...recordingSettings(node),
    ...guardrailSettings(node),
    analysis: node.analysis,
    redaction: node.redaction,
    flow: flows.flow,
    handoffs: flows.handoffs === null ? [] : flows.handoffs,
    publishRequires: node.publish_requires,
  });
}

/** The defaults, which are not stored: an export names them all. */
const USUAL_TRANSFER: Readonly<Record<string, unknown>> = {
  ...{ mode: 'cold', briefing: 'summary', accept_prompt: '', destinations: [] },
  accept_timeout_seconds: DEFAULT_ACCEPT_SECONDS,
};

/** Given keys replace the stored ones. Null when all have their defaults. */
function transferOptions(
  given: GivenAgent['call_transfer'],
  stored: StoredAgent | null,
): StoredTransferOptions | null | undefined {
  const { mode, briefing, accept_prompt, accept_timeout_seconds, destinations } = given ?? {};
  const keys = { mode, briefing, accept_prompt, accept_timeout_seconds, destinations };
  const wanted = Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
  if (Object.keys(wanted).length === 0) return undefined;
  const merged = withoutEmpty({ ...stored?.transferOptions, ...wanted }) as StoredTransferOptions;
  const kept = Object.entries(merged).filter(([key, value]) => !isDeepStrictEqual(value, USUAL_TRANSFER[key]));
  return kept.length > 0 ? Object.fromEntries(kept) : null;
}

/** The stored settings that new ones are merged with. */
type StoredAgent = Pick<
  AgentEntity,
  'provider' | 'providerOptions' | 'postCallWebhook' | 'callStatusWebhook' | 'preCallWebhook' | 'transferOptions'
>;

const recordingSettings = (node: GivenAgent): Partial<AgentEntity> => ({
  pauseRecordingTool: node.pause_recording_tool,
  digitInputs:
    node.digit_inputs === null ? [] : (withoutEmpty(node.digit_inputs) as AgentEntity['digitInputs'] | undefined),
  recordingConsent: withoutEmpty(node.recording_consent) as AgentEntity['recordingConsent'] | undefined,
});

const guardrailSettings = ({ guardrails, disclosure }: GivenAgent): Partial<AgentEntity> => ({
  guardrails: guardrails === null ? [] : (withoutEmpty(guardrails) as AgentEntity['guardrails'] | undefined),
  disclosure: disclosure === null ? [] : (withoutEmpty(disclosure) as AgentEntity['disclosure'] | undefined),
});

/** The columns of the texts with placeholders, and of the declarations that they use. */
const templateSettings = (node: GivenAgent): Partial<AgentEntity> => ({
  instructions: node.instructions,
  greeting: node.greeting,
  variables: node.variables === null ? [] : (withoutEmpty(node.variables) as AgentEntity['variables'] | undefined),
  timezone: node.timezone,
  answeringMachine: node.answering_machine,
  conversation: node.conversation,
});

/**
 * The problems of settings that depend on stored ones, by path: settings that the provider does not have, and placeholders that the agent
 * could not fill in. Texts that are not given were stored by the rules of their time; they are checked when the declarations change.
 */
export function settingFaults(node: GivenAgent, stored: CheckedAgent | null): ReturnType<typeof templateErrors> {
  return [...foreignSettings(providerOf(node, stored), node), ...templateFaults(node, stored)];
}

type CheckedAgent = Pick<
  AgentEntity,
  'provider' | 'instructions' | 'greeting' | 'answeringMachine' | 'conversation' | 'variables'
>;

function templateFaults(node: GivenAgent, stored: CheckedAgent | null): ReturnType<typeof templateErrors> {
  const wanted = Object.entries(templateSettings(node)).filter(([, value]) => value !== undefined);
  const before = node.variables === undefined ? { variables: stored?.variables ?? [] } : stored;
  const none = { instructions: '', greeting: '', answeringMachine: null, conversation: null, variables: [] };
  return templateErrors({ ...none, ...before, ...Object.fromEntries(wanted) });
}

function preCallWebhook(
  encryption: Encryption,
  node: AgentNode['pre_call_webhook'],
  stored: StoredPreCallWebhook | null | undefined,
): StoredPreCallWebhook | null | undefined {
  if (node === undefined || node === null) return node;
  const { on_error: onError, ...webhook } = node;
  const encrypted = encryptWebhook(encryption, webhook, stored && withoutOnError(stored));
  return encrypted && { ...encrypted, on_error: onError };
}

const withoutOnError = ({ on_error: _onError, ...webhook }: StoredPreCallWebhook): StoredWebhook => webhook;

/** undefined: unchanged. null clears an option, absent keys keep theirs, as far as the provider has them. */
function providerOptions(
  node: GivenAgent,
  script: unknown,
  before: StoredAgent | null,
): StoredProviderOptions | undefined {
  const { script: storedScript, ...stored } = before?.providerOptions ?? {};
  const given = OPTION_KEYS.filter((key) => node[key] !== undefined);
  const provider = providerOf(node, before);
  if (given.length === 0 && script === undefined && provider === providerOf({}, before)) return undefined;
  const kept = ownSettings(provider, stored);
  const merged = withoutEmpty({ ...kept, ...Object.fromEntries(given.map((key) => [key, node[key]])) });
  // Nulls stay: an argument of a tool may be null.
  const played = script === undefined ? storedScript : script;
  return { ...(merged as object), ...(played === undefined || played === null ? {} : { script: played }) };
}

const providerOf = (node: Pick<GivenAgent, 'provider'>, stored: Pick<AgentEntity, 'provider'> | null): string =>
  node.provider ?? stored?.provider ?? 'sandbox';

/** Without undefined and cleared keys, as the database returns it. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, one]) => one !== undefined && one !== null);
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutEmpty(one)]));
}

// Each encryption of a text gives other bytes: an unchanged secret keeps its stored bytes, so that its record stays unchanged.

/** A webhook target for a jsonb column, with encrypted headers. */
function encryptWebhook(
  encryption: Encryption,
  node: WebhookNode | null,
  stored: StoredWebhook | null | undefined,
): StoredWebhook | null {
  if (node === null) return null;
  const { url, method, headers } = node;
  if (stored?.url === url && stored.method === method) {
    if (isDeepStrictEqual(openHeaders(encryption, stored.headers_sealed), headers)) return stored;
  }
  const encrypted = sealHeaders(encryption, headers);
  return { url, method, ...(encrypted ? { headers_sealed: encrypted } : {}) };
}
