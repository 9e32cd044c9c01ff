import { type AgentTool, type InvocationContext, runLimitMs, runTool, type ToolRunParts } from '@app/tools';
import type { VoiceTool } from './tool-box.js';

/** Beyond the time of its actions, for the record of it. */
const SLACK_MS = 2_000;

/** A tool that an operator defined, as a conversation uses it: its actions are run. */
export const agentTool = (
  parts: ToolRunParts,
  tool: AgentTool,
  conversation: Omit<InvocationContext, 'toolCallId'>,
): VoiceTool => ({
  name: tool.name,
  description: tool.description,
  parameters: tool.parameters,
  timeoutMs: runLimitMs(tool) + SLACK_MS,
  run: async (args, { toolCallId, signal }) =>
    (await runTool(parts, tool, args, { ...conversation, toolCallId }, signal)).result,
});
