import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { CallEntity } from '../call.entity.js';
import { COMMAND_STATUSES, type CommandStatus, type CommandType } from '../domain/call-command.js';

/** A command to a live call. The dialer of the call executes the commands of a call in their order. */
@Entity('call_commands')
@Unique('call_commands_order', ['call_id', 'seq'])
@Index('call_commands_unfinished', { synchronize: false })
@Check('call_commands_status_check', `status IN (${COMMAND_STATUSES.map((status) => `'${status}'`).join(', ')})`)
export class CallCommandEntity {
  /** uuidv7, given by the service. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer')
  account_id: number;

  @ForeignKey(() => CallEntity, { name: 'call_commands_call_id_fkey', onDelete: 'CASCADE' })
  @Column('uuid')
  call_id: string;

  /** Number of the command in the call, from 1. */
  @Column('integer')
  seq: number;

  /** The dialer of the call; it does not change after the answer. */
  @Column('text')
  owner: string;

  @Column('text')
  type: CommandType;

  /** The fields of the request besides `type`. Retention empties it with the transcript. */
  @Column('jsonb', { default: {} })
  input: Record<string, unknown>;

  /** The fields of a command that is not executed yet, encrypted, where `input` is redacted. */
  @Column('bytea', { nullable: true })
  input_sealed: Buffer | null;

  @Column('text', { default: 'pending' })
  status: CommandStatus;

  @CreateDateColumn({ type: 'timestamptz' })
  created_at: Date;

  /** Written before the effect: after a crash a running command may have taken effect. */
  @Column('timestamptz', { nullable: true })
  started_at: Date | null;

  @Column('timestamptz', { nullable: true })
  effective_at: Date | null;

  @Column('timestamptz', { nullable: true })
  finished_at: Date | null;

  @Column('jsonb', { nullable: true })
  result: Record<string, unknown> | null;

  @Column('text', { nullable: true })
  error_code: string | null;

  @Column('text', { nullable: true })
  error_message: string | null;
}
