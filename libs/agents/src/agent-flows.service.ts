import { type FieldErrors, InvalidFields, noRecord, withCode } from '@app/common';
import type { EntityTransaction } from '@app/database';
import type { AgentHandoff, Flow, FlowReferences } from '@app/flow';
import { KnowledgeBasesService } from '@app/knowledge';
import { ToolsService } from '@app/tools';
import type { AgentFlow } from '@app/voice';
import { Injectable } from '@nestjs/common';
import type { TemplateValues } from './domain/templates.js';
import { agentFlow } from './session/agent-flow.js';
import type { AgentWarning } from './session/agent-warnings.js';
import type { AgentEntity } from './agent.entity.js';
import { AgentsRepository } from './agents.repository.js';
import { type FlowFault, flowFaults } from './domain/flow-faults.js';
import { agentsIn, type GivenFlow } from './schemas/flow-schema.js';

/** The settings that a flow refers to. */
type FlowedAgent = Pick<AgentEntity, 'variables' | 'transferEnabled' | 'transferPhoneNumber' | 'transferOptions'> & {
  flow: Flow | null;
  handoffs: AgentHandoff[];
};

/** Checks flows and handoffs against what their agent has, and against the agents of its account. */
@Injectable()
export class AgentFlowsService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly tools: ToolsService,
    private readonly knowledgeBases: KnowledgeBasesService,
  ) {}

  /**
   * The problems of the flow of an agent as it will be. `agentId`: undefined for a new agent, which has no tools and knowledge bases yet:
   * steps may name tools that it will get, and knowledge bases of the account.
   */
  async faults(
    agent: FlowedAgent,
    accountId: number,
    agentId: number | undefined,
    tx?: EntityTransaction,
  ): Promise<FlowFault[]> {
    if (!agent.flow) return [];
    return flowFaults(agent.flow, await this.referencesOf(agent, accountId, agentId, tx));
  }

  /** Throws InvalidFields for agents that the account does not have. */
  async requireAgents(accountId: number, given: GivenFlow, tx: EntityTransaction): Promise<void> {
    const ids = agentsIn(given).filter((id) => typeof id === 'number');
    if (ids.length === 0) return;
    const known = new Set((await this.agents.namesById(accountId, ids, tx)).keys());
    const errors: FieldErrors = {};
    const check = (id: number | string, field: string): void => {
      if (typeof id === 'number' && !known.has(id)) errors[field] = [noRecord('agent', id)];
    };
    for (const [index, { handoff }] of (given.flow?.steps ?? []).entries())
      if (handoff) check(handoff.agent, `flow.steps.${index}.handoff.agent`);
    for (const [index, { agent }] of (given.handoffs ?? []).entries()) check(agent, `handoffs.${index}.agent`);
    if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  }

  /** The steps and handoffs for one conversation; undefined: the agent has none. */
  async running(
    { accountId, ...agent }: { accountId: number } & Omit<Parameters<typeof agentFlow>[0], 'names'>,
    values: TemplateValues,
  ): Promise<AgentFlow | undefined> {
    if (!agent.flow && agent.handoffs.length === 0) return undefined;
    const ids = agent.handoffs.map((one) => Number(one.agent));
    return agentFlow({ ...agent, names: await this.agents.namesById(accountId, ids) }, values);
  }

  /** What the flow and the handoffs of an agent refer to and do not find, such as a tool that was deleted since. */
  async warningsOf(accountId: number, agentId: number): Promise<AgentWarning[]> {
    const agent = await this.agents.find({ accountId, agentId });
    if (!agent) return [];
    const faults = await this.faults(agent, accountId, agentId);
    const known = await this.agents.namesById(
      accountId,
      agentsIn(agent).filter((id) => typeof id === 'number'),
    );
    const missing = (id: number | string, field: string): AgentWarning[] =>
      typeof id === 'number' && !known.has(id)
        ? [{ code: 'flow_reference_missing', field, message: `The account has no agent ${id}.` }]
        : [];
    return [
      ...faults.map(({ path, problem }): AgentWarning => {
        const field = path.join('.');
        return { code: 'flow_reference_missing', field, message: `The ${field} field ${problem}.` };
      }),
      ...(agent.flow?.steps ?? []).flatMap(({ handoff }, index) =>
        handoff ? missing(handoff.agent, `flow.steps.${index}.handoff.agent`) : [],
      ),
      ...agent.handoffs.flatMap((one, index) => missing(one.agent, `handoffs.${index}.agent`)),
    ];
  }

  private async referencesOf(
    { variables, transferEnabled, transferPhoneNumber, transferOptions, flow }: FlowedAgent,
    accountId: number,
    agentId: number | undefined,
    tx?: EntityTransaction,
  ): Promise<FlowReferences & { variables: readonly string[] }> {
    const names = variables.map(({ name }) => name);
    const destinations = (transferOptions?.destinations ?? []).map(({ name }) => name);
    const transfers = {
      isEnabled: transferEnabled && (destinations.length > 0 || transferPhoneNumber !== null),
      destinations,
    };
    if (agentId === undefined) {
      const named = (flow?.steps ?? []).flatMap(({ knowledge_base_ids: ids = [] }) => ids);
      const knowledgeBaseIds = named.length > 0 ? await this.knowledgeBases.among(accountId, named, tx) : [];
      return { variables: names, transfers, knowledgeBaseIds };
    }
    const tools = await this.tools.namesOf({ accountId, agentId }, tx);
    return {
      variables: [...names, ...tools.flatMap(({ assigned }) => assigned)],
      transfers,
      tools: tools.map(({ name }) => name),
      knowledgeBaseIds: await this.knowledgeBases.idsOf({ accountId, agentId }, tx),
    };
  }
}

/** What a new agent has that is not given. */
const NEW_AGENT = {
  flow: null,
  handoffs: [],
  variables: [],
  transferEnabled: false,
  transferPhoneNumber: null,
  transferOptions: null,
};

/** The agent with the columns of a change. */
export const wantedAgent = (base: AgentEntity | null, columns: Partial<AgentEntity>) => {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  return Object.assign({}, NEW_AGENT, base, Object.fromEntries(given) as Partial<AgentEntity>);
};

/** Throws InvalidFields unless there are no problems. */
export function requireNoFaults(faults: readonly FlowFault[]): void {
  if (faults.length === 0) return;
  const errors: FieldErrors = {};
  for (const { path, code, problem } of faults) {
    const field = path.join('.');
    (errors[field] ??= []).push(withCode(code, `The ${field} field ${problem}.`));
  }
  throw new InvalidFields(errors);
}
