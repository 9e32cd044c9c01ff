import type { RtpStats } from '@app/telephony';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CallEntity } from './call.entity.js';
import type { CallDirection } from './domain/call.js';

/** What is known of a leg besides its SIP messages; leg 1 is the first, 2 that of a transfer. */
@Check('call_leg_reports_direction_check', `direction IN ('inbound', 'outbound')`)
@Entity('call_leg_reports')
export class CallLegReportEntity {
  @ForeignKey(() => CallEntity, { name: 'call_leg_reports_call_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  call_id: string;

  @PrimaryColumn('integer')
  leg: number;

  @Column('text')
  direction: CallDirection;

  /** Messages that were not stored, because the call had too many or too large ones. */
  @Column('integer', { default: 0 })
  left_out: number;

  /** Null until the leg has ended. */
  @Column('jsonb', { nullable: true })
  rtp: RtpStats | null;
}
