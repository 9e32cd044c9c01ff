export { DailySpendService, StorageQuotaService } from './account-limits.service.js';
export type { AccountView } from './account.presenter.js';
export { AccountsModule, AgentRecordsModule, WorkspaceModule } from './accounts.module.js';
export type { FirstCallRecords } from './accounts.repository.js';
export { AccountsService, OperatorNoticesService } from './accounts.service.js';
export type { Publisher } from './agents/agent-changes.service.js';
export type { ScriptChecks } from './agents/agent-fields.service.js';
export { AgentRecordsService, type SavedAgent } from './agents/agent-records.service.js';
export { unmaskedHeaders } from './agents/agent-request.js';
export type { CheckTools, DeleteKnowledge } from './agents/agent-tools.js';
export { VERSION_STATES, type VersionState } from './agents/agent-version.entity.js';
export { AgentVersionsService, type SavedDraft, type VersionOfAgent } from './agents/agent-versions.service.js';
export type {
  StoredAnsweringMachine,
  StoredConversation,
  StoredDigitInput,
  StoredPipeline,
  StoredPreCallWebhook,
  StoredProviderChoice,
  StoredProviderOptions,
  StoredRecordingConsent,
  StoredTurnDetection,
} from './agents/agent.entity.js';
export type {
  AgentSettingsView,
  AgentView,
  AgentWebhookView,
  ScenarioView,
  VersionView,
  VersionWithSettingsView,
} from './agents/agent.presenter.js';
export type { AgentSettings, NamedAgent } from './agents/agents.repository.js';
export { AgentsService, type AgentSummaryView } from './agents/agents.service.js';
export { NONE_PASSED, type PendingPublication, ScenariosRequired } from './agents/required-scenarios.js';
export { spendProblem } from './domain/account-limits.js';
export {
  analysisAnswerSchema,
  type AnalysisSettings,
  RUBRIC_TYPES,
  rubricAnswerSchema,
  type RubricQuestion,
} from './domain/analysis-settings.js';
export {
  destinationRefusal,
  dialledNumber,
  type DiallingTrunk,
  mayBeDialled,
  normaliseE164,
} from './domain/destination-policy.js';
export { readFields } from './domain/field-faults.js';
export {
  LONGEST_QUEUE_WAIT_SECONDS,
  type NumberClosed,
  type NumberHours,
  type NumberQueue,
  QUEUE_TIMEOUT_ACTIONS,
} from './domain/number-front.js';
export { type Destination, type ParsedDestination, parseDestination } from './domain/parse-destination.js';
export { parseTemplate, type Placeholder, templateProblem } from './domain/placeholders.js';
export { type KnownHost, routeOf, type SipRoute } from './domain/sip-route.js';
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
  hasValue,
  LONGEST_VALUE,
  MOST_VARIABLES,
  ownField,
  valueOf,
  valueProblem,
  valueProblems,
  type VariableDeclaration,
  variablesProblems,
  type VariableValue,
} from './domain/variables.js';
export { NumbersService, type NumberView } from './numbers/numbers.service.js';
export type { ActingTenant } from './records/account-records.service.js';
export { type Role, ROLES, signIn, type StoredSignIn, withoutSlash } from './sign-in/sign-in-schema.js';
export type { SignInRow } from './sign-in/sign-in-settings.repository.js';
export { SignInSettingsService, type SignInView } from './sign-in/sign-in-settings.service.js';
export { DIAL_TRUNK, type DialTrunk, type OpenTrunkSecret, trunkOf } from './trunks/dial-trunk.js';
export { SipRoutesService } from './trunks/sip-routes.service.js';
export {
  REGISTRATION_STATES,
  type RegistrationState,
  SRTP_POLICIES,
  type StoredDialFormats,
  TRANSFER_METHODS,
  TRUNK_TRANSPORTS,
  type TrunkTransport,
} from './trunks/sip-trunk.entity.js';
export { TrunkHealthService, type TrunkTestView } from './trunks/trunk-health.service.js';
export { answeringTargets, HEALTH_STATES, type HealthState, nextHealth } from './trunks/trunk-health.js';
export {
  type ClaimedRegistration,
  type RegistrationResult,
  TrunkRegistrationsRepository,
} from './trunks/trunk-registrations.repository.js';
export { trunkView, type TrunkView } from './trunks/trunk.presenter.js';
export { type ClaimedHealthCheck, type InboundTrunk, TRUNK_LEG_COUNT } from './trunks/trunks.repository.js';
export { TrunksService } from './trunks/trunks.service.js';
export {
  type AgentOverrides,
  agentOverridesSchema,
  agentRequestSchema,
  readAgentOverrides,
  readDeclarations,
  readTimeZone,
} from './workspace/agent-schema.js';
export { analysisChange, readAnalysis } from './workspace/analysis-schema.js';
export { newNumber } from './workspace/number-schema.js';
export { flag, list, name, node, report, text, whole } from './workspace/schema-types.js';
export { apiTrunk } from './workspace/trunk-schema.js';
export { WorkspaceExportService } from './workspace/workspace-export.service.js';
export { workspaceJsonSchema, workspaceReference } from './workspace/workspace-reference.js';
export { accountFields } from './workspace/workspace-schema.js';
export { type WorkspaceReport, WorkspaceService, type WorkspaceTree } from './workspace/workspace.service.js';
