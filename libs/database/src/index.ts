export * from './audit.js';
export * from './audit-log.js';
export * from './data-source-options.js';
export { Database, type EntityTransaction } from './database.js';
export { DatabaseModule } from './database.module.js';
export * from './idempotency.js';
export * from './list-condition.js';
export * from './list-cursor.js';
export * from './list-rows.js';
export * from './list-totals.js';
export * from './migrate.js';
export { quickRows } from './pipeline.js';
export { isMissingPrivilege, missingPrivileges, type Privileges } from './privileges.js';
export { type PathTable, recordExists, type RecordPlace } from './record-exists.js';
export * from './statement.js';
export { pgJson, pgText } from './pg-json.js';
export * from './entities/account.entity.js';
export * from './entities/agent.entity.js';
export * from './entities/api-token.entity.js';
export * from './entities/phone-number.entity.js';
export * from './entities/sip-trunk.entity.js';
export * from './backlog.js';
export * from './leader-lease.js';
export * from './invariants.js';
export {
  heldStorageProblem,
  nearlyFullAccounts,
  recountStorage,
  storageProblem,
  storageProblemOf,
} from './storage-quota.js';
