import { destinationRefusal, spendProblem, type StoredDialFormats } from '@app/accounts';
import type { AllowList, FieldErrors } from '@app/common';
import type { KeptAnswer } from '@app/database';
import { type UrlRules, urlProblem } from '@app/egress';
import { headerErrors } from '@app/webhooks';
import type { RequestedColumns } from '../call.entity.js';
import { canaryOf, type VersionedAgent } from './agent-version.js';
import { type AgentSettings, type CallOverrides, transferFor, type WebhookOverride } from './call-settings.js';
import { type Destination, duplicatesIn, insideProblem } from './destination.js';

/** A request to create calls with well-formed fields. */
export interface CreateCallsCommand {
  destinations: Destination[];
  /** Refuses duplicate destinations. */
  rejectDuplicates?: boolean;
  agentId: number;
  numberId: number;
  trunkId?: number;
  columns: RequestedColumns;
  overrides: CallOverrides;
  /** `traceparent` of the request; absent when tracing is off. */
  traceParent?: string;
}

/** The stored data that decides whether calls may be created; null: the account has no such record. */
export interface CallReferences extends VersionedAgent {
  agent_name: string | null;
  agent_active: boolean | null;
  from_number: string | null;
  number_active: boolean | null;
  trunk_active: boolean | null;
  dial_formats: StoredDialFormats | null;
  caller_id_active: boolean | null;
  /** Whether the requested knowledge bases are active, by id; the agent does not have the others. */
  knowledge_bases: Record<string, boolean> | null;
  allow: string[];
  deny: string[];
  daily_spend_micros: string | null;
  spent_micros: string | null;
  /** Maximum number of queued calls of the account. */
  queued_calls: number;
  /** When a new UTC day begins. */
  resets_at: Date;
  request_hash: Buffer | null;
  response: string | null;
}

/** The response that is stored under the idempotency key, when there is one. */
export const keptAnswer = ({ request_hash, response }: CallReferences): KeptAnswer | undefined =>
  request_hash && response !== null ? { request_hash, response } : undefined;

export interface CallRules {
  /** Maximum number of destinations in a request. */
  maxDestinations: number;
  /** Private networks that SIP URIs may reach. */
  sipAllow: AllowList;
  webhookUrls: UrlRules;
}

/** The problems of a command, by field of the request; empty when the calls can be created. */
export function commandProblems(command: CreateCallsCommand, found: CallReferences, rules: CallRules): FieldErrors {
  const errors: FieldErrors = {};
  const add = (field: string, problem: string | undefined): void => {
    if (problem) (errors[field] ??= []).push(problem);
  };
  addDestinations(command, found, rules, add);
  add('agent_id', selectionProblem('agent id', found.agent_active));
  add('number_id', selectionProblem('number id', found.number_active));
  if (command.trunkId !== undefined) add('trunk_id', selectionProblem('trunk id', found.trunk_active));
  addWebhook('post_call_webhook', command.overrides.postCallWebhook, rules, add);
  addWebhook('call_status_webhook', command.overrides.callStatusWebhook, rules, add);
  addTransfer(command, found, add);
  for (const [index, id] of (command.columns.knowledge_base_ids ?? []).entries())
    add(`knowledge_base_ids.${index}`, selectionProblem('knowledge base id', found.knowledge_bases?.[id] ?? null));
  return errors;
}

type Add = (field: string, problem: string | undefined) => void;

function addDestinations(command: CreateCallsCommand, found: CallReferences, rules: CallRules, add: Add): void {
  const { destinations, trunkId } = command;
  add('to_number', tooMany(destinations, rules) ?? spendProblem(found));
  const trunk = trunkId === undefined ? undefined : found;
  destinations.forEach((destination, index) => {
    const refusal = destinationRefusal(found, destination.address, trunk);
    add(`to_number.${index}`, refusal ?? insideProblem(destination, rules.sipAllow));
  });
  if (!command.rejectDuplicates) return;
  for (const [index, first] of duplicatesIn(destinations))
    add(`to_number.${index}`, `The destination is the same as that of to_number.${first}.`);
}

function tooMany(destinations: Destination[], { maxDestinations }: CallRules): string | undefined {
  if (destinations.length <= maxDestinations) return undefined;
  return `The to number field must not have more than ${maxDestinations} items.`;
}

/** `active`: null when the account has no such record. */
function selectionProblem(name: string, active: boolean | null): string | undefined {
  if (active === null) return `The selected ${name} is invalid.`;
  return active ? undefined : `The selected ${name} is not active.`;
}

function addWebhook(field: string, { url, headers }: WebhookOverride, rules: CallRules, add: Add): void {
  if (url !== undefined) add(`${field}_url`, urlProblem(url, rules.webhookUrls));
  for (const [path, problem] of headerErrors(`${field}_headers`, headers ?? [])) add(path, problem);
}

function addTransfer({ overrides }: CreateCallsCommand, found: CallReferences, add: Add): void {
  if (overrides.transfer.callerIdNumberId !== undefined) {
    add('transfer_caller_id_number_id', selectionProblem('transfer caller id number id', found.caller_id_active));
  }
  // The calls of one request may get different versions of the agent.
  const versions: AgentSettings[] = [found, canaryOf(found)?.settings ?? []].flat();
  const problems = versions.flatMap((agent) => transferProblem(transferFor(agent, overrides.transfer), found) ?? []);
  add('transfer_phone_number', problems[0]);
}

function transferProblem(
  { enabled, phoneNumber }: ReturnType<typeof transferFor>,
  found: CallReferences,
): string | undefined {
  if (!enabled) return undefined;
  return phoneNumber === undefined
    ? 'A transfer phone number is required when call transfer is enabled and the agent has none.'
    : destinationRefusal(found, phoneNumber);
}
