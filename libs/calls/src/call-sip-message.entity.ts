import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CallEntity } from './call.entity.js';

/** A SIP message of a call, with its secrets masked. */
@Check('call_sip_messages_direction_check', `direction IN ('in', 'out')`)
@Entity('call_sip_messages')
export class CallSipMessageEntity {
  @ForeignKey(() => CallEntity, { name: 'call_sip_messages_call_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  call_id: string;

  /** Numbers the messages of a call, whatever leg they belong to. */
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

  /** When the same message was sent again; the first few times. */
  @Column('timestamptz', { array: true, default: [] })
  repeated_at: Date[];
}
