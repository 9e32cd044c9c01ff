import type { StoredTransferOptions } from '@app/agents';
import type { Encryption } from '@app/common';
import { isSameOrigin } from '@app/egress';
import { sealHeaders, type WebhookHeader, type StoredWebhook } from '@app/webhooks';
import type { CallAgentOverrides, CallSettings, TransferSettings } from './call.js';

/** The overrides of one webhook in a request; absent fields are the agent's. */
export interface WebhookOverride {
  url?: string;
  method?: string;
  headers?: WebhookHeader[];
}

interface TransferOverride {
  enabled?: boolean;
  phoneNumber?: string;
  callerIdNumberId?: number;
}

export interface CallOverrides {
  postCallWebhook: WebhookOverride;
  callStatusWebhook: WebhookOverride;
  transfer: TransferOverride;
  /** Hides the number from the called party; agents have no such setting. */
  anonymous?: boolean;
  agent?: CallAgentOverrides;
  /** Of the agent's overrides; a field of the request itself has the same meaning. */
  knowledgeBaseIds?: number[];
}

/** The columns of `agents` that a request may override. */
export interface AgentSettings {
  post_call_webhook: StoredWebhook | null;
  call_status_webhook: StoredWebhook | null;
  transfer_enabled: boolean;
  transfer_phone_number: string | null;
  transfer_caller_id_number_id: number | null;
  transfer_options: StoredTransferOptions | null;
}

/** The settings of the calls of a request: its overrides, otherwise the settings of the agent. */
export function settingsFor(agent: AgentSettings, overrides: CallOverrides, encryption: Encryption): CallSettings {
  const postCall = webhookFor(agent.post_call_webhook, overrides.postCallWebhook, encryption);
  const callStatus = webhookFor(agent.call_status_webhook, overrides.callStatusWebhook, encryption);
  const transfer = transferFor(agent, overrides);
  return {
    ...(postCall && { post_call_webhook: postCall }),
    ...(callStatus && { call_status_webhook: callStatus }),
    ...(transfer.enabled && transfer.phoneNumber && { transfer: storedTransfer(transfer) }),
    ...(overrides.anonymous && { anonymous: true }),
    ...storedOverrides(overrides.agent),
  };
}

/** Without the overrides that are not given; nothing when none is. */
export function storedOverrides(agent: CallAgentOverrides | undefined): Pick<CallSettings, 'agent'> {
  const given = Object.entries(agent ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return given.length > 0 ? { agent: Object.fromEntries(given) } : {};
}

/** The agent's headers are only sent to the origin for which they were stored: they may be secrets that the token may not read. */
function webhookFor(
  agent: StoredWebhook | null,
  { url, method, headers }: WebhookOverride,
  encryption: Encryption,
): StoredWebhook | undefined {
  const target = url ?? agent?.url;
  if (target === undefined) return undefined;
  const agentHeaders = agent && isSameOrigin(agent.url, target) ? agent.headers_sealed : undefined;
  const sealed = headers ? sealHeaders(encryption, headers) : agentHeaders;
  return { url: target, method: method ?? agent?.method ?? 'POST', ...(sealed && { headers_sealed: sealed }) };
}

/** Whether the calls may be transferred, to which number and how; an enabled transfer may still lack a number. */
export function transferFor(
  agent: AgentSettings,
  { transfer: override, agent: overrides }: Pick<CallOverrides, 'transfer' | 'agent'>,
): TransferOverride & { enabled: boolean; options: StoredTransferOptions } {
  const options = transferOptions(agent.transfer_options ?? {}, overrides);
  // A number of the request takes the place of the agent's destinations.
  if (override.phoneNumber !== undefined && !overrides?.call_transfer?.destinations) delete options.destinations;
  return {
    enabled: override.enabled ?? agent.transfer_enabled,
    phoneNumber: override.phoneNumber ?? agent.transfer_phone_number ?? options.destinations?.[0]?.to_number,
    callerIdNumberId: override.callerIdNumberId ?? agent.transfer_caller_id_number_id ?? undefined,
    options,
  };
}

/** A copy of the options with the overrides of a call. */
function transferOptions(
  stored: StoredTransferOptions,
  overrides: Pick<CallAgentOverrides, 'call_transfer'> | undefined,
): StoredTransferOptions {
  return { ...stored, ...given(overrides?.call_transfer ?? {}) };
}

const given = (values: object): Partial<StoredTransferOptions> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

/** The transfer of a call with the overrides of its pre-call webhook; undefined: calls are not transferred. */
export function effectiveTransfer({ transfer, agent }: CallSettings): TransferSettings | undefined {
  return transfer && { ...transfer, ...transferOptions(transfer, agent) };
}

function storedTransfer({
  phoneNumber = '',
  callerIdNumberId,
  options,
}: ReturnType<typeof transferFor>): CallSettings['transfer'] {
  return {
    phone_number: phoneNumber,
    ...(callerIdNumberId !== undefined && { caller_id_number_id: callerIdNumberId }),
    ...options,
  };
}
