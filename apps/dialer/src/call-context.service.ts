import { CallProgressService, type OwnedCall, type StoredCallContext } from '@app/calls';
import { type AgentKnowledge, KnowledgeSearchService } from '@app/knowledge';
import { type AgentTool, ToolsService } from '@app/tools';
import { Injectable } from '@nestjs/common';

/** Everything that one call needs, read when it is claimed. */
export interface CallContext extends Omit<StoredCallContext, 'has_knowledge' | 'has_tools'> {
  /** The knowledge bases that the agent searches in the call; absent: none. */
  knowledge?: AgentKnowledge;
  /** The tools that the account has defined for the agent. */
  tools: AgentTool[];
}

@Injectable()
export class CallContextService {
  constructor(
    private readonly progress: CallProgressService,
    private readonly knowledge: KnowledgeSearchService,
    private readonly tools: ToolsService,
  ) {}

  /** Undefined: the call belongs to another dialer or has ended. */
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
    return { ...context, knowledge, tools };
  }
}
