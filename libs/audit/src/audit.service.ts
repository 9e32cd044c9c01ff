import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { AuditRepository, EXACT_TOTAL } from './audit.repository.js';
import type { AuditEvent, AuditFilter } from './domain/audit-event.js';
import { auditEventView, type AuditEventView } from './presenters/audit-event.presenter.js';

interface AuditPage {
  events: AuditEventView[];
  total: number;
  /** `total` is a lower bound. */
  isEstimate: boolean;
}

/** The log of administrative changes: who did what to which record. */
@Injectable()
export class AuditService {
  constructor(private readonly repository: AuditRepository) {}

  /** Writes an event in the transaction of the change: neither is committed without the other. */
  record(event: AuditEvent, tx: Sql): Promise<void> {
    return this.repository.write(event, tx);
  }

  /** A page of events, newest first. */
  async list(filter: AuditFilter, { page, perPage }: { page: number; perPage: number }): Promise<AuditPage> {
    const [events, total] = await Promise.all([
      this.repository.list(filter, { limit: perPage, offset: (page - 1) * perPage }),
      this.repository.count(filter),
    ]);
    return { events: events.map(auditEventView), total, isEstimate: total > EXACT_TOTAL };
  }

  /** For a sweep. @returns the number of deleted events, 2,000 at most */
  purgeOlderThan(days: number): Promise<number> {
    return this.repository.purge(days);
  }
}
