import { AccountLimitsService } from '@app/accounts';
import { Semaphore } from '@app/common';
import type { Sql } from '@app/database';
import { type SkipList, Storage } from '@app/storage';
import { Injectable } from '@nestjs/common';
import { CallEvidenceRepository } from '../diagnostics/call-evidence.repository.js';
import { CallRetentionRepository, type ExpiredRecording } from './call-retention.repository.js';
import { ExpiredTranscriptsRepository, type ForgottenCall } from './expired-transcripts.repository.js';

/** How long SIP messages are kept; a call keeps its statistics. */
const SIP_MESSAGE_DAYS = 30;
const DAY_MS = 86_400_000;
/** A deletion in a bucket takes tens of ms. */
const FILES_AT_ONCE = 16;

/** Deletes recordings and SIP messages beyond their retention, in chunks, and what calls have of transcripts. */
@Injectable()
export class CallRetentionService {
  constructor(
    private readonly retention: CallRetentionRepository,
    private readonly transcripts: ExpiredTranscriptsRepository,
    private readonly limits: AccountLimitsService,
    private readonly evidence: CallEvidenceRepository,
    private readonly storage: Storage,
  ) {}

  /**
   * Deletes recordings beyond the retention of their account: first the files, then their keys in the rows. After a crash in between the
   * next round continues. `skipped`: recordings of this round that could not be deleted. Returns the number of deleted recordings.
   */
  async deleteExpiredRecordings(skipped: SkipList<string>): Promise<number> {
    const files = new Semaphore(FILES_AT_ONCE);
    const deleted: ExpiredRecording[] = [];
    const periods = await this.limits.retentionPeriods('recordings');
    const attempts = (await this.retention.expiredRecordings(periods, skipped.ids)).map(async (recording) => {
      const release = await files.acquire();
      try {
        const attempted = await skipped.attempt(recording.id, () => this.storage.delete(recording.recording_key));
        if (attempted) deleted.push(recording);
      } finally {
        release();
      }
    });
    const outcomes = await Promise.allSettled(attempts);
    if (deleted.length > 0) await this.retention.clearRecordings(deleted);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return deleted.length;
  }

  /** Calls whose transcripts are beyond the retention, until the end of the transaction. */
  async lockExpiredTranscripts(tx: Sql): Promise<ForgottenCall[]> {
    return this.transcripts.lock(await this.limits.retentionPeriods('transcripts'), tx);
  }

  /** Deletes what the tables of calls have of transcripts: turns, summaries, pressed keys, inputs of commands. */
  deleteTranscripts(callIds: readonly string[], tx: Sql): Promise<void> {
    return this.retention.deleteTranscripts(callIds, tx);
  }

  /** Deletes SIP messages of calls older than 30 days, the oldest first, up to 5,000. Returns their number. */
  deleteOldSipMessages(now = Date.now()): Promise<number> {
    return this.evidence.deleteMessages(now - SIP_MESSAGE_DAYS * DAY_MS);
  }
}
