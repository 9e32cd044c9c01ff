import { deleteExpiredRecordings, deleteExpiredTranscripts } from '@app/calls';
import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { takeLeaderLease } from '@app/database';
import type { KnowledgeBasesService } from '@app/knowledge';
import { SkipList, type Storage } from '@app/storage';
import { deleteExpiredDeliveries } from '@app/webhooks';
import type { Pool } from 'pg';

export interface RetentionParts {
  pool: Pool;
  storage: Storage;
  knowledgeBases: KnowledgeBasesService;
  log: Log;
  /** Names the process in the duty; new at every start. */
  owner: string;
}

/** One round is at most so many statements of each kind: a backlog is worked off in rounds, and nothing else waits for it. */
const CHUNKS = 20;
/** Longer than a chunk with a storage that does not answer. */
const DUTY_MS = 300_000;

/** Deletes one chunk and says how much that was. */
type DeleteChunk<Id extends string | number> = (parts: RetentionParts, passedOver: SkipList<Id>) => Promise<number>;

const recordings: DeleteChunk<string> = ({ pool, storage }, passedOver) =>
  deleteExpiredRecordings(pool, storage, passedOver);
const transcripts: DeleteChunk<never> = ({ pool }) => deleteExpiredTranscripts(pool);
const deliveries: DeleteChunk<never> = ({ pool }) => deleteExpiredDeliveries(pool);
const documents: DeleteChunk<number> = ({ knowledgeBases }, passedOver) => knowledgeBases.deleteExpired(passedOver);

/** Deletes what accounts want kept no longer: in chunks, by one of all workers. What fails is tried again in the next round; the other kinds go on. */
export async function deleteExpired(parts: RetentionParts): Promise<void> {
  await deleteKind(parts, 'recordings', recordings);
  await deleteKind(parts, 'transcripts', transcripts);
  await deleteKind(parts, 'deliveries', deliveries);
  await deleteKind(parts, 'documents', documents);
}

async function deleteKind<Id extends string | number>(
  parts: RetentionParts,
  kind: string,
  work: DeleteChunk<Id>,
): Promise<void> {
  const passedOver = new SkipList<Id>();
  let deleted = 0;
  try {
    for (let chunk = 0, more = true; chunk < CHUNKS && more; chunk++) {
      if (!(await takeLeaderLease(parts.pool, 'retention', parts.owner, DUTY_MS))) break;
      const before = deleted + passedOver.ids.length;
      deleted += await work(parts, passedOver);
      more = deleted + passedOver.ids.length > before;
    }
  } catch (err) {
    parts.log.error({ err, kind }, 'what is kept too long cannot be deleted and is tried again');
  }
  report(parts.log, kind, deleted, passedOver);
}

function report(log: Log, kind: string, deleted: number, { ids, first }: SkipList<string | number>): void {
  if (ids.length > 0)
    log.error(
      { err: first, kind, files: ids.length },
      'files that are kept too long could not be deleted and are tried again',
    );
  if (deleted === 0) return;
  metrics.expiredDeleted.inc({ kind }, deleted);
  log.info({ kind, deleted }, 'what was kept long enough was deleted');
}
