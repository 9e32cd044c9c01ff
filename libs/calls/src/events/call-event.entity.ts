import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CallEntity } from '../call.entity.js';

/** An event of a call; `call-event.presenter.ts` lists the types and their fields. */
@Entity('call_events')
export class CallEventEntity {
  @ForeignKey(() => CallEntity, { name: 'call_events_call_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  call_id: string;

  /** Number of the event in the call, from 1. */
  @PrimaryColumn('integer')
  seq: number;

  @Column('timestamptz', { default: () => 'now()' })
  at: Date;

  @Column('text')
  type: string;

  @Column('jsonb', { default: {} })
  data: Record<string, unknown>;
}
