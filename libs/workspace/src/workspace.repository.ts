import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';

/** Arbitrary key of the advisory lock that serialises workspace files. */
const APPLY_LOCK = 7_216_035;

/** The lock of workspace files. */
@Injectable()
export class WorkspaceRepository {
  /** Waits for other workspace files; the lock is held until the end of the transaction. */
  async lock(tx: EntityTransaction): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [APPLY_LOCK]);
  }
}
