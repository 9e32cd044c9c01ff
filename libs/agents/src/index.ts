export { type AgentPreview, AgentPreviewService, type PreviewRequest, renderedAgent } from './agent-preview.service.js';
export { AgentManagementModule } from './agent-management.module.js';
export { AgentManagement } from './agent-management.service.js';
export { agentTool, toolRunData, type OnToolRun } from './agent-tool.js';
export { AgentsModule } from './agents.module.js';
export { withOverrides } from './domain/call-overrides.js';
export {
  consentSettings,
  conversationSettings,
  digitSettings,
  providerChain,
  systemPrompt,
} from './session-settings.js';
export { knowledgeTool, type SearchKnowledge } from './knowledge-tool.js';
export { PRICE_BOOK } from './price-book.js';
export {
  explaining,
  failuresOf,
  isEnough,
  type RepeatedSimulation,
  RepeatedSimulations,
} from './repeated-simulations.service.js';
export { RequiredScenarios } from './required-scenarios.service.js';
export { NoTextMode } from './simulated-agents.service.js';
export { SimulationsModule } from './simulations.module.js';
export { TestCallsModule } from './testers/test-calls.module.js';
export {
  ChannelUnavailable,
  type ChargedSimulation,
  SpendLimitReached,
  type TestedAgent,
} from './simulations.service.js';
export { SummaryModel, type ModelSummary } from './summary-model.service.js';
export { TextModeProviders } from './text-mode-providers.service.js';
export { changedValues } from './domain/templates.js';
