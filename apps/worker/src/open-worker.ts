import type { CallRetentionService, DialersService } from '@app/calls';
import { type Encryption, runPeriodically, type Env, type Log } from '@app/common';
import type { Egress } from '@app/egress';
import { type Database, recountStorage } from '@app/database';
import { openVectors, type Ingest } from '@app/knowledge';
import { REMOVE_PARTS_MS, type Storage } from '@app/storage';
import type { ToolInvocationsService } from '@app/tools';
import type { WebhookDispatcher, WebhookRetentionService } from '@app/webhooks';
import { purgeExpiredRows } from './expired-rows.js';
import { removeAllLeftParts } from './left-parts.js';
import { openIngest } from './open-ingest.js';
import { deleteExpired } from './retention.js';
import { watchDatabase } from './watch.js';
import { watchStorage } from './watch-storage.js';

export interface OpenWorker {
  ingest: Ingest;
  /** Gives documents back and lets attempts under way finish (9 s at most), then gives leases back. */
  close(): Promise<void>;
}

const PURGE_MS = 60_000;
const SWEEP_MS = 2_000;
/** Of what lasts minutes or days. */
const SLOW_SWEEP_MS = 30_000;
const WATCH_MS = 15_000;

export interface WorkerResources {
  env: Env;
  log: Log;
  /** Names this process in leases; new at every start. */
  owner: string;
  database: Database;
  encryption: Encryption;
  egress: Egress;
  storage: Storage;
  invocations: ToolInvocationsService;
  calls: CallRetentionService;
  dialers: DialersService;
  dispatcher: WebhookDispatcher;
  webhooks: WebhookRetentionService;
}

/** Opens the document pipeline, which is not started yet, and the periodic work of a worker process. */
export async function openWorker(resources: WorkerResources): Promise<OpenWorker> {
  const { env, log, owner, egress, storage, invocations, calls, dialers, dispatcher, webhooks } = resources;
  const { pool } = resources.database;
  const vectors = await openVectors({ env, pool, log, owner });
  const documents = openIngest({ env, pool, storage, egress, log, owner, vectors });
  watchStorage(env);
  await removeAllLeftParts(env);
  const repeating = [
    runPeriodically(PURGE_MS, () => purgeExpiredRows({ sql: pool, calls, invocations, webhooks }, env.AUDIT_DAYS), log),
    runPeriodically(PURGE_MS, () => deleteExpired({ pool, calls, storage, webhooks, log, owner }), log),
    runPeriodically(PURGE_MS, () => recountStorage(pool), log),
    runPeriodically(SWEEP_MS, () => dialers.endLostCalls(), log),
    runPeriodically(SLOW_SWEEP_MS, () => dialers.endExpiredCalls(), log),
    runPeriodically(SLOW_SWEEP_MS, () => endAbandonedInvocations(invocations, log), log),
    runPeriodically(REMOVE_PARTS_MS, () => removeAllLeftParts(env), log),
    runPeriodically(WATCH_MS, () => watchDatabase(pool, log), log),
  ];
  return {
    ingest: documents.ingest,
    close: async () => {
      // Both drain for up to 9 s: together, before Nest destroys the modules one after the other.
      await Promise.all([documents.close(), dispatcher.stop()]);
      await Promise.all([vectors?.close(), ...repeating.map((task) => task.stop())]);
    },
  };
}

async function endAbandonedInvocations(invocations: ToolInvocationsService, log: Log): Promise<void> {
  const ended = await invocations.endAbandoned();
  if (ended.length > 0) log.warn({ invocations: ended }, 'tool invocations that a lost process had left were ended');
}
