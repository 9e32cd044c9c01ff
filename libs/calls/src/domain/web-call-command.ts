import type { RequestedColumns } from '../call.entity.js';
import type { CreateCallsCommand } from './create-calls-command.js';
import type { CallReferences } from './create-calls-command.js';

/** `from_number` of a web call. */
export const WEB_CALLER = 'web';
export const webDestination = (agentId: number): string => `web:${agentId}`;

/** A request to create a web call with well-formed fields. */
export interface WebCallCommand {
  agentId: number;
  /** Of the agent, drafts too; absent: as for other calls. */
  version?: number;
  columns: RequestedColumns;
  /** As in the request. */
  agentOverrides?: unknown;
  /** Limits the length of the call, beside the agent. */
  maxSeconds?: number;
  traceParent?: string;
}

/** The command of a web call for the checks of all calls: without number, trunk and destinations. */
export const asCallsCommand = ({
  agentId,
  columns,
  agentOverrides,
  traceParent,
}: WebCallCommand): CreateCallsCommand => ({
  destinations: [],
  agentId,
  columns,
  overrides: { postCallWebhook: {}, callStatusWebhook: {}, transfer: {} },
  agentOverrides,
  traceParent,
});

/** Columns of an agent that its versions have, as the creation of calls reads them. */
const OF_VERSION = [
  ...(['post_call_webhook', 'call_status_webhook', 'transfer_enabled', 'transfer_phone_number'] as const),
  ...(['transfer_caller_id_number_id', 'transfer_options', 'provider'] as const),
];

/** What the creation of a call reads, with a chosen version. `settings`: null if they are those of the agent itself. */
export function withChosenVersion(
  found: CallReferences,
  version: number,
  settings: Record<string, unknown> | null,
): CallReferences {
  const pinned = {
    ...found,
    agent_version: version,
    canary_version: null,
    canary_percent: null,
    canary_settings: null,
  };
  if (settings === null) return pinned;
  const stored = Object.fromEntries(
    OF_VERSION.filter((name) => Object.hasOwn(settings, name)).map((name) => [name, settings[name]]),
  );
  const { variables = found.agent_variables, provider = found.provider, provider_options: options } = settings;
  return {
    ...pinned,
    ...stored,
    agent_variables: variables as CallReferences['agent_variables'],
    // A sandbox agent needs no settings of a vendor.
    provider_options: provider === 'sandbox' ? null : (options ?? found.provider_options),
  };
}
