import { Database } from '@app/database';
import { type SkipList, Storage } from '@app/storage';
import { Injectable } from '@nestjs/common';
import { CallEvidenceRepository } from './call-evidence.repository.js';
import { CallRetentionRepository } from './call-retention.repository.js';

/** How long SIP messages are kept; a call keeps its statistics. */
const SIP_MESSAGE_DAYS = 30;
const DAY_MS = 86_400_000;

/** Deletes recordings, transcripts and SIP messages beyond their retention, in chunks. */
@Injectable()
export class CallRetentionService {
  constructor(
    private readonly database: Database,
    private readonly retention: CallRetentionRepository,
    private readonly evidence: CallEvidenceRepository,
    private readonly storage: Storage,
  ) {}

  /**
   * Deletes recordings beyond the retention of their account: first the file, then its key in the row. After a crash in between the
   * next round continues. `skipped`: recordings of this round that could not be deleted. Returns the number of deleted recordings.
   */
  async deleteExpiredRecordings(skipped: SkipList<string>): Promise<number> {
    let deleted = 0;
    for (const recording of await this.retention.expiredRecordings(skipped.ids)) {
      if (!(await skipped.attempt(recording.id, () => this.storage.delete(recording.recording_key)))) continue;
      await this.retention.clearRecording(recording);
      deleted++;
    }
    return deleted;
  }

  /** Deletes transcripts (with summary, tool calls and pressed keys) beyond the retention. Returns the number of calls. */
  deleteExpiredTranscripts(): Promise<number> {
    return this.database.transaction(async (tx) => {
      const calls = await this.retention.lockExpiredTranscripts(tx);
      if (calls.length > 0) await this.retention.deleteTranscripts(calls, tx);
      return calls.length;
    });
  }

  /** Deletes SIP messages of calls older than 30 days, the oldest first, up to 5,000. Returns their number. */
  deleteOldSipMessages(now = Date.now()): Promise<number> {
    return this.evidence.deleteMessages(now - SIP_MESSAGE_DAYS * DAY_MS);
  }
}
