import type { Log } from '@app/common';
import type { KnowledgeSearchService } from '@app/knowledge';
import { knowledgeTool, type SearchKnowledge } from '@app/agents';
import type { VoiceTool } from '@app/voice';
import type { CallContext } from './call-context.service.js';

/** What the agent of a call can look things up with: nothing when it has no knowledge base that can be searched. */
export function knowledgeTools(
  knowledge: Pick<KnowledgeSearchService, 'search'>,
  context: Pick<CallContext, 'id' | 'account_id' | 'agent_id' | 'knowledge'>,
  log: Log,
): VoiceTool[] {
  if (!context.knowledge) return [];
  const agent = { accountId: context.account_id, agentId: context.agent_id };
  const search: SearchKnowledge = async (query, options) => {
    try {
      return await knowledge.search(agent, query, options);
    } catch (err) {
      if (!options.signal.aborted) log.error({ err, call_id: context.id }, 'a search of an agent failed');
      throw err;
    }
  };
  return [knowledgeTool(search, context.knowledge.titles)];
}
