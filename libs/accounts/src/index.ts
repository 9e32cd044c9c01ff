export { DailySpendService, StorageQuotaService } from './account-limits.service.js';
export { AccountsModule, AgentRecordsModule, WorkspaceModule } from './accounts.module.js';
export type { FirstCallRecords } from './accounts.repository.js';
export type { AccountView } from './account.presenter.js';
export { AccountsService, OperatorNoticesService } from './accounts.service.js';
export {
  AgentEntity,
  type StoredPreCallWebhook,
  type StoredAnsweringMachine,
  type StoredDigitInput,
  type StoredRecordingConsent,
  type StoredConversation,
  type StoredPipeline,
  type StoredProviderChoice,
  type StoredProviderOptions,
  type StoredTurnDetection,
} from './agents/agent.entity.js';
export type { AgentSettings, NamedAgent } from './agents/agents.repository.js';
export type { Publisher } from './agents/agent-changes.service.js';
export type { ScriptChecks } from './agents/agent-fields.service.js';
export { AgentRecordsService, type SavedAgent } from './agents/agent-records.service.js';
export { unmaskedHeaders } from './agents/agent-request.js';
export type { CheckTools, DeleteKnowledge } from './agents/agent-tools.js';
export { VERSION_STATES, type VersionState } from './agents/agent-version.entity.js';
export { AgentVersionsService, type SavedDraft, type VersionOfAgent } from './agents/agent-versions.service.js';
export type {
  AgentSettingsView,
  AgentView,
  AgentWebhookView,
  ScenarioView,
  VersionView,
  VersionWithSettingsView,
} from './agents/agent.presenter.js';
export { AgentsService, type AgentSummaryView } from './agents/agents.service.js';
export { NONE_PASSED, type PendingPublication, ScenariosRequired } from './agents/required-scenarios.js';
export { parseTemplate, type Placeholder, templateProblem } from './domain/placeholders.js';
export {
  type CallValues,
  hasValue,
  LONGEST_VALUE,
  MOST_VARIABLES,
  ownField,
  type VariableDeclaration,
  type VariableValue,
  valueOf,
  valueProblem,
  valueProblems,
  variablesProblems,
} from './domain/variables.js';
export {
  analysisAnswerSchema,
  type AnalysisSettings,
  RUBRIC_TYPES,
  rubricAnswerSchema,
  type RubricQuestion,
} from './domain/analysis-settings.js';
export { analysisChange, readAnalysis } from './workspace/analysis-schema.js';
export { readFields } from './domain/field-faults.js';
export { spendProblem } from './domain/account-limits.js';
export {
  destinationRefusal,
  dialledNumber,
  type DiallingTrunk,
  mayBeDialled,
  normaliseE164,
} from './domain/destination-policy.js';
export {
  LONGEST_QUEUE_WAIT_SECONDS,
  type NumberClosed,
  type NumberHours,
  type NumberQueue,
  QUEUE_TIMEOUT_ACTIONS,
} from './domain/number-front.js';
export { type Destination, parseDestination, type ParsedDestination } from './domain/parse-destination.js';
export { type KnownHost, routeOf, type SipRoute } from './domain/sip-route.js';
export { SipRoutesService } from './trunks/sip-routes.service.js';
export {
  DEFAULT_ACCEPT_SECONDS,
  type StoredTransferDestination,
  type StoredTransferOptions,
  TRANSFER_BRIEFINGS,
  TRANSFER_MODES,
  type TransferMode,
} from './domain/transfer-settings.js';
export { NumbersService, type NumberView } from './numbers/numbers.service.js';
export { PhoneNumberEntity } from './numbers/phone-number.entity.js';
export type { ActingTenant } from './records/account-records.service.js';
export { DIAL_TRUNK, type DialTrunk, type OpenTrunkSecret, trunkOf } from './trunks/dial-trunk.js';
export {
  SipTrunkEntity,
  SRTP_POLICIES,
  type StoredDialFormats,
  TRANSFER_METHODS,
  TRUNK_TRANSPORTS,
  type TrunkTransport,
} from './trunks/sip-trunk.entity.js';
export { REGISTRATION_STATES, type RegistrationState } from './trunks/sip-trunk.entity.js';
export { answeringTargets, HEALTH_STATES, type HealthState, nextHealth } from './trunks/trunk-health.js';
export { type Role, ROLES, signIn, type StoredSignIn, withoutSlash } from './sign-in/sign-in-schema.js';
export type { SignInRow } from './sign-in/sign-in-settings.repository.js';
export { SignInSettingsService, type SignInView } from './sign-in/sign-in-settings.service.js';
export { trunkView, type TrunkView } from './trunks/trunk.presenter.js';
export { type ClaimedHealthCheck, type InboundTrunk, TRUNK_LEG_COUNT } from './trunks/trunks.repository.js';
export {
  type ClaimedRegistration,
  type RegistrationResult,
  TrunkRegistrationsRepository,
} from './trunks/trunk-registrations.repository.js';
export { TrunkHealthService, type TrunkTestView } from './trunks/trunk-health.service.js';
export { TrunksService } from './trunks/trunks.service.js';
export {
  type AgentOverrides,
  agentRequestSchema,
  agentOverridesSchema,
  readAgentOverrides,
  readDeclarations,
  readTimeZone,
} from './workspace/agent-schema.js';
export { flag, list, name, node, report, text, whole } from './workspace/schema-types.js';
export { apiTrunk } from './workspace/trunk-schema.js';
export { newNumber } from './workspace/number-schema.js';
export { accountFields } from './workspace/workspace-schema.js';
export { WorkspaceExportService } from './workspace/workspace-export.service.js';
export { workspaceJsonSchema, workspaceReference } from './workspace/workspace-reference.js';
export { type WorkspaceReport, WorkspaceService, type WorkspaceTree } from './workspace/workspace.service.js';
