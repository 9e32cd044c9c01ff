import { type Actor, AuditService, THE_SERVICE } from '@app/audit';
import { Encryption, InvalidFields } from '@app/common';
import { Database, type EntityTransaction } from '@app/database';
import { WebhookSecretsService } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import { dirname } from 'node:path';
import { type PendingPublication, ScenariosRequired } from '@app/agents';
import { type CheckedServerList, McpServerListsService } from '@app/tools';
import { type AppliedRecords, type RefusedDeletion, WorkspaceAccountService } from './workspace-account.service.js';
import { mergeChanges, type OverwrittenValue, overwrittenFields, type RecordChange } from './workspace-changes.js';
import { type ApplyContext, type CheckedTools, parseWorkspace, placeOf, type WorkspaceFile } from './workspace-file.js';
import type { AccountNode } from './workspace-schema.js';
import { WorkspaceRepository } from './workspace.repository.js';

interface AppliedAccount extends AppliedRecords {
  /** Signs the account's webhooks; receivers verify with it. Absent for a new account in a dry run. */
  webhook_secret?: string;
}

export interface WorkspaceTree {
  accounts: AppliedAccount[];
}

/** What a workspace file changed, or would change. */
export interface WorkspaceReport extends WorkspaceTree {
  changes: RecordChange[];
  /** Values that were changed over the API since the file last set them. */
  overwrote: OverwrittenValue[];
  /** Records that --prune cannot delete; only in a dry run. */
  refused: RefusedDeletion[];
}

interface ApplyOptions {
  /**
   * Plays the scenarios that must pass before an agent is published, with services that a process opens only for a file that needs them.
   * Without it, such a file is refused. @returns the problems of those that failed
   */
  play?: (pending: PendingPublication) => Promise<string[]>;
  actor?: Actor;
  /** Changes nothing and reports what would change. */
  dryRun?: boolean;
  /** Deletes numbers, trunks and agents of the file's accounts that it does not name. */
  prune?: boolean;
}

/** A file may have as many agents that require scenarios. */
const MAX_PLAYED = 1_000;

/** Events that are searched for the latest change of a value. */
const EVENTS_PER_RECORD = 100;

/** Ends the transaction of a dry run. */
class DryRun extends Error {
  constructor(readonly report: WorkspaceReport) {
    super('A dry run changes nothing.');
  }
}

/** Creates and updates accounts, numbers, trunks and agents from workspace files. */
@Injectable()
export class WorkspaceService {
  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
    private readonly audit: AuditService,
    private readonly secrets: WebhookSecretsService,
    private readonly records: WorkspaceRepository,
    private readonly accounts: WorkspaceAccountService,
    private readonly mcpServers: McpServerListsService,
  ) {}

  /**
   * Applies a file, all or nothing. Records are identified by name; only `prune` deletes any. A new account gets a webhook secret. Paths
   * in the file are relative to the folder of `fileName`. Applying a file again changes nothing and reports `unchanged`.
   * MCP servers are asked for their tools before the transaction; scenarios that an agent requires are played between two attempts. Throws WorkspaceError with the lines of
   * the problems.
   */
  async apply(yamlText: string, fileName: string, options: ApplyOptions = {}): Promise<WorkspaceReport> {
    const passed = new Set<string>();
    const tools = await this.checkTools(parseWorkspace(yamlText, fileName));
    for (;;) {
      try {
        return await this.applyOnce(yamlText, fileName, { ...options, tools }, passed);
      } catch (error) {
        if (error instanceof DryRun) return error.report;
        if (!(error instanceof ScenariosRequired) || passed.size >= MAX_PLAYED) throw error;
        await this.playScenarios(yamlText, fileName, error, options);
        passed.add(error.fingerprint);
      }
    }
  }

  private async applyOnce(
    yamlText: string,
    fileName: string,
    options: ApplyOptions & { tools: CheckedTools },
    passed: ReadonlySet<string>,
  ): Promise<WorkspaceReport> {
    const { actor = THE_SERVICE, dryRun = false, prune = false, tools } = options;
    const file = parseWorkspace(yamlText, fileName);
    const afterwards: ApplyContext['afterwards'] = [];
    const common = { encryption: this.encryption, file, folder: dirname(fileName), passed, actor, tools, afterwards };
    const report = await this.database.entityTransaction(async (tx) => {
      await this.records.lock(tx);
      const changes: RecordChange[] = [];
      const [accounts, refused]: [AppliedAccount[], RefusedDeletion[]] = [[], []];
      for (const [index, node] of file.workspace.accounts.entries()) {
        const context: ApplyContext = { ...common, tx, index, changes };
        const applied = await this.accounts.apply(context, node);
        accounts.push(await this.withSecret(applied, { actor, dryRun }, tx));
        if (prune) refused.push(...(await this.prune(context, applied.id, node, dryRun)));
      }
      const merged = mergeChanges(changes);
      const applied = { accounts, changes: merged, overwrote: await this.overwritten(merged), refused };
      if (dryRun) throw new DryRun(applied);
      return applied;
    });
    for (const work of afterwards) await work();
    return report;
  }

  /** Throws WorkspaceError with the problems of an agent. */
  private async checkTools(file: WorkspaceFile): Promise<CheckedTools> {
    const checked = new Map<string, CheckedServerList>();
    for (const [index, account] of file.workspace.accounts.entries()) {
      for (const [at, { name, tools }] of account.agents.entries()) {
        if (!tools) continue;
        const path = ['accounts', index, 'agents', at];
        const agent = await this.accounts.idsOf(account.name, name);
        const list = await this.mcpServers.check(agent, tools).catch((error: unknown) => {
          throw error instanceof InvalidFields ? file.fields(path, error) : error;
        });
        checked.set(placeOf(index, at), list);
      }
    }
    return checked;
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

  private async withSecret(
    applied: AppliedRecords,
    { actor, dryRun }: { actor: Actor; dryRun: boolean },
    tx: EntityTransaction,
  ): Promise<AppliedAccount> {
    const { id, result, name, ...rest } = applied;
    if (result === 'created') {
      if (dryRun) return applied;
      await this.secrets.create({ accountId: id, actor }, tx);
    }
    const [webhookSecret = ''] = await this.secrets.current(id, tx);
    return { id, result, name, webhook_secret: webhookSecret, ...rest };
  }

  private async prune(
    context: ApplyContext,
    accountId: number,
    node: AccountNode,
    dryRun: boolean,
  ): Promise<RefusedDeletion[]> {
    const refused = await this.accounts.prune(context, accountId, node);
    const [first] = refused;
    if (!first || dryRun) return refused;
    const sentences = refused.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`);
    throw context.file.fault(['accounts', context.index], sentences.join(' '));
  }

  private async overwritten(changes: readonly RecordChange[]): Promise<OverwrittenValue[]> {
    const found: OverwrittenValue[] = [];
    for (const change of changes.filter(({ result }) => result === 'updated')) {
      const { accountId, kind, id } = change;
      const filter = { accountId, subject: { kind, id: String(id) } };
      const { events } = await this.audit.list(filter, { page: 1, perPage: EVENTS_PER_RECORD });
      found.push(...overwrittenFields(change, events));
    }
    return found;
  }
}
