export { ActionSenderService, type Attempt } from './action-sender.service.js';
export { encryptActionHeaders } from './domain/action-headers.js';
export {
  ACTION_NAME_LENGTH,
  ACTIONS_PER_TOOL,
  DEFAULT_TIMEOUT_SECONDS,
  DESCRIPTION_LENGTH,
  MAX_TIMEOUT_SECONDS,
  MIN_TIMEOUT_SECONDS,
  PAYLOAD_BYTES,
  QUERY_PARAMS,
  RESERVED_NAMES,
  TOOL_NAME,
} from './domain/limits.js';
export {
  MCP_SERVER_NAME,
  MCP_SERVER_STATES,
  MCP_TOOL_NAME_LENGTH,
  MCP_TOOLS_PER_SERVER,
  type McpServerState,
} from './domain/mcp-tools.js';
export {
  ACTION_METHODS,
  type ActionError,
  type ActionMethod,
  type ActionOutcome,
  type AgentTool,
  type Assignment,
  type ConfirmationEvidence,
  type ConversationVariables,
  type GivenHeader,
  type InvocationContext,
  type NewAction,
  type NewTool,
  NO_PARAMETERS,
  type QueryValue,
  type ToolChanges,
  type ToolRun,
} from './domain/tool.js';
export { assignmentsOf, assignmentsIn, isFailure, resultForModel, valuesOf } from './domain/assignment.js';
export {
  callbackHash,
  MAX_NOTES,
  REPORT_STATUSES,
  REPORT_TEXT_LENGTH,
  reportProblems,
  resultOfReport,
  type ToolReport,
} from './domain/tool-callback.js';
export { ToolCallbacksModule } from './tool-callbacks.module.js';
export { type CallbackRow, ToolCallbacksRepository } from './tool-callbacks.repository.js';
export { MemoryVariables } from './domain/conversation-variables.js';
export {
  assignProblems,
  type ToolBehaviour,
  behaviourOf,
  DEFAULT_BEHAVIOUR,
  DEFAULT_EVERY_SECONDS,
  MAX_ASSIGNED,
  MAX_WAIT_SECONDS,
  MIN_EVERY_SECONDS,
  PHRASE_LENGTH,
  type Phrases,
  PHRASES_PER_FIELD,
  phrasesProblems,
  type SayWhileWaiting,
  TOOL_MODES,
  type ToolMode,
  waitingOf,
  waitingProblems,
} from './domain/tool-behaviour.js';
export { encryptMcpHeaders } from './mcp/mcp-headers.js';
export { McpRefreshService } from './mcp/mcp-refresh.service.js';
export type { McpServerChanges, NewMcpServer } from './mcp/mcp-server-check.service.js';
export {
  type CheckedServerList,
  type ExportedServerList,
  McpServerListsService,
} from './mcp/mcp-server-lists.service.js';
export { McpServersService } from './mcp/mcp-servers.service.js';
export type { McpServerView } from './presenters/mcp-server.presenter.js';
export { type ListedInvocationView, listedInvocationView, type ToolView } from './presenters/tool.presenter.js';
export { INVOCATION_STATES, type InvocationFilter, type InvocationState } from './tool-invocations.repository.js';
export { ToolInvocationsService } from './tool-invocations.service.js';
export { runLimitMs, ToolRunnerService } from './tool-runner.service.js';
export { ToolsModule } from './tools.module.js';
export { ToolsService } from './tools.service.js';
