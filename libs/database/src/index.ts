export { Batches } from './batches.js';
export { dataSourceOptions } from './data-source-options.js';
export { DatabaseModule } from './database.module.js';
export { Database, type EntityTransaction } from './database.js';
export {
  FEATURE_NOT_SUPPORTED,
  FOREIGN_KEY_VIOLATION,
  faultOf,
  hasCode,
  INSUFFICIENT_PRIVILEGE,
  NOT_NULL_VIOLATION,
  UNDEFINED_FILE,
  UNDEFINED_OBJECT,
  UNIQUE_VIOLATION,
} from './error-codes.js';
export {
  type IdempotencyKey,
  idempotencyKey,
  IdempotencyRepository,
  type KeptAnswer,
  keptAnswerJoin,
  keyedCte,
  replayedAnswer,
} from './idempotency.repository.js';
export { INVARIANT_NAMES, type InvariantName, INVARIANTS, InvariantsRepository } from './invariants.repository.js';
export { InstallationRepository, keepKeyFingerprint } from './installation.repository.js';
export { LeaderLeaseRepository } from './leader-lease.repository.js';
export {
  type Condition,
  ConditionWriter,
  countQuery,
  cursorAt,
  entityPage,
  firstPageQuery,
  type ListCursor,
  type Listed,
  type ListedTable,
  type ListPage,
  type ListSlice,
  ListTotals,
  ofCall,
  pageOf,
  readCursor,
  sliceOf,
  sliceQuery,
  writeCursor,
} from './list-query.js';
export { migrate } from './migrate.js';
export { loadMigrations, migrationFiles } from './migration-files.js';
export { isMissingPrivilege, missingPrivileges, type Privileges } from './privileges.repository.js';
export { MAX_COUNTED, type QueueLength, queueLength } from './queue-length.js';
export { type PathTable, RecordExistenceRepository, type RecordPlace } from './record-existence.repository.js';
export {
  containing,
  inTransaction,
  pgJson,
  pgText,
  poolOf,
  type Query,
  rows,
  type Sql,
  type Statement,
} from './statement.js';
