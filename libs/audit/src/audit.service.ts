import { isoTime } from '@app/common';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { AuditEventEntity } from './audit-event.entity.js';
import { AuditRepository, EXACT_TOTAL } from './audit.repository.js';
import { PeopleRepository } from './people.repository.js';
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
  constructor(
    private readonly repository: AuditRepository,
    private readonly people: PeopleRepository,
  ) {}

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
    const wanted = await this.withPeople(filter);
    const [events, total] = await Promise.all([
      this.repository.list(wanted, { limit: perPage, offset: (page - 1) * perPage }),
      this.repository.count(wanted),
    ]);
    const names = await this.namesOf(events);
    return { events: events.map((event) => auditEventView(event, names)), total, isEstimate: total > EXACT_TOTAL };
  }

  /** `person:anna@example.com` stands for the ids of the people with this address. */
  private async withPeople(filter: AuditFilter): Promise<AuditFilter> {
    const { accountId, actor } = filter;
    if (actor?.kind !== 'person' || !actor.id?.includes('@')) return filter;
    const ids = await this.people.idsOf(actor.id, accountId);
    return { ...filter, actor: { kind: 'person', ids: ids.map(String) } };
  }

  private async namesOf(events: readonly AuditEventEntity[]): Promise<ReadonlyMap<string, ActorName>> {
    const ids = events.filter(({ actorKind }) => actorKind === 'person').map(({ actorId }) => Number(actorId));
    const people = await this.people.named([...new Set(ids)]);
    return new Map(people.map(({ id, email, name, subject }) => [String(id), { email, name, subject }]));
  }

  /** For a sweep: also of people whose events are gone. @returns the number of deleted events, 2,000 at most */
  async purgeOlderThan(days: number): Promise<number> {
    await this.people.purge(days);
    return this.repository.purge(days);
  }
}

/** Of a person; null for other actors, and for a person who is no longer stored. */
interface ActorName {
  email: string | null;
  name: string | null;
  /** The `sub` of the issuer. */
  subject: string | null;
}

const UNNAMED: ActorName = { email: null, name: null, subject: null };

/** An audit event as the API and the command line show it. */
export interface AuditEventView {
  id: number;
  at: string;
  account_id: number | null;
  actor: { kind: Actor['kind']; id: string | null } & ActorName;
  action: string;
  subject: { kind: string; id: string } | null;
  details: Record<string, unknown>;
  request_id: string | null;
}

const auditEventView = (event: AuditEventEntity, names: ReadonlyMap<string, ActorName>): AuditEventView => ({
  id: Number(event.id),
  at: isoTime(event.at),
  account_id: event.accountId,
  actor: {
    kind: event.actorKind,
    id: event.actorId,
    ...((event.actorKind === 'person' && names.get(event.actorId ?? '')) || UNNAMED),
  },
  action: event.action,
  subject: event.subjectKind === null ? null : { kind: event.subjectKind, id: event.subjectId ?? '' },
  details: event.details,
  request_id: event.requestId,
});
