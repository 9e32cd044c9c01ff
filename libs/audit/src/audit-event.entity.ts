import { Check, Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Actor } from './domain/audit-event.js';

/** Rows are never updated (a trigger refuses it); only their age removes them. */
@Entity('audit_events')
@Check('audit_events_actor_kind_check', `actor_kind IN ('token', 'cli', 'system', 'person')`)
@Index('audit_events_list', { synchronize: false })
@Index('audit_events_action', { synchronize: false })
@Index('audit_events_actor', { synchronize: false })
@Index('audit_events_subject', { synchronize: false })
@Index('audit_events_age', ['at'])
export class AuditEventEntity {
  /** bigint, so text. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: string;

  /** No foreign key: an event outlives its account. null: an event of the installation. */
  @Column('integer', { name: 'account_id', nullable: true })
  accountId: number | null;

  @CreateDateColumn({ name: 'at', type: 'timestamptz' })
  at: Date;

  @Column('text', { name: 'actor_kind' })
  actorKind: Actor['kind'];

  @Column('text', { name: 'actor_id', nullable: true })
  actorId: string | null;

  @Column('text')
  action: string;

  @Column('text', { name: 'subject_kind', nullable: true })
  subjectKind: string | null;

  @Column('text', { name: 'subject_id', nullable: true })
  subjectId: string | null;

  @Column('jsonb', { default: {} })
  details: Record<string, unknown>;

  @Column('text', { name: 'request_id', nullable: true })
  requestId: string | null;
}
