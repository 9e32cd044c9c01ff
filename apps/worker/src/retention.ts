import { deleteExpiredRecordings, deleteExpiredTranscripts } from '@app/calls';
import { type Log, metrics } from '@app/common';
import { takeDuty } from '@app/db';
import { deleteExpiredDocuments } from '@app/knowledge';
import type { Storage } from '@app/storage';
import { deleteExpiredDeliveries } from '@app/webhooks';
import type { Pool } from 'pg';

export interface RetentionParts {
  pool: Pool;
  storage: Storage;
  log: Log;
  /** Names the process in the duty; new at every start. */
  owner: string;
}

/** One round is at most so many statements of each kind: a backlog is worked off in rounds, and nothing else waits for it. */
const CHUNKS = 20;
/** Longer than a chunk with a storage that does not answer. */
const DUTY_MS = 300_000;

const KINDS = {
  recordings: ({ pool, storage }) => deleteExpiredRecordings(pool, storage),
  transcripts: ({ pool }) => deleteExpiredTranscripts(pool),
  deliveries: ({ pool }) => deleteExpiredDeliveries(pool),
  documents: ({ pool, storage }) => deleteExpiredDocuments(pool, storage),
} satisfies Record<string, (parts: RetentionParts) => Promise<number>>;

/** Deletes what accounts want kept no longer: in chunks, by one of all workers. What fails is tried again in the next round; the other kinds go on. */
export async function deleteExpired(parts: RetentionParts): Promise<void> {
  for (const [kind, work] of Object.entries(KINDS)) {
    try {
      await deleteKind(parts, kind, work);
    } catch (err) {
      parts.log.error({ err, kind }, 'what is kept too long cannot be deleted and is tried again');
    }
  }
}

async function deleteKind(
  parts: RetentionParts,
  kind: string,
  work: (parts: RetentionParts) => Promise<number>,
): Promise<void> {
  let deleted = 0;
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    if (!(await takeDuty(parts.pool, 'retention', parts.owner, DUTY_MS))) break;
    const found = await work(parts);
    deleted += found;
    if (found === 0) break;
  }
  if (deleted === 0) return;
  metrics.expiredDeleted.inc({ kind }, deleted);
  parts.log.info({ kind, deleted }, 'what was kept long enough was deleted');
}
