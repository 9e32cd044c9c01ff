import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { HealthState, TargetState } from './trunk-health.js';

/** Results of the OPTIONS requests that dialers send to a trunk. */
@Entity('trunk_health')
@Check('trunk_health_state_check', `state IN ('up', 'down', 'unknown')`)
export class TrunkHealthEntity {
  @ForeignKey('sip_trunks', { name: 'trunk_health_trunk_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'trunk_id' })
  trunkId: number;

  /** When the next check is due; during a check, when its claim expires. */
  @Column('timestamptz', { name: 'due_at', default: () => `'1970-01-01 00:00:00+00'` })
  dueAt: Date;

  @Column('text', { default: 'unknown' })
  state: HealthState;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('timestamptz', { name: 'changed_at', nullable: true })
  changedAt: Date | null;

  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt: Date | null;

  @Column('jsonb', { default: [] })
  targets: TargetState[];
}
