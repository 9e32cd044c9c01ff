import type { AgentSettings, AgentsService, DailySpendService } from '@app/accounts';
import { NotFound, type Log } from '@app/common';
import type { AgentKnowledge, KnowledgeSearchService } from '@app/knowledge';
import type { SimulatedAgent } from '@app/sandbox';
import { argumentProblems, type ToolRunner, type ToolsService } from '@app/tools';
import type { AgentProviders, PriceBook, VoiceTool, ProviderChoice } from '@app/voice';
import { agentTool, toolRunData } from './agent-tool.js';
import { knowledgeTool, type SearchKnowledge } from './knowledge-tool.js';
import { conversationSettings, providerChain, systemPrompt } from './session-settings.js';

/** The dependencies that the simulations of a process share. */
export interface SimulationParts {
  agents: Pick<AgentsService, 'settings'>;
  spend: Pick<DailySpendService, 'read' | 'add'>;
  knowledge: Pick<KnowledgeSearchService, 'search' | 'knowledgeOf'>;
  /** @throws ProviderUnavailable */
  providersFor: (wanted: readonly ProviderChoice[]) => Promise<AgentProviders>;
  /** The prices of usage. Rejects with UnusableSetting. */
  prices: () => Promise<PriceBook>;
  /** For `tools: live` and `record`. */
  runner: Pick<ToolRunner, 'run'>;
  tools: Pick<ToolsService, 'ofAgent'>;
  log: Log;
}

/** The agent's provider only speaks. The message is a sentence for the person who asked. */
export class NoTextMode extends Error {}

/** Providers of full-duplex speech, without a text mode. */
const SPEECH_ONLY: ReadonlySet<string> = new Set(['openai-live']);

export interface AgentOfAccount {
  accountId: number;
  agentId: number;
}

/** The agent as it would be on a call. Throws NotFound, NoTextMode, ProviderUnavailable. */
export async function loadSimulatedAgent(
  parts: SimulationParts,
  agent: AgentOfAccount,
  metadata: Record<string, unknown> | null,
): Promise<SimulatedAgent> {
  const found = await parts.agents.settings(agent.accountId, agent.agentId);
  if (!found) throw new NotFound('Agent');
  const [knowledge, tools] = await Promise.all([parts.knowledge.knowledgeOf(agent), parts.tools.ofAgent(agent)]);
  const who = { accountId: agent.accountId, agent: { id: agent.agentId, name: found.name } };
  const { provider, fallbacks } = await parts.providersFor(writingProviders(found));
  return {
    provider,
    fallbacks,
    settings: {
      agent: {
        name: found.name,
        instructions: systemPrompt(found.instructions, knowledge),
        greeting: found.greeting,
        language: found.conversation?.language,
      },
      ...conversationSettings(found.conversation),
      maxCallSeconds: found.max_call_seconds,
    },
    tools: (noteRun) =>
      tools.map((tool) =>
        agentTool(
          { runner: parts.runner, log: parts.log },
          tool,
          { ...who, call: null, metadata, source: 'simulation' },
          (toolCallId, run) => noteRun(toolCallId, toolRunData(run)),
        ),
      ),
    others: searchTools(parts, agent, knowledge),
    mayTransfer: found.transfer_enabled,
    checkArguments: argumentProblems,
  };
}

function writingProviders({ provider, provider_options: options }: AgentSettings): ProviderChoice[] {
  const writing = providerChain(provider, options).filter(({ name }) => !SPEECH_ONLY.has(name));
  if (writing.length > 0) return writing;
  throw new NoTextMode(`The provider ${provider} has no text mode, so its agents cannot be simulated.`);
}

function searchTools(
  parts: SimulationParts,
  agent: AgentOfAccount,
  knowledge: AgentKnowledge | undefined,
): VoiceTool[] {
  if (!knowledge) return [];
  const search: SearchKnowledge = async (query, options) => {
    try {
      return await parts.knowledge.search(agent, query, options);
    } catch (err) {
      if (!options.signal.aborted) parts.log.error({ err, agent_id: agent.agentId }, 'a search of a simulation failed');
      throw err;
    }
  };
  return [knowledgeTool(search, knowledge.titles)];
}
