import type { InvocationContext } from '@app/tools';
import { agentTool, type AgentToolRuntime, type OnToolRun } from '@app/agents';
import type { VoiceTool } from '@app/voice';
import type { DialOrder } from './load-dial.js';

/** The tools that the account gave the agent of a call. */
export const agentTools = (parts: AgentToolRuntime, order: DialOrder, ran: OnToolRun): VoiceTool[] =>
  order.tools.map((tool) => agentTool(parts, tool, contextOf(order), ran));

const contextOf = (order: DialOrder): Omit<InvocationContext, 'toolCallId'> => ({
  accountId: order.account_id,
  agent: { id: order.agent_id, name: order.agent_name },
  call: {
    id: order.id,
    direction: order.direction,
    to_number: order.to_number,
    from_number: order.from_number,
  },
  metadata: order.metadata,
  source: 'call',
});
