import type { Log } from '@app/common';
import { type AgentTool, type InvocationContext, runLimitMs, type ToolRun, type ToolRunner } from '@app/tools';
import { ToolFailed, invalidArguments, type VoiceTool } from '@app/voice';

/** Beyond the time of its actions: to look up what it takes, and to write down that it ran. */
const SLACK_MS = 5_000;

/** What the call of a tool tells of its run, under the id by which the conversation knows it. */
export type ToolRan = (toolCallId: string, run: ToolRun) => void;

export interface AgentToolParts {
  runner: Pick<ToolRunner, 'run'>;
  log: Pick<Log, 'error'>;
}

/** A tool that the account gave an agent, in one conversation: its actions are run. */
export const agentTool = (
  { runner, log }: AgentToolParts,
  tool: AgentTool,
  conversation: Omit<InvocationContext, 'toolCallId'>,
  ran: ToolRan,
): VoiceTool => ({
  name: tool.name,
  description: tool.description,
  parameters: tool.parameters,
  timeoutMs: runLimitMs(tool) + SLACK_MS,
  checksArguments: true,
  run: async (args, { toolCallId, signal }) => {
    try {
      const ended = await runner.run(tool, args, { ...conversation, toolCallId }, signal);
      ran(toolCallId, ended);
      if (ended.problems) throw invalidArguments(ended.problems);
      return ended.result;
    } catch (err) {
      if (err instanceof ToolFailed) throw err;
      log.error({ err, call_id: conversation.call?.id, tool_id: tool.id }, 'a tool of an agent could not be run');
      throw err;
    }
  },
});

/** What is told of the run besides the result: which invocation it was, and what became of its actions. */
export const ranData = ({ invocationId, ok, actions }: ToolRun) => ({
  ok,
  invocation_id: invocationId,
  actions: actions.map(({ latencyMs, ...action }) => ({ ...action, latency_ms: latencyMs })),
});
