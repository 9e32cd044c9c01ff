import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryGeneratedColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';
import type { NumberClosed, NumberHours, NumberQueue } from '../domain/number-front.js';

@Entity('phone_numbers')
@Unique('phone_numbers_account_id_name_key', ['accountId', 'name'])
@Unique('phone_numbers_account_id_e164_key', ['accountId', 'e164'])
export class PhoneNumberEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'phone_numbers_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('text')
  name: string;

  @Column('text')
  e164: string;

  @Column('boolean', { default: true })
  active: boolean;

  /** The agent that answers calls to the number; null: calls are not answered. Its foreign key is that of the migrations: agents are above. */
  @Column('integer', { name: 'agent_id', nullable: true })
  agentId: number | null;

  /** When the agent answers; null: always. */
  @Column('jsonb', { nullable: true })
  hours: NumberHours | null;

  /** What happens to calls outside the hours; null: they are rejected. */
  @Column('jsonb', { nullable: true })
  closed: NumberClosed | null;

  /** The agent of calls outside the hours, with the action `agent`. */
  @Column('integer', { name: 'closed_agent_id', nullable: true })
  closedAgentId: number | null;

  /** null: calls never wait for a free place. */
  @Column('jsonb', { nullable: true })
  queue: NumberQueue | null;

  /** false: a tenant claimed the number over the API. Inbound calls prefer numbers that the operator assigned. */
  @Column('boolean', { name: 'assigned_by_operator', default: true })
  assignedByOperator: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
