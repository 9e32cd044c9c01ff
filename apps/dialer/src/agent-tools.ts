import type { Log } from '@app/common';
import { type InvocationContext, runLimitMs, runTool, type ToolRun, type ToolRunParts } from '@app/tools';
import type { VoiceTool } from '@app/voice';
import type { DialOrder } from './load-dial.js';

/** Beyond the time of its actions: to look up what it takes, and to write down that it ran. */
const SLACK_MS = 5_000;

/** What the call of a tool tells of its run, under the id by which the conversation knows it. */
export type ToolRan = (toolCallId: string, run: ToolRun) => void;

export interface AgentToolsParts {
  run: ToolRunParts;
  log: Log;
}

/** The tools that the account gave the agent of a call. */
export const agentTools = ({ run, log }: AgentToolsParts, order: DialOrder, ran: ToolRan): VoiceTool[] =>
  order.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    timeoutMs: runLimitMs(tool) + SLACK_MS,
    run: async (args, { toolCallId, signal }) => {
      try {
        const ended = await runTool(run, tool, args, { ...contextOf(order), toolCallId }, signal);
        ran(toolCallId, ended);
        return ended.result;
      } catch (err) {
        log.error({ err, call_id: order.id, tool_id: tool.id }, 'a tool of an agent could not be run');
        throw err;
      }
    },
  }));

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

/** What an event says of the run besides the result: which invocation it was, and what became of its actions. */
export const ranData = ({ invocationId, ok, actions }: ToolRun): Record<string, unknown> => ({
  ok,
  invocation_id: invocationId,
  actions: actions.map(({ latencyMs, ...action }) => ({ ...action, latency_ms: latencyMs })),
});
