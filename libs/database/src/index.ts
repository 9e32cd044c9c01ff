export { type Backlog, BacklogRepository } from './backlog.repository.js';
export { dataSourceOptions } from './data-source-options.js';
export { DatabaseModule } from './database.module.js';
export { type EntityTransaction, Database } from './database.js';
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
export { INVARIANTS, type InvariantName, INVARIANT_NAMES, InvariantsRepository } from './invariants.repository.js';
export { takeLeaderLease } from './leader-lease.repository.js';
export { type ListCursor, writeCursor, readCursor } from './list-cursor.js';
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
export { migrate } from './migrate.js';
export { pgText, pgJson } from './pg-json.js';
export { quickRows } from './pipeline.js';
export { isMissingPrivilege, type Privileges, missingPrivileges } from './privileges.repository.js';
export { type PathTable, type RecordPlace, RecordExistenceRepository } from './record-existence.repository.js';
export { type Statement, type Query, type Sql, rows, poolOf, inTransaction, containing } from './statement.js';
export type { StoredWebhook } from './stored-webhook.js';
