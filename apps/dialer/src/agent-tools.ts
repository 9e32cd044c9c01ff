import type { InvocationContext } from '@app/tools';
import { agentTool, type AgentToolRuntime, type OnToolRun } from '@app/agents';
import type { VoiceTool } from '@app/voice';
import type { CallContext } from './call-context.service.js';

/** The tools that the account gave the agent of a call. */
export const agentTools = (parts: AgentToolRuntime, context: CallContext, ran: OnToolRun): VoiceTool[] =>
  context.tools.map((tool) => agentTool(parts, tool, contextOf(context), ran));

const contextOf = (context: CallContext): Omit<InvocationContext, 'toolCallId'> => ({
  accountId: context.account_id,
  agent: { id: context.agent_id, name: context.agent_name },
  call: {
    id: context.id,
    direction: context.direction,
    to_number: context.to_number,
    from_number: context.from_number,
  },
  metadata: context.metadata,
  source: 'call',
});
