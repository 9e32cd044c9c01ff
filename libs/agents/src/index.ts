export { AgentFlowsService, wantedAgent } from './agent-flows.service.js';
export { agentsIn, type GivenFlow, resolveAgents } from './schemas/flow-schema.js';
export { AgentChangesService, type Publisher } from './agent-changes.service.js';
export { AgentDeletionService } from './agent-deletion.service.js';
export { AgentLookupsModule } from './agent-lookups.module.js';
export { AgentLookupsService } from './agent-lookups.service.js';
export { AGENT_WEBHOOKS, type AgentWebhook, AgentTestWebhooksService } from './agent-test-webhooks.service.js';
export {
  AgentEntity,
  type StoredAnsweringMachine,
  type StoredConversation,
  type StoredDigitInput,
  type StoredPreCallWebhook,
  type StoredProviderOptions,
  type StoredGuardrail,
  type StoredRecordingConsent,
} from './agent.entity.js';
export {
  type AgentSettingsView,
  agentSettingsView,
  type AgentView,
  type AgentWebhookView,
  type ScenarioView,
  type VersionView,
  type VersionWithSettingsView,
} from './agent.presenter.js';
export { AgentsModule } from './agents.module.js';
export { AgentsRepository, type NamedAgent } from './agents.repository.js';
export { type AgentSettings, AgentsService, type AgentSummaryView, type SavedAgent } from './agents.service.js';
export { VendorCatalogModule } from './catalog/vendor-catalog.module.js';
export { type Catalog, CATALOG_STATUSES, VendorCatalogService } from './catalog/vendor-catalog.service.js';
export { CATALOG_VENDORS, type CatalogVendor, MODEL_USES, type ModelUse } from './catalog/vendor-lists.js';
export {
  analysisAnswerSchema,
  type AnalysisSettings,
  RUBRIC_TYPES,
  rubricAnswerSchema,
  type RubricQuestion,
} from './domain/analysis-settings.js';
export { withOverrides } from './domain/call-overrides.js';
export { templateProblem } from './domain/placeholders.js';
export { NONE_PASSED, type PendingPublication, ScenariosRequired } from './domain/required-scenarios.js';
export { changedValues } from './domain/templates.js';
export {
  DEFAULT_ACCEPT_SECONDS,
  type StoredTransferDestination,
  type StoredTransferOptions,
  TRANSFER_BRIEFINGS,
  TRANSFER_MODES,
  type TransferMode,
} from './domain/transfer-settings.js';
export {
  type CallValues,
  MAX_VALUE_LENGTH,
  MAX_VARIABLES,
  valueFault,
  valueProblem,
  valueProblems,
  type VariableDeclaration,
  variableFaults,
  variablesProblems,
  type VariableValue,
} from './domain/variables.js';
export { unmaskHeaders } from './schemas/agent-request.js';
export {
  agent,
  type AgentNode,
  agentOverrides,
  type AgentOverrides,
  agentOverridesSchema,
  agentRequest,
  draftChange,
  readAgentOverrides,
} from './schemas/agent-schema.js';
export { agentSettings, settingFaults } from './schemas/agent-settings.js';
export { analysisChange, readAnalysis } from './schemas/analysis-schema.js';
export { findScriptProblems } from './script-problems.js';
export {
  type AgentProviderSettings,
  type AgentWarning,
  agentWarnings,
  providerProblems,
} from './session/agent-warnings.js';
export { agentTool, type OnToolRun, toolRunData } from './session/agent-tool.js';
export { knowledgeTool, type SearchKnowledge } from './session/knowledge-tool.js';
export {
  consentSettings,
  guardrailSettings,
  conversationSettings,
  digitSettings,
  providerChain,
  systemPrompt,
} from './session/session-settings.js';
export {
  type AgentPreview,
  AgentPreviewService,
  type PreviewRequest,
  renderAgent,
  requireValues,
} from './texts/agent-preview.service.js';
export { type ModelSummary, SummaryModelService } from './texts/summary-model.service.js';
export { type TextModelChoice, TextModelFailed, TextModelsService } from './texts/text-models.service.js';
export { VERSION_STATES, type VersionState } from './versions/agent-version.entity.js';
export { AgentVersionsService, type VersionOfAgent } from './versions/agent-versions.service.js';
export { PolicyJudgeService } from './texts/policy-judge.service.js';
export { disclosureFor, hasDisclosure, numberIn, type StoredDisclosure } from './domain/disclosure.js';
export type { AgentDisclosure } from './agent-lookups.repository.js';
