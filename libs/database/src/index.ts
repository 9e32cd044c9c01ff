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
  IdempotencyRepository,
} from './idempotency.repository.js';
export { INVARIANTS, type InvariantName, INVARIANT_NAMES, InvariantsRepository } from './invariants.repository.js';
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
export { quickRows } from './pipeline.js';
export { isMissingPrivilege, type Privileges, missingPrivileges } from './privileges.repository.js';
export { type PathTable, type RecordPlace, RecordExistenceRepository } from './record-existence.repository.js';
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
