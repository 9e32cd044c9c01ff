export { AgentManagementModule } from './agent-management.module.js';
export { AgentManagement } from './agent-management.service.js';
export { type AgentPreview, AgentPreviewService, type PreviewRequest, renderedAgent } from './agent-preview.service.js';
export { agentTool, type OnToolRun, toolRunData } from './agent-tool.js';
export { AgentsModule } from './agents.module.js';
export { withOverrides } from './domain/call-overrides.js';
export { changedValues } from './domain/templates.js';
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
export {
  consentSettings,
  conversationSettings,
  digitSettings,
  providerChain,
  systemPrompt,
} from './session-settings.js';
export { NoTextMode } from './simulated-agents.service.js';
export { SimulationsModule } from './simulations.module.js';
export {
  ChannelUnavailable,
  type ChargedSimulation,
  SpendLimitReached,
  type TestedAgent,
} from './simulations.service.js';
export { type ModelSummary, SummaryModel } from './summary-model.service.js';
export { TestCallsModule } from './testers/test-calls.module.js';
export { TextModeProviders } from './text-mode-providers.service.js';
