import type { Acting } from '@app/audit';
import { Conflict, InvalidFields } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { McpServerListsService } from '@app/tools';
import { Injectable } from '@nestjs/common';
import {
  AgentChangesService,
  AgentDeletionService,
  type AgentEntity,
  AgentsRepository,
  type AgentNode,
  agentSettings,
  settingFaults,
} from '@app/agents';
import { AccountRecordsService, NumbersService, resultOf, type SavedRecord, type SaveResult } from '@app/accounts';
import { collectScenarios, readScript } from './workspace-agent-files.js';
import { noteChange } from './workspace-changes.js';
import { type ApplyContext, knownId, placeOf } from './workspace-file.js';

/** An agent of the file without its secrets, with its id and the result. */
export type AppliedAgent = { id: number; result: SaveResult } & Omit<
  AgentNode,
  'post_call_webhook' | 'call_status_webhook' | 'pre_call_webhook' | 'scenarios' | 'tools'
>;

/** Applies the agents of a workspace file. */
@Injectable()
export class WorkspaceAgentsService {
  constructor(
    private readonly rows: AgentsRepository,
    private readonly changes: AgentChangesService,
    private readonly deletion: AgentDeletionService,
    private readonly records: AccountRecordsService,
    private readonly numbers: NumbersService,
    private readonly mcpServers: McpServerListsService,
  ) {}

  /** Creates or updates the agent of this name. Throws WorkspaceError and ScenariosRequired. */
  async apply(
    context: ApplyContext,
    account: Acting & { account: string },
    node: AgentNode,
    at: number,
  ): Promise<AppliedAgent> {
    const {
      name,
      post_call_webhook: _postCall,
      call_status_webhook: _callStatus,
      pre_call_webhook: _preCall,
      scenarios: _scenarios,
      tools: _tools,
      ...shown
    } = node;
    const { accountId } = account;
    const number = shown.call_transfer?.caller_id_number;
    const place = ['accounts', context.index, 'agents', at];
    const path = [...place, 'call_transfer', 'caller_id_number'];
    const callerIdNumberId =
      typeof number === 'string'
        ? knownId(context, number, await this.numbers.idByName(accountId, number, context.tx), path, 'a number')
        : number;
    const script = await readScript(context, node, at);
    const settings = agentSettings(context.encryption, node, { script, callerIdNumberId });
    const identity = { accountId, name };
    const stored = (await this.rows.lock(identity, context.tx)) ?? null;
    const [fault] = settingFaults(node, stored);
    if (fault) throw context.file.fault([...place, ...fault.path], fault.problem);
    const wanted = { columns: settings(stored), scenarios: collectScenarios(context, node, at) };
    const saved = await this.changes.save(stored, identity, wanted, context, context.tx).catch((error: unknown) => {
      if (!(error instanceof InvalidFields)) throw error;
      throw context.file.fault([...place, 'publish_requires'], error.message);
    });
    await this.records.recordSaved(account, 'agent', name, saved, context.tx);
    const complete = await this.saveTools(context, account, saved, at);
    noteChange(context.changes, { ...account, kind: 'agent', name }, complete);
    return { ...resultOf(complete), name, ...shown };
  }

  /** Saves the tools of the file. @returns the changes of the agent with those of its tools */
  private async saveTools(
    context: ApplyContext,
    { accountId, actor }: Acting,
    saved: SavedRecord,
    at: number,
  ): Promise<SavedRecord> {
    const checked = context.tools.get(placeOf(context.index, at));
    if (!checked) return saved;
    const agent = { accountId, actor, agentId: saved.id };
    const change = await this.mcpServers.save(agent, checked, context.tx).catch((error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
      throw context.file.fault(['accounts', context.index, 'agents', at, 'tools'], error.message);
    });
    if (!change) return saved;
    const result = saved.result === 'unchanged' ? 'updated' : saved.result;
    return { ...saved, result, changes: [...saved.changes, { column: 'tools', ...change }] };
  }

  all(accountId: number, tx: EntityTransaction): Promise<AgentEntity[]> {
    return this.rows.all(accountId, tx);
  }

  /** Locks agents against the files and changes of others. */
  lockNamed(accountId: number, names: readonly string[], tx: EntityTransaction): Promise<void> {
    return this.rows.lockNamed(accountId, names, tx);
  }

  /** undefined: the account has no agent of this name. */
  idByName(accountId: number, name: string, tx?: EntityTransaction): Promise<number | undefined> {
    return this.rows.idByName(accountId, name, tx);
  }

  /**
   * Deletes an agent with the knowledge bases that it owns, as the API does. Throws Conflict while calls of the agent are queued or active,
   * and when other agents search one of its knowledge bases.
   */
  async deleteWithin({ tx, actor, afterwards }: ApplyContext, accountId: number, agentId: number): Promise<void> {
    afterwards.push(await this.deletion.deleteWithin({ accountId, actor, agentId }, tx));
  }
}
