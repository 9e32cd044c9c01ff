import { type AgentOverrides, renderAgent, withOverrides } from '@app/agents';
import { CallProgressService, InvalidPreCallAnswer, type OwnedCall, type StoredCallContext } from '@app/calls';
import { InvalidFields } from '@app/common';
import { type AgentKnowledge, KnowledgeSearchService } from '@app/knowledge';
import { type AgentTool, ToolsService } from '@app/tools';
import { Injectable } from '@nestjs/common';

/** Everything that one call needs, read when it is claimed. */
export interface CallContext extends Omit<StoredCallContext, 'has_knowledge' | 'has_tools'> {
  /** The knowledge bases that the agent searches in the call; absent: none. */
  knowledge?: AgentKnowledge;
  /** The tools that the account has defined for the agent. */
  tools: AgentTool[];
  /** The section of the instructions with the values of the call; absent: there are no values, or they are not rendered yet. */
  values?: string;
}

@Injectable()
export class CallContextService {
  constructor(
    private readonly progress: CallProgressService,
    private readonly knowledge: KnowledgeSearchService,
    private readonly tools: ToolsService,
  ) {}

  /** The context with the overrides of the call. Undefined: the call belongs to another dialer or has ended. */
  async find(call: OwnedCall): Promise<CallContext | undefined> {
    const stored = await this.progress.context(call);
    if (!stored) return undefined;
    const { has_knowledge: hasKnowledge, has_tools: hasTools, ...context } = stored;
    const agent = { accountId: context.account_id, agentId: context.agent_id };
    const knowledgeBaseIds = context.knowledge_base_ids;
    const [knowledge, tools] = await Promise.all([
      hasKnowledge ? this.knowledge.knowledgeOf({ ...agent, knowledgeBaseIds }) : undefined,
      hasTools ? this.tools.ofAgent(agent) : [],
    ]);
    const ids = context.settings.agent?.tool_ids;
    const allowed = ids ? tools.filter(({ id }) => ids.includes(id)) : tools;
    return { ...withOverrides(context, context.settings.agent), knowledge, tools: allowed };
  }

  /** Throws InvalidPreCallAnswer when the overrides select a tool or knowledge base that the agent does not have. */
  async requireSelection(context: CallContext, overrides: AgentOverrides): Promise<void> {
    const agent = { accountId: context.account_id, agentId: context.agent_id };
    const { tool_ids: toolIds, knowledge_base_ids: knowledgeBaseIds } = overrides;
    if (toolIds && toolIds.length > 0) {
      const own = new Set((await this.tools.ofAgent(agent)).map(({ id }) => id));
      const foreign = toolIds.find((id) => !own.has(id));
      if (foreign !== undefined) throw new InvalidPreCallAnswer(`The agent has no active tool ${foreign}.`);
    }
    if (!knowledgeBaseIds) return;
    try {
      await this.knowledge.requireKnowledge({ ...agent, knowledgeBaseIds });
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      throw new InvalidPreCallAnswer(`agent_overrides: ${error.message}`, { cause: error });
    }
  }
}

/** The context with the texts of its agent as this call speaks them, and the names of the placeholders without a value. */
export function renderContext(context: CallContext, now: Date): { context: CallContext; missing: string[] } {
  const { conversation, answering_machine: machine, metadata, variables } = context;
  const agent = { ...context, name: context.agent_name, variables: context.agent_variables };
  const { texts, tools } = renderAgent(agent, context.tools, { metadata, variables, call: context, now });
  const { instructions, greeting, voicemail, screening, phrases, values, missing } = texts;
  const rendered: CallContext = {
    ...context,
    instructions,
    greeting,
    values,
    answering_machine: machine && { ...machine, message: voicemail, screening_message: screening },
    conversation: conversation && { ...conversation, phrases },
    tools,
  };
  return { context: rendered, missing };
}
