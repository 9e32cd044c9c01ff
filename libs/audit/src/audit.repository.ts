import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  And,
  type FindOperator,
  type FindOptionsWhere,
  In,
  LessThanOrEqual,
  MoreThanOrEqual,
  Repository,
} from 'typeorm';
import { AuditEventEntity } from './audit-event.entity.js';
import type { Actor, AuditAction, AuditEvent, AuditFilter } from './domain/audit-event.js';

/** Larger totals are lower bounds, because counting costs more than the page. */
export const EXACT_TOTAL = 10_000;
const PURGED_AT_ONCE = 2_000;

// Prepared: events are written inside the transactions of hot paths as well, such as the cancellation of calls.
const WRITE = {
  name: 'write-audit',
  text: `INSERT INTO audit_events (account_id, actor_kind, actor_id, request_id, action, subject_kind, subject_id, details)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

// SQL, because TypeORM has no DELETE with a LIMIT.
const PURGE = {
  name: 'purge-audit',
  text: `DELETE FROM audit_events WHERE id = ANY (ARRAY(
    SELECT id FROM audit_events WHERE at < now() - make_interval(days => $1) ORDER BY at LIMIT ${PURGED_AT_ONCE}))
    RETURNING 1`,
};

@Injectable()
export class AuditRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(AuditEventEntity) private readonly events: Repository<AuditEventEntity>,
  ) {}

  async write({ accountId, actor, action, subject, details }: AuditEvent, tx: Sql): Promise<void> {
    const subjectId = subject === undefined ? null : String(subject.id);
    const values = [accountId, ...actorValues(actor), action, subject?.kind ?? null, subjectId];
    await this.database.rows(WRITE, [...values, JSON.stringify(details ?? {})], tx);
  }

  /** Newest first. */
  list(filter: AuditFilter, { limit, offset }: { limit: number; offset: number }): Promise<AuditEventEntity[]> {
    return this.events.find({ where: whereOf(filter), order: { at: 'DESC', id: 'DESC' }, take: limit, skip: offset });
  }

  /** Counts up to EXACT_TOTAL + 1. */
  async count(filter: AuditFilter): Promise<number> {
    const capped = this.events
      .createQueryBuilder('event')
      .select('1')
      .where(whereOf(filter))
      .limit(EXACT_TOTAL + 1);
    const counted = await this.events.manager
      .createQueryBuilder()
      .select('count(*)::integer', 'total')
      .from(`(${capped.getQuery()})`, 'capped')
      .setParameters(capped.getParameters())
      .getRawOne<{ total: number }>();
    return counted?.total ?? 0;
  }

  /** Deletes at most 2,000 events older than `days`, the oldest first. @returns the number of deleted events */
  async purge(days: number): Promise<number> {
    return (await this.database.rows(PURGE, [days])).length;
  }
}

function whereOf({ accountId, action, actor, subject, from, to }: AuditFilter): FindOptionsWhere<AuditEventEntity> {
  const given = {
    accountId,
    action,
    actorKind: actor?.kind as Actor['kind'] | undefined,
    actorId: actor?.ids ? In([...actor.ids]) : actor?.id,
    subjectKind: subject?.kind,
    subjectId: subject?.id,
    at: between(from, to),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function between(from: Date | undefined, to: Date | undefined): FindOperator<Date> | undefined {
  if (from && to) return And(MoreThanOrEqual(from), LessThanOrEqual(to));
  if (from) return MoreThanOrEqual(from);
  return to && LessThanOrEqual(to);
}

/** The values of the three actor parameters of an auditCte. */
export const actorValues = ({ kind, id, requestId }: Actor): [string, string | null, string | null] => [
  kind,
  id ?? null,
  requestId ?? null,
];

/**
 * Writes audit events inside the statement that makes the change: a CTE `noted` with one event for each row of `from`, which has
 * `account_id` and the subject's `id`. A fragment instead of AuditService.record, because the event depends on rows that only this
 * statement finds (a token is revoked or rotated under its lock), and a second statement would need a transaction of three round trips.
 * `actor`: the number of the first of three parameters, see actorValues. `details`: SQL of type jsonb.
 */
export const auditCte = (of: {
  from: string;
  action: AuditAction;
  subject: string;
  actor: number;
  details?: string;
}): string => `
  noted AS (
    INSERT INTO audit_events (account_id, actor_kind, actor_id, request_id, action, subject_kind, subject_id, details)
    SELECT account_id, $${of.actor}::text, $${of.actor + 1}::text, $${of.actor + 2}::text, '${of.action}', '${of.subject}', id::text,
      ${of.details ?? `'{}'::jsonb`} FROM ${of.from})`;
