import type { Acting } from '@app/audit';
import { Conflict, type Encryption, InvalidFields } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import {
  AgentChangesService,
  AgentRecordsService,
  AgentVersionsRepository,
  type ReadTools,
  type AgentEntity,
  AgentsService,
  type AgentNode,
  agentSettings,
  settingFaults,
} from '@app/agents';
import { AccountRecordsService, resultOf, type SavedRecord, type SaveResult } from '@app/accounts';
import { agentNode, type ExportedNode } from './exported-nodes.js';
import { scenariosOf, scriptOf } from './workspace-agent-files.js';
import { noteChange } from './workspace-changes.js';
import { type ApplyContext, knownId } from './workspace-file.js';
import { WorkspaceRepository } from './workspace.repository.js';

/** An agent of the file without its secrets, with its id and the result. */
export type AppliedAgent = { id: number; result: SaveResult } & Omit<
  AgentNode,
  'post_call_webhook' | 'call_status_webhook' | 'pre_call_webhook' | 'scenarios' | 'tools'
>;

/** Applies the agents of a workspace file. */
@Injectable()
export class WorkspaceAgentsService {
  constructor(
    private readonly agents: AgentsService,
    private readonly rows: AgentVersionsRepository,
    private readonly agentChanges: AgentChangesService,
    private readonly agentRecords: AgentRecordsService,
    private readonly records: AccountRecordsService,
    private readonly named: WorkspaceRepository,
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
        ? knownId(context, number, await this.named.numberId(accountId, number, context.tx), path, 'a number')
        : number;
    const settings = agentSettings(context.encryption, node, { script: scriptOf(context, node, at), callerIdNumberId });
    const identity = { accountId, name };
    const stored = (await this.rows.lock(identity, context.tx)) ?? null;
    const [fault] = settingFaults(node, stored);
    if (fault) throw context.file.fault([...place, ...fault.path], fault.problem);
    const wanted = { columns: settings(stored), scenarios: scenariosOf(context, node, at) };
    const saved = await this.agentChanges
      .save(stored, identity, wanted, context, context.tx)
      .catch((error: unknown) => {
        if (!(error instanceof InvalidFields)) throw error;
        throw context.file.fault([...place, 'publish_requires'], error.message);
      });
    await this.records.recordSaved(account, 'agent', name, saved, context.tx);
    const complete = await this.withTools(context, account, saved, at);
    noteChange(context.changes, { ...account, kind: 'agent', name }, complete);
    return { ...resultOf(complete), name, ...shown };
  }

  /** Saves the tools of the file. @returns the changes of the agent with those of its tools */
  private async withTools(
    context: ApplyContext,
    { accountId, actor }: Acting,
    saved: SavedRecord,
    at: number,
  ): Promise<SavedRecord> {
    const save = context.saveTools(at);
    const change = await save?.({ accountId, actor, agentId: saved.id }, context.tx).catch((error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
      throw context.file.fault(['accounts', context.index, 'agents', at, 'tools'], error.message);
    });
    if (!change) return saved;
    const result = saved.result === 'unchanged' ? 'updated' : saved.result;
    return { ...saved, result, changes: [...saved.changes, { column: 'tools', ...change }] };
  }

  all(accountId: number, tx: EntityTransaction): Promise<AgentEntity[]> {
    return this.agents.all(accountId, tx);
  }

  /** Agents as nodes of a workspace file. */
  async exported(
    agents: readonly AgentEntity[],
    parts: { numberNames: ReadonlyMap<number, string>; encryption: Encryption; toolsOf: ReadTools },
    tx: EntityTransaction,
  ): Promise<ExportedNode[]> {
    const nodes: ExportedNode[] = [];
    for (const agent of agents) {
      const scenarios = await this.rows.scenariosOf({ accountId: agent.accountId, agentId: agent.id }, tx);
      const tools = await parts.toolsOf({ accountId: agent.accountId, agentId: agent.id }, tx);
      nodes.push(agentNode(agent, { ...parts, scenarios, tools }));
    }
    return nodes;
  }

  /**
   * Deletes an agent with the knowledge bases that it owns, as the API does. Throws Conflict while calls of the agent are queued or active,
   * and when other agents search one of its knowledge bases.
   */
  async deleteWithin(
    { tx, actor, deleteKnowledge, afterwards }: ApplyContext,
    accountId: number,
    agentId: number,
  ): Promise<void> {
    const agent = { accountId, actor, agentId };
    if (deleteKnowledge) afterwards.push(await deleteKnowledge(agent, tx));
    else if (await this.named.ownsKnowledge(agentId, tx))
      throw new Conflict('The agent has knowledge bases of its own. Delete it with trunkline apply or over the API.');
    await this.agentRecords.deleteWithin(agent, tx);
  }
}
