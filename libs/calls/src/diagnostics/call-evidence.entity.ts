import type { RtpStats } from '@app/telephony';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CallEntity } from '../call.entity.js';
import type { CallDirection } from '../domain/call.js';

/** The data of a leg besides its SIP messages; leg 1 is the first, leg 2 that of a transfer. */
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

  /** Number of messages that were not stored, because they were too many or too large. */
  @Column('integer', { default: 0 })
  left_out: number;

  /** Null until the leg has ended. */
  @Column('jsonb', { nullable: true })
  rtp: RtpStats | null;
}

/** A SIP message of a call with masked secrets. */
@Check('call_sip_messages_direction_check', `direction IN ('in', 'out')`)
@Entity('call_sip_messages')
export class CallSipMessageEntity {
  @ForeignKey(() => CallEntity, { name: 'call_sip_messages_call_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  call_id: string;

  /** Number of the message in the call, over all legs. */
  @PrimaryColumn('integer')
  seq: number;

  @Column('integer')
  leg: number;

  @Column('timestamptz')
  at: Date;

  @Column('text')
  direction: 'in' | 'out';

  @Column('text')
  transport: string;

  @Column('text')
  local_address: string;

  @Column('integer')
  local_port: number;

  @Column('text')
  remote_address: string;

  @Column('integer')
  remote_port: number;

  /** bytea: a remote party may send any byte. */
  @Column('bytea')
  message: Buffer;

  @Column('integer', { default: 0 })
  retransmissions: number;

  /** Times of the first few retransmissions. */
  @Column('timestamptz', { array: true, default: [] })
  repeated_at: Date[];
}
