import { type Actor, type AuditAction, AuditService, THE_SERVICE } from '@app/audit';
import { Encryption, InvalidFields, microsOf } from '@app/common';
import { Database } from '@app/database';
import { WebhookSecretsService } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import { dirname } from 'node:path';
import { AccountEntity } from '../account.entity.js';
import { AgentChangesService } from '../agents/agent-changes.service.js';
import { AgentVersionsRepository } from '../agents/agent-versions.repository.js';
import { type PendingPublication, ScenariosRequired } from '../agents/required-scenarios.js';
import { PhoneNumberEntity } from '../numbers/phone-number.entity.js';
import { SipTrunkEntity } from '../trunks/sip-trunk.entity.js';
import type { AgentNode } from './agent-schema.js';
import { agentSettings, scenariosOf, scriptOf, trunkSettings } from './record-settings.js';
import type { TlsNode, TrunkNode } from './trunk-schema.js';
import {
  type ApplyContext,
  parseWorkspace,
  type ScriptProblems,
  type AccountNode,
  type NumberNode,
} from './workspace-file.js';
import { type ColumnChange, type SavedRecord, type SaveResult, WorkspaceRepository } from './workspace.repository.js';

/** A node of the file without its secrets, with its id and the result. */
type Applied<Node, Secret extends keyof Node = never> = { id: number; result: SaveResult } & Omit<Node, Secret>;

/** Without passwords and keys. */
type AppliedTrunk = Applied<TrunkNode, 'password' | 'tls' | 'inbound'> & {
  tls?: Omit<TlsNode, 'key'> | null;
  inbound?: Omit<NonNullable<TrunkNode['inbound']>, 'password'> | null;
};

interface AppliedAccount {
  id: number;
  result: SaveResult;
  name: string;
  /** Signs the account's webhooks; receivers verify with it. */
  webhook_secret: string;
  limits?: AccountNode['limits'];
  retention?: AccountNode['retention'];
  numbers: Applied<NumberNode>[];
  trunks: AppliedTrunk[];
  agents: Applied<AgentNode, 'post_call_webhook' | 'call_status_webhook' | 'scenarios'>[];
}

export interface WorkspaceTree {
  accounts: AppliedAccount[];
}

/** What the process that applies a file can do: without `scriptProblems` scripts are not checked. */
interface ApplyOptions {
  scriptProblems?: ScriptProblems;
  scenarioProblems?: ScriptProblems;
  /** Plays the scenarios that must pass before an agent is published. @returns the problems of those that failed */
  play?: (pending: PendingPublication) => Promise<string[]>;
  actor?: Actor;
}

/** A file may have as many agents that require scenarios. */
const MOST_PLAYED = 1_000;

const UNIQUE_VIOLATION = '23505';
const RETENTION_COLUMNS = ['recordings_days', 'transcripts_days', 'deliveries_days', 'documents_days'];

/** Creates and updates accounts, numbers, trunks and agents from workspace files. */
@Injectable()
export class WorkspaceService {
  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
    private readonly audit: AuditService,
    private readonly secrets: WebhookSecretsService,
    private readonly records: WorkspaceRepository,
    private readonly agents: AgentVersionsRepository,
    private readonly agentChanges: AgentChangesService,
  ) {}

  /**
   * Applies a file, all or nothing. Records are identified by name and never deleted. A new account gets a webhook secret. Paths in the
   * file are relative to the folder of `fileName`. Applying a file again changes nothing and reports `unchanged`. `scriptProblems`
   * validates the scripts of agents. Scenarios that an agent requires are played between two attempts, outside of the transaction.
   * Throws WorkspaceError with the lines of the problems.
   */
  async apply(yamlText: string, fileName: string, options: ApplyOptions = {}): Promise<WorkspaceTree> {
    const passed = new Set<string>();
    for (;;) {
      try {
        return await this.applyOnce(yamlText, fileName, options, passed);
      } catch (error) {
        if (!(error instanceof ScenariosRequired) || passed.size >= MOST_PLAYED) throw error;
        await this.playScenarios(yamlText, fileName, error, options);
        passed.add(error.fingerprint);
      }
    }
  }

  private async applyOnce(
    yamlText: string,
    fileName: string,
    { scriptProblems = () => [], scenarioProblems = () => [], actor = THE_SERVICE }: ApplyOptions,
    passed: ReadonlySet<string>,
  ): Promise<WorkspaceTree> {
    const file = parseWorkspace(yamlText, fileName);
    const checks = { scriptProblems, scenarioProblems, passed, actor };
    const context = { encryption: this.encryption, file, folder: dirname(fileName), ...checks };
    return this.database.entityTransaction(async (tx) => {
      await this.records.lock(tx);
      const accounts: AppliedAccount[] = [];
      for (const [index, node] of file.workspace.accounts.entries()) {
        accounts.push(await this.applyAccount({ ...context, tx, index }, node));
      }
      return { accounts };
    });
  }

  /** Throws WorkspaceError at the agent whose scenarios did not pass. */
  private async playScenarios(
    yamlText: string,
    fileName: string,
    { pending, message }: ScenariosRequired,
    { play = () => Promise.resolve([message]) }: ApplyOptions,
  ): Promise<void> {
    const problems = await play(pending);
    if (problems.length === 0) return;
    const file = parseWorkspace(yamlText, fileName);
    const { accounts } = file.workspace;
    const index = accounts.findIndex(({ agents }) => agents.some(({ name }) => name === pending.agentName));
    const at = accounts[index]?.agents.findIndex(({ name }) => name === pending.agentName) ?? 0;
    throw file.fault(['accounts', index, 'agents', at, 'publish_requires'], problems.join('; '));
  }

  private async applyAccount(context: ApplyContext, node: AccountNode): Promise<AppliedAccount> {
    const { tx, actor } = context;
    const { name, limits, retention } = node;
    const saved = await this.records.save(AccountEntity, { name }, () => accountSettings(node), tx);
    await this.recordAccount(context, name, saved);
    const { id, result } = saved;
    if (result === 'created') await this.secrets.create({ accountId: id, actor }, tx);
    const numbers: AppliedAccount['numbers'] = [];
    for (const [at, item] of node.numbers.entries()) numbers.push(await this.applyNumber(context, id, item, at));
    const trunks: AppliedAccount['trunks'] = [];
    for (const [at, item] of node.trunks.entries()) trunks.push(await this.applyTrunk(context, id, item, at));
    const agents: AppliedAccount['agents'] = [];
    const names = node.agents.map((agent) => agent.name);
    await this.records.lockAgents(id, names, tx);
    for (const [at, item] of node.agents.entries()) agents.push(await this.applyAgent(context, id, item, at));
    // After the agents, which may be in the same file.
    for (const [at, item] of node.numbers.entries()) {
      if (item.agent !== undefined && (await this.assignAgent(context, id, item, at))) markUpdated(numbers[at]);
    }
    const [webhookSecret = ''] = await this.secrets.current(id, tx);
    return {
      id,
      result,
      name,
      webhook_secret: webhookSecret,
      ...(limits ? { limits } : {}),
      ...(retention ? { retention } : {}),
      numbers,
      trunks,
      agents,
    };
  }

  private async applyNumber(
    context: ApplyContext,
    accountId: number,
    node: NumberNode,
    at: number,
  ): Promise<Applied<NumberNode>> {
    const { name, e164, active } = node;
    const identity = { accountId, name };
    try {
      const saved = await this.records.save(PhoneNumberEntity, identity, () => ({ e164, active }), context.tx);
      return { ...(await this.recordNamed(context, 'number', identity, saved)), ...node };
    } catch (error) {
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
      const path = ['accounts', context.index, 'numbers', at, 'e164'];
      throw context.file.fault(path, `${e164} is already a number of the account`);
    }
  }

  /** true: the agent of the number changed. */
  private async assignAgent(
    context: ApplyContext,
    accountId: number,
    { name, agent }: NumberNode,
    at: number,
  ): Promise<boolean> {
    const path = ['accounts', context.index, 'numbers', at, 'agent'];
    const agentId =
      typeof agent === 'string'
        ? known(context, agent, await this.records.agentId(accountId, agent, context.tx), path, 'an agent')
        : agent;
    const identity = { accountId, name };
    const saved = await this.records.save(PhoneNumberEntity, identity, () => ({ agentId }), context.tx);
    return (await this.recordNamed(context, 'number', identity, saved)).result === 'updated';
  }

  private async applyTrunk(
    context: ApplyContext,
    accountId: number,
    node: TrunkNode,
    at: number,
  ): Promise<AppliedTrunk> {
    const { name, password: _password, tls, inbound, ...shown } = node;
    const identity = { accountId, name };
    const saved = await this.records.save(SipTrunkEntity, identity, trunkSettings(context, node, at), context.tx);
    const applied = await this.recordNamed(context, 'trunk', identity, saved);
    if (applied.result === 'updated') await this.records.resetTrunkHealth(applied.id, context.tx);
    return {
      ...applied,
      name,
      ...shown,
      ...(tls === undefined ? {} : { tls: tls && without(tls, 'key') }),
      ...(inbound === undefined ? {} : { inbound: inbound && without(inbound, 'password') }),
    };
  }

  private async applyAgent(
    context: ApplyContext,
    accountId: number,
    node: AgentNode,
    at: number,
  ): Promise<AppliedAccount['agents'][number]> {
    const {
      name,
      post_call_webhook: _postCall,
      call_status_webhook: _callStatus,
      scenarios: _scenarios,
      ...shown
    } = node;
    const number = shown.call_transfer?.caller_id_number;
    const place = ['accounts', context.index, 'agents', at];
    const path = [...place, 'call_transfer', 'caller_id_number'];
    const callerIdNumberId =
      typeof number === 'string'
        ? known(context, number, await this.records.numberId(accountId, number, context.tx), path, 'a number')
        : number;
    const identity = { accountId, name };
    const settings = agentSettings(context.encryption, node, { script: scriptOf(context, node, at), callerIdNumberId });
    const stored = (await this.agents.lock(identity, context.tx)) ?? null;
    const wanted = { columns: settings(stored), scenarios: scenariosOf(context, node, at) };
    try {
      const saved = await this.agentChanges.save(stored, identity, wanted, context, context.tx);
      return { ...(await this.recordNamed(context, 'agent', identity, saved)), name, ...shown };
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      throw context.file.fault([...place, 'publish_requires'], error.message);
    }
  }

  /** The audit event of a number, trunk or agent names the changed columns, not their values. */
  private async recordNamed(
    { tx, actor }: ApplyContext,
    kind: 'number' | 'trunk' | 'agent',
    { accountId, name }: { accountId: number; name: string },
    { id, result, changes }: SavedRecord,
  ): Promise<{ id: number; result: SaveResult }> {
    if (result !== 'unchanged') {
      const changed = result === 'updated' ? { changed: changes.map(({ column }) => plainName(column)) } : {};
      const event = { accountId, actor, subject: { kind, id }, details: { name, ...changed } };
      await this.audit.record({ ...event, action: `${kind}.${result}` }, tx);
    }
    return { id, result };
  }

  /** The columns of an account are limits and retention times; its audit events hold the values before and after. */
  private async recordAccount(
    { tx, actor }: ApplyContext,
    name: string,
    { id, result, changes }: SavedRecord,
  ): Promise<void> {
    const record = (action: AuditAction, details: Record<string, unknown>): Promise<void> =>
      this.audit.record({ accountId: id, actor, action, subject: { kind: 'account', id }, details }, tx);
    if (result === 'created') return record('account.created', { name });
    const isRetention = ({ column }: ColumnChange): boolean => RETENTION_COLUMNS.includes(column);
    const retention = changes.filter(isRetention);
    const limits = changes.filter((change) => !isRetention(change));
    if (limits.length > 0) await record('limits.changed', fromTo(limits));
    if (retention.length > 0) await record('retention.changed', fromTo(retention));
  }
}

/** The wanted columns of an account; undefined ones are not in the file. */
function accountSettings({ limits, retention }: AccountNode): Partial<AccountEntity> {
  const spend = limits?.daily_spend_usd;
  const storage = limits?.storage_bytes;
  return {
    concurrentCalls: limits?.concurrent_calls,
    callsPerSecond: limits?.calls_per_second,
    queuedCalls: limits?.queued_calls,
    requestsPerMinute: limits?.requests_per_minute,
    dailySpendMicros: typeof spend === 'number' ? String(microsOf(spend)) : spend,
    storageBytes: typeof storage === 'number' ? String(storage) : storage,
    destinationsAllow: limits?.destinations?.allow,
    destinationsDeny: limits?.destinations?.deny,
    recordingsDays: retention?.recordings_days,
    transcriptsDays: retention?.transcripts_days,
    deliveriesDays: retention?.deliveries_days,
    documentsDays: retention?.documents_days,
  };
}

/** The id of a record that the file names. */
function known(
  { file }: ApplyContext,
  name: string,
  id: number | undefined,
  path: PropertyKey[],
  what: string,
): number {
  if (id !== undefined) return id;
  throw file.fault(path, `"${name}" is not the name of ${what} of this account`);
}

function markUpdated(applied: { result: SaveResult } | undefined): void {
  if (applied?.result === 'unchanged') applied.result = 'updated';
}

function without<T extends object, K extends keyof T>(node: T, secret: K): Omit<T, K> {
  const { [secret]: _secret, ...shown } = node;
  return shown;
}

const plainName = (column: string): string => column.replace(/_sealed$/, '');

const fromTo = (changes: readonly ColumnChange[]): Record<string, unknown> =>
  Object.fromEntries(changes.map(({ column, from, to }) => [column, { from, to }]));
