export { type ActionHeader, MASK, decryptActionHeaders, encryptActionHeaders } from './domain/action-headers.js';
export {
  type ActionError,
  type ActionErrorCode,
  type ActionOutcome,
  type InvocationContext,
  type InvocationSource,
  type InvokedCall,
  type ToolRun,
} from './domain/invocation.js';
export * from './domain/limits.js';
export {
  type GivenHeader,
  headersOf,
  type NewAction,
  type NewTool,
  NO_PARAMETERS,
  type ToolChanges,
} from './domain/new-tool.js';
export { PLACEHOLDER, type Placeholder, placeholderOf } from './domain/placeholders.js';
export { argumentProblems } from './domain/schema/argument-problems.js';
export { schemaProblems } from './domain/schema/schema-problems.js';
export * from './domain/tool.js';
export * from './presenters/tool-invocation.presenter.js';
export { type ToolView } from './presenters/tool.presenter.js';
export {
  INVOCATION_LIST,
  INVOCATION_STATES,
  invocationCondition,
  type InvocationFilter,
  type InvocationState,
  type ListedInvocationRow,
} from './tool-invocations.repository.js';
export { ToolInvocationsService } from './tool-invocations.service.js';
export { runLimitMs, ToolRunner } from './tool-runner.service.js';
export { ToolsModule } from './tools.module.js';
export { type ToolFilter } from './tools.repository.js';
export { type CreatedTool, ToolsService } from './tools.service.js';
