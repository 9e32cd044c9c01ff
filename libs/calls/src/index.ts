export { costOf, type PriceBook } from './billing/bill.js';
export { DailySpendModule, PriceBookModule } from './billing/billing.module.js';
export { type Bill, billOf, type ChargedLeg, chargedLegs, microsPerSecond, toolUsage } from './billing/call-bill.js';
export { DailySpendService } from './billing/daily-spend.service.js';
export { spendProblem } from './billing/daily-spend.js';
export { SpendReservationsService } from './billing/spend-reservations.service.js';
export { PRICE_BOOK, readPriceBook } from './billing/price-book.js';
export { CallCancellationService } from './call-cancellation.service.js';
export { callReferencesQuery, createCallsQuery } from './call-creation.repository.js';
export { CallCreationService, newCallRows, newCalls } from './call-creation.service.js';
export { CALL_LIST, type CallFilter, callListCondition } from './call-list.repository.js';
export { type CallRow, REQUESTED_DEFAULTS } from './call.entity.js';
export { CallsModule } from './calls.module.js';
export { FIND_CALL_WITH_RESULTS } from './calls.repository.js';
export { CallsService } from './calls.service.js';
export {
  type CampaignCallReferences,
  type CampaignCalls,
  CampaignCallsService,
  DISCLOSURE_FIELD,
} from './campaign-calls.service.js';
export type { PendingCommand } from './commands/call-commands.repository.js';
export { ToolReportsService } from './tool-reports.service.js';
export { CallCommandsService } from './commands/call-commands.service.js';
export { DialChecksService } from './compliance/dial-checks.service.js';
export {
  DoNotCallImportService,
  type EntriesPreview,
  type ImportReport,
} from './compliance/do-not-call-import.service.js';
export type { EntryFilter } from './compliance/do-not-call.repository.js';
export { type CheckView, DoNotCallService, type EntryView, entryView } from './compliance/do-not-call.service.js';
export {
  type ContactLimits,
  contactOpenness,
  contactRefusal,
  nextDialTime,
} from './compliance/domain/contact-limits.js';
export {
  type DoNotCallEntry,
  ENTRY_SOURCES,
  type EntrySource,
  MAX_REASON_LENGTH,
  readNumber,
} from './compliance/domain/do-not-call.js';
export { CallFactsModule } from './events/call-facts.module.js';
export type { AnsweredCall, EventFacts, FoundTurn } from './events/call-facts.repository.js';
export { CallFactsService } from './events/call-facts.service.js';
export { CallDiagnosticsService } from './diagnostics/call-diagnostics.service.js';
export type {
  EvidenceBatch,
  LegRecord,
  RepeatRecord,
  SipMessageRecord,
} from './diagnostics/call-evidence.repository.js';
export { ladderText } from './diagnostics/domain/sip-ladder.js';
export { settingsByVersion } from './domain/agent-version.js';
export {
  COMMAND_STATUSES,
  COMMAND_TYPES,
  QUEUED_TYPES,
  commandFieldErrors,
  type CommandInput,
  type CommandOutcome,
  type CommandType,
  MAX_COMMAND_DIGITS,
  MAX_NOTE,
  MAX_SAY_TEXT,
  MAX_SET_VARIABLES,
  SAY_WHEN,
} from './domain/call-command.js';
export { flowValues } from './domain/call-flow.js';
export { type CallFailure, callFailure } from './domain/call-failure.js';
export { answerParts, type AnswerParts, type CallMeasures, type ConversationMeasures } from './domain/call-measures.js';
export { dialTime, type RequestedSchedule } from './domain/call-schedule.js';
export { effectiveTransfer, storedOverrides, type WebhookOverride } from './domain/call-settings.js';
export { ACTIVE_STATUSES } from './domain/call-state.js';
export {
  ANSWER_RESULTS,
  ANSWERED_BY,
  type AnsweredBy,
  CALL_CHANNELS,
  type CallChannel,
  CALL_DIRECTIONS,
  CALL_ENDED_BY,
  CALL_STATUSES,
  type CallDirection,
  type CallEndedBy,
  type CallSchedule,
  type CallSettings,
  type CallStatus,
  CONSENT_RESULTS,
  GUARDRAIL_ACTIONS,
  GUARDRAIL_SIDES,
  type CostLine,
  type OwnedCall,
  type PreCallOutcome,
  TRANSFER_STATUSES,
  type TransferRecord,
  type TransferSettings,
} from './domain/call.js';
export type { DialDecision, PlannedCall } from './domain/claim-plan.js';
export {
  type CalledDestination,
  type CallReferences,
  type CreateCallsCommand,
  MAX_METADATA_BYTES,
} from './domain/create-calls-command.js';
export { destinationKind, type ParsedDestination, parseDestination } from './domain/destination.js';
export {
  chosenAgentOf,
  InvalidPreCallAnswer,
  type PreCallAnswer,
  readPreCallAnswer,
} from './domain/pre-call-answer.js';
export { readInboundHeaders } from './domain/inbound-headers.js';
export {
  acceptanceIn,
  DECLINED_REASONS,
  nextTransferStep,
  type TransferEvent,
  transferPhrases,
  type TransferResult,
  type TransferStage,
} from './domain/warm-transfer.js';
export { CallEventPollerService, type CallWatcher, type Watching } from './events/call-event-poller.service.js';
export type { NewCallEvent, TranscribedCall } from './events/call-events.repository.js';
export { CallEventsService } from './events/call-events.service.js';
export type { RunningTurn } from './events/call-words.repository.js';
export { LiveCallsService } from './listening/live-calls.service.js';
export { CallWordsService } from './events/call-words.service.js';
export type { CallFlowView } from './presenters/call-flow.presenter.js';
export { CALL_EVENT_TYPES, type CallEventView } from './presenters/call-event.presenter.js';
export type { MeasuresView } from './presenters/call-measures.presenter.js';
export {
  type CallView,
  callView,
  type CallWithResults,
  type CallWithResultsView,
  callWithResultsView,
  knowledgeSearches,
  preCallBody,
  toolCallView,
  type TranscriptTurn,
} from './presenters/call.presenter.js';
export { diagnosticsView, mediaQuality } from './presenters/diagnostics.presenter.js';
export type { CallEventField, CallEventType } from './presenters/waiting-events.js';
export { analyticsInsert, analyticsRecount } from './progress/analytics-row.repository.js';
export type { StoredCallContext, TransferContext } from './progress/call-context.repository.js';
export type { CallEnding, EndedCall } from './progress/call-end.repository.js';
export type { ChosenAgent, PreCallResult } from './progress/call-progress.repository.js';
export { CallProgressService } from './progress/call-progress.service.js';
export { type CallBacklog, CallBacklogRepository } from './queue/call-backlog.repository.js';
export { CallClaimsService, type CalledNumber } from './queue/call-claims.service.js';
export { CallReleaseService } from './queue/call-release.service.js';
export { DialerProvidersService } from './queue/dialer-providers.service.js';
export { DialersRepository } from './queue/dialers.repository.js';
export { DialersService } from './queue/dialers.service.js';
export type { LiveCall } from './queue/overdue-calls.repository.js';
export { type CallerTurn, WaitingCallersService } from './queue/waiting-callers.service.js';
export { CallLinksService } from './recordings/call-links.service.js';
export { CallRetentionService } from './recordings/call-retention.service.js';
export { RecordingFilesRepository } from './recordings/recording-files.repository.js';
export { RecordingsService } from './recordings/recordings.service.js';
export { TranscriptsService } from './recordings/transcripts.service.js';
export { WebhookReplaysService } from './webhook-replays.service.js';
export { type WebCallCommand } from './domain/web-call-command.js';
export { NotConnectable, type PageOfKey, WebCallsService, WebKeyLimit } from './web-calls/web-calls.service.js';
export { newWebKey } from './web-calls/web-key-schema.js';
export type { LiveWebKey } from './web-calls/web-keys.repository.js';
export { isWebKey, WebKeysService, type WebKeyView } from './web-calls/web-keys.service.js';
export { type GuardrailCount, GuardrailHitsRepository } from './events/guardrail-hits.repository.js';
