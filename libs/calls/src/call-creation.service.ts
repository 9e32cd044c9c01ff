import { AgentLookupsService } from '@app/agents';
import { dialledNumber, type KnownHost, SipRoutesService } from '@app/accounts';
import {
  allowList,
  type CodedProblem,
  Encryption,
  type Env,
  InvalidFields,
  newId,
  noRecord,
  withCode,
} from '@app/common';
import { Database, type IdempotencyKey, replayedAnswer, type Sql } from '@app/database';
import { egressUrlRules } from '@app/egress';
import { WakeUpsService } from '@app/queue';
import { deliveryRecord } from '@app/webhooks';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import {
  AgentGone,
  CallCreationRepository,
  type NewCallRow,
  type NewCalls,
  type ReducedCallView,
} from './call-creation.repository.js';
import { NOT_DIALLED } from './call.entity.js';
import { DialChecksRepository } from './compliance/dial-checks.repository.js';
import { settingsByVersion } from './domain/agent-version.js';
import { schedulesOf } from './domain/call-schedule.js';
import {
  type CallReferences,
  type CallRules,
  commandProblems,
  type CreateCallsCommand,
  keptAnswer,
  requestedKnowledge,
  type Routes,
  routesOf,
  trunkFor,
  valuesOf,
  withAgentOverrides,
} from './domain/create-calls-command.js';
import {
  asCallsCommand,
  WEB_CALLER,
  webDestination,
  type WebCallCommand,
  withChosenVersion,
} from './domain/web-call-command.js';
import { QueueLengths } from './domain/queue-lengths.js';
import { statusEvent, toReducedCallView } from './presenters/call.presenter.js';
import { DialerProvidersService } from './queue/dialer-providers.service.js';

interface CreatedCalls {
  calls: ReducedCallView[];
  /** The request was a repetition: these are the calls of the first request. */
  replayed: boolean;
  /** Why they will fail as things are. */
  warnings: CallWarning[];
}

export interface CallWarning {
  code: string;
  field: string;
  message: string;
}

/** A web call that may be created. */
export interface PreparedWebCall {
  call: NewCallRow;
  warnings: CallWarning[];
}

/** Creates calls; the dialers claim them from the queue. */
@Injectable()
export class CallCreationService {
  private readonly queues = new QueueLengths();
  private readonly rules: CallRules;

  constructor(
    private readonly database: Database,
    private readonly calls: CallCreationRepository,
    private readonly checks: DialChecksRepository,
    private readonly routes: SipRoutesService,
    private readonly encryption: Encryption,
    private readonly wakeUps: WakeUpsService,
    private readonly providers: DialerProvidersService,
    private readonly agents: AgentLookupsService,
    @Inject(ENV) env: Env,
  ) {
    this.rules = {
      maxDestinations: env.MAX_DESTINATIONS,
      sipAllow: allowList(env.SIP_ALLOW_CIDRS),
      webhookUrls: egressUrlRules(env),
    };
  }

  /**
   * Creates the calls of one command, all or none, and wakes dialers and webhook dispatchers. A repetition with the same key returns
   * the first calls. Throws InvalidFields, and Conflict when the key was used with another body.
   */
  async create(accountId: number, request: CreateCallsCommand, key?: IdempotencyKey): Promise<CreatedCalls> {
    const { command, ...read } = withAgentOverrides(request);
    const [found, hosts] = await Promise.all([
      this.references(accountId, command, key),
      this.hostsOf(accountId, command),
      this.providers.current(),
      this.queues.refresh(accountId, () => this.calls.queueLength(accountId)),
    ]);
    const earlier = key && replay(found, key);
    if (earlier) return { ...earlier, warnings: await this.warnings(found) };
    const routes = routesOf(command, found, hosts);
    const listed = await this.listed(accountId, command, found);
    const problems = commandProblems(command, found, this.rules, { listed, routes });
    if ('problems' in read) for (const [path, problem] of read.problems) (problems[path] ??= []).push(problem);
    if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
    const pinned = settingsByVersion(found, command.overrides, this.encryption);
    const calls = newCalls(newCallRows(accountId, command, found, pinned, routes));
    const isCreated = await this.enqueue(accountId, found.queued_calls, calls, key).catch((error: unknown) => {
      if (error instanceof AgentGone) return false;
      throw error;
    });
    if (!isCreated) return this.repeat(accountId, command, routes, key);
    this.wakeUps.wake('dial');
    if (calls.deliveries.length > 0) this.wakeUps.wake('webhooks');
    return { calls: calls.views, replayed: false, warnings: await this.warnings(found) };
  }

  /** Checks a web call as calls are checked. Throws InvalidFields. */
  async prepareWeb(accountId: number, request: WebCallCommand): Promise<PreparedWebCall> {
    const { command, ...read } = withAgentOverrides(asCallsCommand(request));
    const { agentId, version } = request;
    const [stored, ofVersion] = await Promise.all([
      this.references(accountId, command),
      version === undefined ? null : this.agents.versionSettings({ accountId, agentId }, version),
      this.providers.current(),
    ]);
    const found = version === undefined ? stored : withChosenVersion(stored, version, ofVersion ?? null);
    const problems = commandProblems(command, found, this.rules);
    if ('problems' in read) for (const [path, problem] of read.problems) (problems[path] ??= []).push(problem);
    // An unknown agent has no versions: its own problem says so.
    if (ofVersion === undefined && found.agent_active !== null) problems.version = [noRecord('version', version ?? 0)];
    if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
    const call = this.webCallRow(accountId, command, found, request.maxSeconds);
    return { call, warnings: await this.warnings(found) };
  }

  /** Stores a prepared web call with its first event and webhook. Throws InvalidFields when the agent is gone. */
  async createWeb({ call }: PreparedWebCall, tx: Sql): Promise<void> {
    try {
      await this.calls.create(newCalls([call]), undefined, tx);
    } catch (error) {
      if (error instanceof AgentGone) throw new InvalidFields({ agent_id: [noRecord('agent', call.agent_id)] });
      throw error;
    }
  }

  /** `started_at` is set from the beginning: the row is never dialled. */
  private webCallRow(
    accountId: number,
    command: CreateCallsCommand,
    found: CallReferences,
    maxSeconds = Infinity,
  ): NewCallRow {
    const id = newId();
    const createdAt = new Date();
    const { overrides } = command;
    const { max_call_seconds: overridden } = overrides.agent ?? {};
    // The override of a call replaces the limit of its agent, and so that of the web call.
    const agent = overridden
      ? { ...overrides.agent, max_call_seconds: Math.min(overridden, maxSeconds) }
      : overrides.agent;
    const { version, settings } = settingsByVersion(found, { ...overrides, agent }, this.encryption)(id);
    return {
      ...NOT_DIALLED,
      ...command.columns,
      knowledge_base_ids: requestedKnowledge(command),
      id,
      account_id: accountId,
      agent_id: command.agentId,
      number_id: null,
      trunk_id: null,
      direction: 'inbound',
      channel: 'web',
      to_number: webDestination(command.agentId),
      from_number: WEB_CALLER,
      agent_name: found.agent_name ?? '',
      agent_version: version,
      settings,
      created_at: createdAt,
      started_at: createdAt,
      webhook_seq: 1,
      trace_parent: command.traceParent ?? null,
    };
  }

  /** The providers of the dialers were read beside the references. */
  private async warnings({
    agent_name: name,
    provider,
    provider_options: options,
  }: CallReferences): Promise<CallWarning[]> {
    if (provider === null || options === null) return NO_WARNINGS;
    const warnings = await this.providers.warnings({ provider, options });
    const fatal = warnings.filter(({ code }) => code === 'agent_not_configured');
    return fatal.map(({ code, message }) => ({
      code,
      field: 'agent_id',
      message: `The calls of ${name} will fail. ${message}`,
    }));
  }

  /** Throws when the account does not exist, which was deleted after the authentication. */
  private async references(
    accountId: number,
    command: CreateCallsCommand,
    key?: IdempotencyKey,
  ): Promise<CallReferences> {
    const found = await this.calls.references(accountId, command, key?.key);
    if (!found) throw new Error('The account of a valid token does not exist.');
    return found;
  }

  /** What is known about the hosts of SIP URIs that are called without a trunk. The dialer asks again. */
  private hostsOf(
    accountId: number,
    { destinations, trunkId }: CreateCallsCommand,
  ): Promise<ReadonlyMap<string, KnownHost>> {
    const uris = trunkId === undefined ? destinations.filter(({ kind }) => kind === 'sip') : [];
    if (uris.length === 0) return NO_HOSTS;
    return this.routes.hostsForRequest(accountId, [...new Set(uris.map(({ address }) => address))]);
  }

  /** The numbers of the destinations that must not be called. The dialer checks again, under the lock of the list. */
  private async listed(
    accountId: number,
    { destinations }: CreateCallsCommand,
    { has_do_not_call: hasList }: CallReferences,
  ): Promise<ReadonlySet<string> | undefined> {
    if (!hasList) return undefined;
    const numbers = destinations.flatMap(({ address }) => dialledNumber(address) ?? []);
    return numbers.length > 0 ? this.checks.listedAmong(accountId, numbers) : undefined;
  }

  /** Another request with the key was committed between the two statements, or the agent was deleted or deactivated. */
  private async repeat(
    accountId: number,
    command: CreateCallsCommand,
    routes: Routes,
    key?: IdempotencyKey,
  ): Promise<CreatedCalls> {
    const found = await this.references(accountId, command, key);
    const earlier = key && replay(found, key);
    if (earlier) return { ...earlier, warnings: await this.warnings(found) };
    const listed = await this.listed(accountId, command, found);
    const problems = commandProblems(command, found, this.rules, { listed, routes });
    if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
    throw new Error('No calls were created although no other request holds the key.');
  }

  /** Near the limit of the queue, concurrent requests count it serially. Throws InvalidFields when it is full. */
  private async enqueue(accountId: number, limit: number, calls: NewCalls, key?: IdempotencyKey): Promise<boolean> {
    const added = calls.rows.length;
    if (this.queues.takePlaces(accountId, added, limit)) return this.calls.create(calls, key);
    return this.database.transaction(async (tx) => {
      await this.calls.lockQueue(accountId, tx);
      const length = await this.calls.queueLength(accountId, tx);
      this.queues.set(accountId, length);
      if (length.waiting + added > limit) throw new InvalidFields({ to_number: [queueIsFull(limit)] });
      return this.calls.create(calls, key, tx);
    });
  }
}

const NO_WARNINGS: CallWarning[] = [];
const NO_HOSTS: Promise<ReadonlyMap<string, KnownHost>> = Promise.resolve(new Map());

function replay(found: CallReferences, key: IdempotencyKey): Omit<CreatedCalls, 'warnings'> | undefined {
  const kept = keptAnswer(found);
  return kept && { calls: JSON.parse(replayedAnswer(kept, key)) as ReducedCallView[], replayed: true };
}

/** The rows that a command inserts. */
export function newCallRows(
  accountId: number,
  command: CreateCallsCommand,
  found: CallReferences,
  pinned: ReturnType<typeof settingsByVersion>,
  routes: Routes = new Map(),
): NewCallRow[] {
  const createdAt = new Date();
  const schedules = schedulesOf(command.schedule, command.destinations, createdAt);
  const columns = { ...command.columns, knowledge_base_ids: requestedKnowledge(command) };
  return command.destinations.map((destination, index) => {
    const id = newId();
    const { version, settings } = pinned(id);
    const { schedule, time } = schedules[index]!;
    return Object.assign(
      {
        id,
        account_id: accountId,
        agent_id: command.agentId,
        number_id: command.numberId ?? null,
        trunk_id: trunkFor(command, destination, routes),
        direction: 'outbound' as const,
        channel: 'phone' as const,
        to_number: destination.address,
        from_number: found.from_number ?? '',
        agent_name: found.agent_name ?? '',
        agent_version: version,
        settings: schedule ? { ...settings, schedule } : settings,
        created_at: createdAt,
        webhook_seq: 1,
        trace_parent: command.traceParent ?? null,
      },
      columns,
      destination.own && valuesOf(command, destination),
      NOT_DIALLED,
      { due_at: time.kind === 'later' ? time.at : null },
    );
  });
}

/** The calls as they are stored and returned, with their first webhooks. */
export const newCalls = (rows: NewCallRow[]): NewCalls => ({
  rows,
  views: rows.map(toReducedCallView),
  deliveries: rows.flatMap((row) => {
    const target = row.settings.call_status_webhook;
    return target ? [deliveryRecord(statusEvent(row, target, row.created_at))] : [];
  }),
});

const queueIsFull = (limit: number): CodedProblem =>
  withCode(
    'limit_reached',
    `The account has no room for so many more waiting calls: ${limit.toLocaleString('en-US')} may wait or be scheduled. Try again when some were dialled.`,
  );
