import {
  type AgentOverrides,
  MAX_VARIABLES,
  readAgentOverrides,
  type StoredProviderOptions,
  templateProblem,
  type VariableDeclaration,
  type VariableValue,
  valueProblems,
} from '@app/agents';
import {
  destinationRefusal,
  dialledNumber,
  type KnownHost,
  routeOf,
  type SipRoute,
  type StoredDialFormats,
} from '@app/accounts';
import { spendProblem } from '../billing/daily-spend.js';
import {
  type AllowList,
  type CodedProblem,
  type ErrorCode,
  type FieldErrors,
  referenceProblem,
  withCode,
} from '@app/common';
import type { KeptAnswer } from '@app/database';
import { type UrlRules, urlFault } from '@app/egress';
import { headerErrors } from '@app/webhooks';
import type { RequestedColumns } from '../call.entity.js';
import { canaryOf, type VersionedAgent } from './agent-version.js';
import { type RequestedSchedule, type RequestedTime, scheduleProblems } from './call-schedule.js';
import { type AgentSettings, type CallOverrides, transferFor, type WebhookOverride } from './call-settings.js';
import { type Destination, duplicatesIn, insideProblem } from './destination.js';

/** Of the metadata of one call as JSON. */
export const MAX_METADATA_BYTES = 16 * 1024;

/** A destination with values for its call alone, which are merged over those of the request. */
export interface CalledDestination extends Destination {
  own?: { metadata?: Record<string, unknown> | null; variables?: Record<string, VariableValue> | null } & RequestedTime;
}

/** A request to create calls with well-formed fields. */
export interface CreateCallsCommand {
  destinations: CalledDestination[];
  /** Refuses duplicate destinations. */
  rejectDuplicates?: boolean;
  agentId: number;
  /** Absent: a web call, which has no destinations either. */
  numberId?: number;
  trunkId?: number;
  /** When the calls may be dialled; absent: at any time. */
  schedule?: RequestedSchedule;
  columns: RequestedColumns;
  overrides: CallOverrides;
  /** As in the request; see `withAgentOverrides`. */
  agentOverrides?: unknown;
  /** `traceparent` of the request; absent when tracing is off. */
  traceParent?: string;
}

/** The stored data that decides whether calls may be created; null: the account has no such record. */
export interface CallReferences extends VersionedAgent {
  agent_name: string | null;
  agent_active: boolean | null;
  agent_variables: VariableDeclaration[] | null;
  provider: string | null;
  /** Without the script. Null: a sandbox agent, which needs no settings. */
  provider_options: StoredProviderOptions | null;
  from_number: string | null;
  number_active: boolean | null;
  trunk_active: boolean | null;
  dial_formats: StoredDialFormats | null;
  caller_id_active: boolean | null;
  /** Whether the requested knowledge bases are active, by id; the agent does not have the others. */
  knowledge_bases: Record<string, boolean> | null;
  /** Whether the requested tools are active, by id; the agent does not have the others. */
  tools: Record<string, boolean> | null;
  allow: string[];
  deny: string[];
  daily_spend_micros: string | null;
  spent_micros: string | null;
  /** The account has or had entries on its do-not-call list. */
  has_do_not_call: boolean;
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

/** By the address of the destination: how a SIP URI without a chosen trunk is called. */
export type Routes = ReadonlyMap<string, SipRoute>;

/** The routes of the SIP URIs of a command without a trunk, from what is known about their hosts. */
export function routesOf(
  { destinations, trunkId }: Pick<CreateCallsCommand, 'destinations' | 'trunkId'>,
  limits: Pick<CallReferences, 'allow' | 'deny'>,
  hosts: ReadonlyMap<string, KnownHost>,
): Routes {
  if (trunkId !== undefined) return NO_ROUTES;
  const known = destinations.flatMap(({ address }): [string, SipRoute][] => {
    const host = hosts.get(address);
    return host ? [[address, routeOf(limits, address, host)]] : [];
  });
  return new Map(known);
}

/** The trunk of a new call: that of the request, or the one that leads to the host of the SIP URI. */
export function trunkFor(
  { trunkId }: Pick<CreateCallsCommand, 'trunkId'>,
  { address }: Destination,
  routes: Routes,
): number | null {
  const route = routes.get(address);
  return trunkId ?? (route?.kind === 'trunk' ? route.trunkId : null);
}

/** A problem of a command. */
interface CommandFault {
  /** The place of the destination that has the problem; absent: the request has it. */
  index?: number;
  /** Of the request, or of the destination. */
  field: string;
  code: ErrorCode;
  /** A sentence, or what a sentence says about the field. */
  problem: { sentence: string } | { predicate: string };
}

/** The problems of a command, by field of the request; empty when the calls can be created. */
export function commandProblems(...of: Parameters<typeof commandFaults>): FieldErrors {
  const errors: FieldErrors = {};
  for (const fault of commandFaults(...of)) {
    const path = pathOf(of[0], fault);
    (errors[path] ??= []).push({ code: fault.code, message: faultSentence(path, fault.problem) });
  }
  return errors;
}

/** An element of `to_number` that is an object has fields of its own. */
function pathOf({ destinations }: CreateCallsCommand, { index, field }: CommandFault): string {
  if (index === undefined) return field;
  return destinations[index]?.own ? `to_number.${index}.${field}` : `to_number.${index}`;
}

export const faultSentence = (field: string, problem: CommandFault['problem']): string =>
  'sentence' in problem ? problem.sentence : `The ${field} field ${problem.predicate}.`;

/** `listed`: the numbers of the destinations that the do-not-call list has. */
export function commandFaults(
  command: CreateCallsCommand,
  found: CallReferences,
  rules: CallRules,
  { listed = NONE, routes = NO_ROUTES }: { listed?: ReadonlySet<string>; routes?: Routes } = {},
  now = new Date(),
): CommandFault[] {
  const faults: CommandFault[] = [];
  const add: Add = (field, problem, index) => {
    if (!problem) return;
    const { code } = problem;
    const said = 'message' in problem ? { sentence: problem.message } : { predicate: problem.predicate };
    faults.push({ ...(index !== undefined && { index }), field, code, problem: said });
  };
  addDestinations(command, found, { ...rules, routes }, add);
  for (const [field, problem] of scheduleProblems(command.schedule, command.destinations, now))
    add(field, withCode('out_of_range', problem));
  addListed(command, listed, add);
  add('agent_id', referenceProblem('agent', command.agentId, found.agent_active));
  if (command.numberId !== undefined)
    add('number_id', referenceProblem('number', command.numberId, found.number_active));
  if (command.trunkId !== undefined) add('trunk_id', referenceProblem('trunk', command.trunkId, found.trunk_active));
  addWebhook('post_call_webhook', command.overrides.postCallWebhook, rules, add);
  addWebhook('call_status_webhook', command.overrides.callStatusWebhook, rules, add);
  addTransfer(command, found, add);
  const basesField =
    command.overrides.knowledgeBaseIds === undefined ? 'knowledge_base_ids' : 'agent_overrides.knowledge_base_ids';
  for (const [index, id] of (requestedKnowledge(command) ?? []).entries())
    add(`${basesField}.${index}`, referenceProblem('knowledge base', id, found.knowledge_bases?.[id] ?? null, 'agent'));
  for (const [index, id] of (command.overrides.agent?.tool_ids ?? []).entries())
    add(`agent_overrides.tool_ids.${index}`, referenceProblem('tool', id, found.tools?.[id] ?? null, 'agent'));
  addTemplates(command.overrides.agent, found.agent_variables ?? [], add);
  addValues(command, found.agent_variables ?? [], add);
  return faults;
}

/** The command with its validated overrides, or their problems by path. */
export function withAgentOverrides(
  command: CreateCallsCommand,
):
  { command: CreateCallsCommand } | { command: CreateCallsCommand; problems: [path: string, problem: CodedProblem][] } {
  const { agentOverrides, columns } = command;
  if (agentOverrides === undefined || agentOverrides === null) return { command };
  const read = readAgentOverrides('agent_overrides', agentOverrides);
  if ('problems' in read) return { command, problems: read.problems };
  const { knowledge_base_ids: bases, ...agent } = read.value;
  const twice = (bases ?? null) !== null && columns.knowledge_base_ids !== null;
  const overrides = { ...command.overrides, agent, knowledgeBaseIds: bases ?? undefined };
  const given: [string, CodedProblem] = [
    'agent_overrides.knowledge_base_ids',
    withCode(
      'not_allowed',
      'The agent_overrides.knowledge_base_ids field must not be given beside knowledge_base_ids.',
    ),
  ];
  return { command: { ...command, overrides }, ...(twice && { problems: [given] }) };
}

/** The knowledge bases of the calls, from either field of the request; null: all of the agent. */
export const requestedKnowledge = ({ columns, overrides }: CreateCallsCommand): number[] | null =>
  columns.knowledge_base_ids ?? overrides.knowledgeBaseIds ?? null;

/** The values of one call: those of its destination, merged over those of the request. */
export function valuesOf(
  { columns }: CreateCallsCommand,
  { own }: CalledDestination,
): Pick<RequestedColumns, 'metadata' | 'variables'> {
  return {
    metadata: own?.metadata ? { ...columns.metadata, ...own.metadata } : columns.metadata,
    variables: own?.variables ? { ...columns.variables, ...own.variables } : columns.variables,
  };
}

function addTemplates(agent: Partial<AgentOverrides> | undefined, declared: VariableDeclaration[], add: Add): void {
  for (const [path, template] of overriddenTemplates(agent ?? {})) {
    const problem = templateProblem(template, declared);
    if (problem)
      add(`agent_overrides.${path}`, withCode('invalid_format', `The agent_overrides.${path} field ${problem}.`));
  }
}

/** The texts of overrides that may contain placeholders, by their path. */
export function overriddenTemplates(overrides: Partial<AgentOverrides>): [path: string, template: string][] {
  const { greeting, instructions, answering_machine: machine } = overrides;
  const texts = {
    greeting,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    'instructions.append': typeof instructions === 'object' ? instructions?.append : undefined,
    'answering_machine.message': machine?.message,
    'answering_machine.screening_message': machine?.screening_message,
  };
  return Object.entries(texts).flatMap(([path, text]) => (typeof text === 'string' ? [[path, text]] : []));
}

/** The values of the request are checked once for all destinations without own ones. */
function addValues(command: CreateCallsCommand, declared: VariableDeclaration[], add: Add): void {
  const shared = isWebCall(command) || command.destinations.some(({ own }) => own === undefined);
  // A missing value is named where the request has its values: all of them may be metadata.
  const sendsVariables = [command.columns, ...command.destinations.map(({ own }) => own)].some((one) => one?.variables);
  const request = { declared, sendsVariables };
  if (shared) addValuesOf(command.columns, request, add);
  for (const [index, destination] of command.destinations.entries()) {
    if (!destination.own) continue;
    const values = valuesOf(command, destination);
    addValuesOf(values, request, add, index);
    if (values.variables && Object.keys(values.variables).length > MAX_VARIABLES)
      add('variables', { code: 'too_many', predicate: `must not have more than ${MAX_VARIABLES} values` }, index);
    if (values.metadata && Buffer.byteLength(JSON.stringify(values.metadata)) > MAX_METADATA_BYTES)
      add('metadata', { code: 'too_long', predicate: `must not be greater than ${MAX_METADATA_BYTES} bytes` }, index);
  }
}

function addValuesOf(
  values: Pick<RequestedColumns, 'metadata' | 'variables'>,
  { declared, sendsVariables }: { declared: VariableDeclaration[]; sendsVariables: boolean },
  add: Add,
  index?: number,
): void {
  for (const { field, name, code, problem } of valueProblems(declared, values))
    add(`${code === 'missing' && sendsVariables ? 'variables' : field}.${name}`, { code, predicate: problem }, index);
}

/** `problem`: a sentence, or a predicate of the field. */
type Add = (
  field: string,
  problem: CodedProblem | { code: ErrorCode; predicate: string } | undefined,
  index?: number,
) => void;

const blocked = (message: string | undefined): CodedProblem | undefined =>
  message === undefined ? undefined : { code: 'blocked', message };

function addDestinations(
  command: CreateCallsCommand,
  found: CallReferences,
  { routes, ...rules }: CallRules & { routes: Routes },
  add: Add,
): void {
  const { destinations, trunkId } = command;
  const spend = spendProblem(found);
  add(
    isWebCall(command) ? 'agent_id' : 'to_number',
    tooMany(destinations, rules) ?? (spend === undefined ? undefined : withCode('limit_reached', spend)),
  );
  const trunk = trunkId === undefined ? undefined : found;
  destinations.forEach((destination, index) => {
    const route = routes.get(destination.address);
    const ofRoute = route?.kind === 'refused' ? route.problem : undefined;
    const refusal = route ? ofRoute : destinationRefusal(found, destination.address, trunk);
    add('to_number', blocked(refusal ?? insideProblem(destination, rules.sipAllow)), index);
  });
  if (!command.rejectDuplicates) return;
  for (const [index, first] of duplicatesIn(destinations))
    add(`to_number.${index}`, withCode('duplicate', `The destination is the same as that of to_number.${first}.`));
}

const isWebCall = ({ numberId }: CreateCallsCommand): boolean => numberId === undefined;

const NONE: ReadonlySet<string> = new Set();
const NO_ROUTES: Routes = new Map();

function addListed({ destinations }: CreateCallsCommand, listed: ReadonlySet<string>, add: Add): void {
  if (listed.size === 0) return;
  for (const [index, destination] of destinations.entries()) {
    if (listed.has(dialledNumber(destination.address) ?? ''))
      add('to_number', blocked('The number is on the do-not-call list of the account.'), index);
  }
}

function tooMany(destinations: Destination[], { maxDestinations }: CallRules): CodedProblem | undefined {
  if (destinations.length <= maxDestinations) return undefined;
  return withCode('too_many', `The to number field must not have more than ${maxDestinations} items.`);
}

function addWebhook(field: string, { url, headers }: WebhookOverride, rules: CallRules, add: Add): void {
  if (url !== undefined) add(`${field}_url`, urlFault(url, rules.webhookUrls));
  for (const [path, problem] of headerErrors(`${field}_headers`, headers ?? [])) add(path, problem);
}

function addTransfer({ overrides }: CreateCallsCommand, found: CallReferences, add: Add): void {
  if (overrides.transfer.callerIdNumberId !== undefined) {
    const problem = referenceProblem('number', overrides.transfer.callerIdNumberId, found.caller_id_active);
    add('transfer_caller_id_number_id', problem);
  }
  // The calls of one request may get different versions of the agent.
  const versions: AgentSettings[] = [found, canaryOf(found)?.settings ?? []].flat();
  const problems = versions.flatMap((agent) => transferProblem(transferFor(agent, overrides), found) ?? []);
  add('transfer_phone_number', problems[0]);
}

function transferProblem(
  { enabled, phoneNumber, options }: ReturnType<typeof transferFor>,
  found: CallReferences,
): CodedProblem | undefined {
  if (!enabled) return undefined;
  if (phoneNumber === undefined)
    return withCode(
      'missing',
      'A transfer phone number is required when call transfer is enabled and the agent has none.',
    );
  const targets = options.destinations?.map(({ to_number: number }) => number) ?? [phoneNumber];
  return blocked(targets.map((target) => destinationRefusal(found, target)).find((problem) => problem !== undefined));
}
