export * from './call-event-types.js';
export * from './call-event-view.js';
export * from './call-events.js';
export * from './call-filter.js';
export * from './call-links.js';
export * from './call-order.js';
export { type CallRules } from './call-order-problems.js';
export * from './call-references.js';
export { deleteExpiredRecordings, deleteExpiredTranscripts } from './call-retention.js';
export * from './call-row.js';
export * from './call-settings.js';
export * from './call-state.js';
export * from './call-view.js';
export { CallWatch, type CallWatcher, type Watching, type WatchEnd } from './call-watch.js';
export * from './cancel.js';
export * from './claim.js';
export * from './claim-plan.js';
export * from './create-calls.js';
export * from './delete-call.js';
export * from './destination.js';
export * from './diagnostics-view.js';
export * from './dialer-lease.js';
export { forgetSipMessages } from './evidence-retention.js';
export * from './find-call.js';
export { findDiagnostics, type Diagnostics } from './find-diagnostics.js';
export * from './finish.js';
export { knowledgeSearches, toolCallView } from './knowledge-searches.js';
export * from './list-calls.js';
export * from './page-of-events.js';
export * from './phone-number.js';
export * from './recording-files.js';
export { reserveSpend, type SpendPlan } from './reserve-spend.js';
export { ladderText } from './sip-ladder.js';
export { pcapOf } from './sip-pcap.js';
export * from './sweep-calls.js';
export * from './take-incoming.js';
export {
  findTranscript,
  findTranscriptOfAccount,
  orderOfTurns,
  type TranscribedCall,
  turnsInChunks,
} from './transcript.js';
export { recordTransfers, takeTransferLine, type TransferRecord } from './transfer.js';
export * from './transition.js';
export { WaitingLines } from './waiting-line.js';
export * from './write-evidence.js';
