import type { Acting } from '@app/audit';
import { Conflict, InvalidFields } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { McpServerListsService } from '@app/tools';
import { Injectable } from '@nestjs/common';
import {
  AgentChangesService,
  AgentDeletionService,
  type AgentEntity,
  AgentFlowsService,
  agentsIn,
  type GivenFlow,
  resolveAgents,
  wantedAgent,
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

/** The schema knows the shape: of each exit and action one alternative. */
const givenFlow = ({ flow, handoffs }: AgentNode): GivenFlow => ({ flow, handoffs }) as GivenFlow;

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
    private readonly flows: AgentFlowsService,
  ) {}

  /**
   * Creates or updates the agents of an account. An agent that hands calls over to others is saved after them; of agents that hand over to
   * each other, the first is created without, and changed at the end. Throws WorkspaceError and ScenariosRequired.
   */
  async applyAll(
    context: ApplyContext,
    account: Acting & { account: string },
    nodes: readonly AgentNode[],
  ): Promise<AppliedAgent[]> {
    const applied: AppliedAgent[] = [];
    const inFile = new Set(nodes.map(({ name }) => name));
    const waiting = new Map(nodes.entries());
    while (waiting.size > 0) {
      const ready = await this.ready(account.accountId, [...waiting], inFile, context.tx);
      if (ready !== undefined) {
        const [at, node] = ready;
        const saved = await this.apply(context, account, node, at);
        applied[at] = { ...saved, result: applied[at]?.result ?? saved.result };
        waiting.delete(at);
        continue;
      }
      // The rest hands over in circles, and one of them is new.
      const [at, { flow: _flow, handoffs: _handoffs, ...node }] = [...waiting].find(([place]) => !applied[place])!;
      applied[at] = await this.apply(context, account, node, at);
    }
    return applied;
  }

  /** The first agent whose handoffs lead to agents that are there, or that the file does not have. */
  private async ready(
    accountId: number,
    waiting: readonly [number, AgentNode][],
    inFile: ReadonlySet<string>,
    tx: EntityTransaction,
  ): Promise<[number, AgentNode] | undefined> {
    for (const [at, node] of waiting) {
      const names = agentsIn(givenFlow(node)).map(String);
      let areThere = true;
      for (const name of names)
        areThere &&= !inFile.has(name) || (await this.rows.idByName(accountId, name, tx)) !== undefined;
      if (areThere) return [at, node];
    }
    return undefined;
  }

  private async apply(
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
    const flows = await resolveAgents(givenFlow(node), async (agent, field) =>
      knownId(
        context,
        String(agent),
        await this.rows.idByName(accountId, String(agent), context.tx),
        [...place, ...field],
        'an agent',
      ),
    );
    const settings = agentSettings(context.encryption, node, { script, callerIdNumberId, flows });
    const identity = { accountId, name };
    const stored = (await this.rows.lock(identity, context.tx)) ?? null;
    const [fault] = settingFaults(node, stored);
    if (fault) throw context.file.fault([...place, ...fault.path], fault.problem);
    // Without the id: the tools of the file are saved after the agent.
    const wanted = wantedAgent(stored, settings(stored));
    const [flowFault] = await this.flows.faults(wanted, accountId, undefined, context.tx);
    if (flowFault) throw context.file.fault([...place, ...flowFault.path], flowFault.problem);
    const state = { columns: settings(stored), scenarios: collectScenarios(context, node, at) };
    const saved = await this.changes.save(stored, identity, state, context, context.tx).catch((error: unknown) => {
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
