import type { RtpStats } from '@app/telephony';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CallDirection } from './domain/call.js';

/** What is known of a leg besides its SIP messages; leg 1 is the first, 2 that of a transfer. */
@Entity('call_leg_reports')
export class CallLegReportEntity {
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
