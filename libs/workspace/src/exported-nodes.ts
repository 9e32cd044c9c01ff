import { type Encryption, usd } from '@app/common';
import { MASK } from '@app/webhooks';
import type { AccountEntity, PhoneNumberEntity, SignInView, TrunkNode } from '@app/accounts';
import { type AgentEntity, agentSettingsView, type AgentSettingsView, type ScenarioView } from '@app/agents';
import type { ExportedServerList } from '@app/tools';

/** A record as a node of a workspace file, without its secrets. */
export interface ExportedNode {
  node: Record<string, unknown>;
  /** A line for each key that is left out because of its secret. */
  omitted: string[];
}

/** Limits and retention with their nulls, which are not always the default. */
export const accountNode = (account: AccountEntity): Record<string, unknown> => ({
  name: account.name,
  default_country: account.defaultCountry,
  limits: {
    concurrent_calls: account.concurrentCalls,
    calls_per_second: account.callsPerSecond,
    queued_calls: account.queuedCalls,
    requests_per_minute: account.requestsPerMinute,
    daily_spend_usd: account.dailySpendMicros === null ? null : usd(Number(account.dailySpendMicros)),
    storage_bytes: account.storageBytes === null ? null : Number(account.storageBytes),
    destinations: { allow: account.destinationsAllow, deny: account.destinationsDeny },
  },
  contact_limits: {
    attempts_per_day: account.contactAttemptsPerDay,
    attempts_per_week: account.contactAttemptsPerWeek,
    earliest: account.contactEarliest,
    latest: account.contactLatest,
    time_zone: account.contactTimeZone,
  },
  retention: {
    recordings_days: account.recordingsDays,
    transcripts_days: account.transcriptsDays,
    deliveries_days: account.deliveriesDays,
    documents_days: account.documentsDays,
  },
  redaction: account.redaction,
  announce_listeners: account.announceListeners,
});

/** The stored client secret stays when the file has none. */
export function signInNode(view: SignInView | undefined): ExportedNode {
  if (!view) return { node: {}, omitted: [] };
  const { has_client_secret: hasSecret, updated_at: _updatedAt, ...settings } = view;
  return {
    node: { sign_in: withoutEmpty(settings) },
    omitted: hasSecret ? ['sign_in.client_secret: (secret)'] : [],
  };
}

export const numberNode = (
  { name, e164, active, agentId, hours, closed, closedAgentId, queue }: PhoneNumberEntity,
  agentNames: ReadonlyMap<number, string>,
): ExportedNode => {
  const nameOf = (id: number | null) => (id === null ? null : agentNames.get(id));
  const shownClosed = closed && withoutEmpty({ ...closed, agent: nameOf(closedAgentId) });
  return {
    node: withoutEmpty({ name, e164, active, agent: nameOf(agentId), hours, closed: shownClosed, queue }),
    omitted: [],
  };
};

/** `tls` and `inbound` replace the stored settings as a whole: with a secret inside, the whole key is left out. */
export function exportTrunk({ password, tls, inbound, ...trunk }: TrunkNode): ExportedNode {
  const hasKey = Boolean(tls?.key);
  const hasInboundPassword = Boolean(inbound?.password);
  const { key: _key, ...shownTls } = tls ?? {};
  const { password: _password, ...shownInbound } = inbound ?? {};
  return {
    node: withoutEmpty({ ...trunk, ...(hasKey ? {} : { tls }), ...(hasInboundPassword ? {} : { inbound }) }),
    omitted: [
      ...(typeof password === 'string' ? ['password: (secret)'] : []),
      ...(hasKey ? [omittedMap('tls', { ...shownTls, key: '(secret)' })] : []),
      ...(hasInboundPassword ? [omittedMap('inbound', { ...shownInbound, password: '(secret)' })] : []),
    ],
  };
}

interface AgentParts {
  tools: ExportedServerList;
  scenarios: readonly ScenarioView[];
  numberNames: ReadonlyMap<number, string>;
  agentNames: ReadonlyMap<number, string>;
  encryption: Encryption;
}

/** A webhook with headers is left out: they replace the stored ones. */
export function agentNode(
  agent: AgentEntity,
  { scenarios, tools, numberNames, agentNames, encryption }: AgentParts,
): ExportedNode {
  const { call_transfer: transfer, flow, handoffs, ...settings } = agentSettingsView(agent, encryption);
  const { caller_id_number_id: numberId, ...shownTransfer } = transfer;
  const given = Object.entries(settings).filter(([, value]) => !hasSecret(value));
  const secret = Object.entries(settings).filter(([, value]) => hasSecret(value));
  const node = {
    name: agent.name,
    active: agent.active,
    ...Object.fromEntries(given),
    ...withAgentNames({ flow, handoffs }, agentNames),
    call_transfer: {
      ...withoutEmpty(shownTransfer),
      caller_id_number: numberId === null ? null : numberNames.get(numberId),
    },
    tools: tools.tools,
    scenarios: scenarios.map(({ name, scenario }) => ({ name, scenario })),
    publish_requires: agent.publishRequires,
  };
  const omitted = [
    ...secret.map(([key, value]) => omittedMap(key, value as object)),
    ...tools.omitted.map(
      (name) => `tools: the mcp server ${name} has headers with a secret, so its headers are left out`,
    ),
  ];
  return { node: withoutEmpty(node), omitted };
}

/** Handoffs by the names of agents; those to agents that were deleted are left out. */
const withAgentNames = (
  { flow, handoffs }: Pick<AgentSettingsView, 'flow' | 'handoffs'>,
  names: ReadonlyMap<number, string>,
) => ({
  flow: flow && {
    ...flow,
    steps: flow.steps.map(({ handoff, ...step }) => {
      const agent = handoff && names.get(handoff.agent);
      return agent === undefined ? step : { ...step, handoff: { ...handoff, agent } };
    }),
  },
  handoffs: handoffs.flatMap((one) => {
    const agent = names.get(one.agent);
    return agent === undefined ? [] : [{ ...one, agent }];
  }),
});

/** The view of an agent masks the values of headers. */
const hasSecret = (value: unknown): boolean => JSON.stringify(value ?? null).includes(JSON.stringify(MASK));

/** In one line, so that it stays a comment. */
const omittedMap = (key: string, value: object): string =>
  `${key}: ${JSON.stringify(withoutEmpty(value))} (has a secret, so the whole key is left out)`;

/** Without nulls, empty text and empty lists at the top and in settings: apply keeps what is absent. */
function withoutEmpty(node: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(node).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
