import { endExpiredCalls, endLostCalls, linksOf } from '@app/calls';
import { every, databaseUrl, newId, sealOf, VERSION, type Env, type Log } from '@app/common';
import { metrics, watchPool } from '@app/metrics';
import { Egress, egressOptions } from '@app/egress';
import { dataSourceOptions, poolOf, recountStorage } from '@app/db';
import { openVectors, type Ingest } from '@app/knowledge';
import { openStorage, REMOVE_PARTS_MS } from '@app/storage';
import { endAbandonedInvocations } from '@app/tools';
import { WebhookDispatcher } from '@app/webhooks';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { purgeExpiredRows } from './expired-rows.js';
import { removeAllLeftParts } from './left-parts.js';
import { openIngest } from './open-ingest.js';
import { deleteExpired } from './retention.js';
import { watchDatabase } from './watch.js';
import { watchStorage } from './watch-storage.js';

export interface OpenWorker {
  /** Names this process in leases; new at every start. */
  owner: string;
  dispatcher: WebhookDispatcher;
  ingest: Ingest;
  reasonsNotReady: () => Promise<string[]>;
  /** Gives documents back and lets attempts under way finish (9 s at most), then gives leases, connections and sockets back. */
  close(): Promise<void>;
}

const PURGE_MS = 60_000;
const SWEEP_MS = 2_000;
/** Of what lasts minutes or days. */
const SLOW_SWEEP_MS = 30_000;
const WATCH_MS = 15_000;

/** Opens what a worker process owns: the database, the way out, the dispatcher and what processes documents. These two are not started yet. */
export async function openWorker(env: Env, log: Log): Promise<OpenWorker> {
  const seal = sealOf(env);
  const egress = new Egress(egressOptions(env));
  const dataSource = await new DataSource(dataSourceOptions(databaseUrl(env), env.DATABASE_POOL)).initialize();
  const pool = poolOf(dataSource);
  watchPool(pool);
  const owner = `worker-${newId()}`;
  const dispatcher = new WebhookDispatcher({
    pool,
    seal,
    egress,
    log,
    owner,
    agent: `Trunkline/${VERSION}`,
    metrics,
  });
  const vectors = await openVectors({ env, pool, log, owner });
  const documents = openIngest({ env, pool, egress, log, owner, vectors });
  const links = linksOf(env, seal);
  const storage = openStorage(env);
  watchStorage(env);
  await removeAllLeftParts(env);
  const repeating = [
    every(PURGE_MS, () => purgeExpiredRows(pool, env.AUDIT_DAYS), log),
    every(PURGE_MS, () => deleteExpired({ pool, storage, log, owner }), log),
    every(PURGE_MS, () => recountStorage(pool), log),
    every(SWEEP_MS, () => endLostCalls(pool, links, log), log),
    every(SLOW_SWEEP_MS, () => endExpiredCalls(pool, links, log), log),
    every(SLOW_SWEEP_MS, () => endLeftInvocations(pool, log), log),
    every(REMOVE_PARTS_MS, () => removeAllLeftParts(env), log),
    every(WATCH_MS, () => watchDatabase(pool, log), log),
  ];
  return {
    owner,
    dispatcher,
    ingest: documents.ingest,
    reasonsNotReady: () =>
      pool.query('SELECT 1').then(
        () => [],
        () => ['the database does not answer'],
      ),
    close: async () => {
      await Promise.all([documents.close(), dispatcher.stop()]);
      await Promise.all([vectors?.close(), ...repeating.map((task) => task.stop())]);
      await egress.close();
      await dataSource.destroy();
    },
  };
}

async function endLeftInvocations(pool: Pool, log: Log): Promise<void> {
  const ended = await endAbandonedInvocations(pool);
  if (ended.length > 0) log.warn({ invocations: ended }, 'tool invocations that a lost process had left were ended');
}
