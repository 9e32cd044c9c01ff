import { endExpiredCalls, endLostCalls, linksOf } from '@app/calls';
import { type Encryption, runPeriodically, VERSION, type Env, type Log } from '@app/common';
import { metrics } from '@app/metrics';
import type { Egress } from '@app/egress';
import { BacklogRepository, type Database, InvariantsRepository, recountStorage } from '@app/database';
import { openVectors, type Ingest } from '@app/knowledge';
import { REMOVE_PARTS_MS, type Storage } from '@app/storage';
import type { ToolInvocationsService } from '@app/tools';
import { WebhookDispatcher } from '@app/webhooks';
import { purgeExpiredRows } from './expired-rows.js';
import { removeAllLeftParts } from './left-parts.js';
import { openIngest } from './open-ingest.js';
import { deleteExpired } from './retention.js';
import { watchDatabase } from './watch.js';
import { watchStorage } from './watch-storage.js';

export interface OpenWorker {
  dispatcher: WebhookDispatcher;
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
}

/** Opens the dispatcher and the document pipeline of a worker process. These two are not started yet. */
export async function openWorker(resources: WorkerResources): Promise<OpenWorker> {
  const { env, log, owner, encryption, egress, storage } = resources;
  const { pool } = resources.database;
  const [invariants, backlog] = [
    new InvariantsRepository(resources.database),
    new BacklogRepository(resources.database),
  ];
  const dispatcher = new WebhookDispatcher({
    pool,
    encryption,
    egress,
    log,
    owner,
    agent: `Trunkline/${VERSION}`,
    metrics,
  });
  const vectors = await openVectors({ env, pool, log, owner });
  const documents = openIngest({ env, pool, storage, egress, log, owner, vectors });
  const links = linksOf(env, encryption);
  watchStorage(env);
  await removeAllLeftParts(env);
  const repeating = [
    runPeriodically(
      PURGE_MS,
      () => purgeExpiredRows({ sql: pool, invocations: resources.invocations }, env.AUDIT_DAYS),
      log,
    ),
    runPeriodically(PURGE_MS, () => deleteExpired({ pool, storage, log, owner }), log),
    runPeriodically(PURGE_MS, () => recountStorage(pool), log),
    runPeriodically(SWEEP_MS, () => endLostCalls(pool, links, log), log),
    runPeriodically(SLOW_SWEEP_MS, () => endExpiredCalls(pool, links, log), log),
    runPeriodically(SLOW_SWEEP_MS, () => endAbandonedInvocations(resources.invocations, log), log),
    runPeriodically(REMOVE_PARTS_MS, () => removeAllLeftParts(env), log),
    runPeriodically(WATCH_MS, () => watchDatabase(invariants, backlog, log), log),
  ];
  return {
    dispatcher,
    ingest: documents.ingest,
    close: async () => {
      await Promise.all([documents.close(), dispatcher.stop()]);
      await Promise.all([vectors?.close(), ...repeating.map((task) => task.stop())]);
    },
  };
}

async function endAbandonedInvocations(invocations: ToolInvocationsService, log: Log): Promise<void> {
  const ended = await invocations.endAbandoned();
  if (ended.length > 0) log.warn({ invocations: ended }, 'tool invocations that a lost process had left were ended');
}
