export {
  type Actor,
  type Acting,
  THE_SERVICE,
  type AuditAction,
  writeAudit,
  agentNotes,
  actorValues,
  auditCte,
} from './audit.js';
export { type AuditFilter, type AuditEventView, pageOfAudit, purgeOldAudit } from './audit-log.js';
export { dataSourceOptions } from './data-source-options.js';
export { Database, type EntityTransaction } from './database.js';
export { DatabaseModule } from './database.module.js';
export {
  type IdempotencyKey,
  idempotencyKey,
  type KeptAnswer,
  replayedAnswer,
  keyedCte,
  keptAnswerJoin,
  findKeptAnswer,
  keepAnswer,
  forgetIdempotencyKeys,
} from './idempotency.repository.js';
export {
  type Condition,
  ConditionWriter,
  ofCall,
  type ListedTable,
  type ListPage,
  type ListSlice,
  type Listed,
  pageOf,
  firstPageQuery,
  sliceOf,
  sliceQuery,
  cursorAt,
  ListTotals,
  countQuery,
} from './list-query.js';
export { type ListCursor, writeCursor, readCursor } from './list-cursor.js';
export { migrate } from './migrate.js';
export { quickRows } from './pipeline.js';
export { isMissingPrivilege, missingPrivileges, type Privileges } from './privileges.repository.js';
export { type PathTable, recordExists, type RecordPlace } from './record-exists.js';
export { type Query, type Sql, type Statement, rows, poolOf, inTransaction, containing } from './statement.js';
export { pgJson, pgText } from './pg-json.js';
export { AccountEntity } from './entities/account.entity.js';
export {
  type StoredWebhook,
  type StoredAnsweringMachine,
  type StoredConversation,
  type StoredTurnDetection,
  type StoredProviderChoice,
  type StoredProviderOptions,
  AgentEntity,
} from './entities/agent.entity.js';
export { ApiTokenEntity } from './entities/api-token.entity.js';
export {
  CallEntity,
  CALL_STATUSES,
  type CallStatus,
  CALL_DIRECTIONS,
  type CallDirection,
  CALL_ENDED_BY,
  type CallEndedBy,
  ANSWERED_BY,
  type AnsweredBy,
  type CallSettings,
} from './entities/call.entity.js';
export { PhoneNumberEntity } from './entities/phone-number.entity.js';
export {
  TRUNK_TRANSPORTS,
  type TrunkTransport,
  SRTP_POLICIES,
  TRANSFER_METHODS,
  type StoredTarget,
  type StoredDialFormats,
  SipTrunkEntity,
} from './entities/sip-trunk.entity.js';
export { WebhookSecretEntity } from './entities/webhook-secret.entity.js';
export { type Backlog, BacklogRepository } from './backlog.repository.js';
export { takeLeaderLease } from './leader-lease.repository.js';
export { INVARIANTS, type InvariantName, INVARIANT_NAMES, InvariantsRepository } from './invariants.repository.js';
export {
  heldStorageProblem,
  nearlyFullAccounts,
  recountStorage,
  storageProblem,
  storageProblemOf,
} from './storage-quota.js';
