import type { Log } from '@app/common';
import { type AgentTool, type InvocationContext, runLimitMs, type ToolRun, type ToolRunnerService } from '@app/tools';
import { ToolFailed, invalidArguments, type VoiceTool } from '@app/voice';

/** Time in addition to that of the actions: for database reads before, and for the record afterwards. */
const SLACK_MS = 5_000;

/** Receives the run of a tool call with the conversation's id of the call. */
export type OnToolRun = (toolCallId: string, run: ToolRun) => void;

interface AgentToolRuntime {
  runner: Pick<ToolRunnerService, 'run'>;
  log: Pick<Log, 'error'>;
}

/** A tool of an agent's account for one conversation; calling it runs its actions. */
export const agentTool = (
  { runner, log }: AgentToolRuntime,
  tool: AgentTool,
  conversation: Omit<InvocationContext, 'toolCallId'>,
  onRun: OnToolRun,
): VoiceTool => ({
  name: tool.name,
  description: tool.description,
  parameters: tool.parameters,
  timeoutMs: runLimitMs(tool) + SLACK_MS,
  checksArguments: true,
  run: async (args, { toolCallId, signal }) => {
    try {
      const ended = await runner.run(tool, args, { ...conversation, toolCallId }, signal);
      onRun(toolCallId, ended);
      if (ended.problems) throw invalidArguments(ended.problems);
      return ended.result;
    } catch (err) {
      if (err instanceof ToolFailed) throw err;
      log.error({ err, call_id: conversation.call?.id, tool_id: tool.id }, 'a tool of an agent could not be run');
      throw err;
    }
  },
});

/** The fields of a run that events report besides the result: the invocation and the outcomes of its actions. */
export const toolRunData = ({ invocationId, ok, actions }: ToolRun) => ({
  ok,
  invocation_id: invocationId,
  actions: actions.map(({ latencyMs, ...action }) => ({ ...action, latency_ms: latencyMs })),
});
