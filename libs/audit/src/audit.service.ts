import { isoTime } from '@app/common';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { AuditEventEntity } from './audit-event.entity.js';
import { AuditRepository, EXACT_TOTAL } from './audit.repository.js';
import type { Acting, AuditAction, AuditEvent, AuditFilter, Actor } from './domain/audit-event.js';

interface AuditPage {
  events: AuditEventView[];
  total: number;
  /** `total` is a lower bound. */
  isEstimate: boolean;
}

/** A change to something that belongs to an agent. */
interface AgentChange {
  action: AuditAction;
  subject: { kind: string; id: number };
  details?: Record<string, unknown>;
}

/** The log of administrative changes: who did what to which record. */
@Injectable()
export class AuditService {
  constructor(private readonly repository: AuditRepository) {}

  /** Writes an event in the transaction of the change: neither is committed without the other. */
  record(event: AuditEvent, tx: Sql): Promise<void> {
    return this.repository.write(event, tx);
  }

  /** `record` for a change to something that belongs to an agent, such as a tool. */
  recordOfAgent(
    { accountId, actor, agentId }: Acting & { agentId: number },
    { action, subject, details }: AgentChange,
    tx: Sql,
  ): Promise<void> {
    return this.record({ accountId, actor, action, subject, details: { agent_id: agentId, ...details } }, tx);
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

/** An audit event as the API and the command line show it. */
export interface AuditEventView {
  id: number;
  at: string;
  account_id: number | null;
  actor: { kind: Actor['kind']; id: string | null };
  action: string;
  subject: { kind: string; id: string } | null;
  details: Record<string, unknown>;
  request_id: string | null;
}

const auditEventView = (event: AuditEventEntity): AuditEventView => ({
  id: Number(event.id),
  at: isoTime(event.at),
  account_id: event.accountId,
  actor: { kind: event.actorKind, id: event.actorId },
  action: event.action,
  subject: event.subjectKind === null ? null : { kind: event.subjectKind, id: event.subjectId ?? '' },
  details: event.details,
  request_id: event.requestId,
});
