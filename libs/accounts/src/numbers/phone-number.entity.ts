import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryGeneratedColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

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

  /** The agent that answers calls to the number; null: calls are not answered. */
  @ForeignKey('agents', { name: 'phone_numbers_agent_id_fkey', onDelete: 'SET NULL' })
  @Column('integer', { name: 'agent_id', nullable: true })
  agentId: number | null;

  /** false: a tenant claimed the number over the API. Inbound calls prefer numbers that the operator assigned. */
  @Column('boolean', { name: 'assigned_by_operator', default: true })
  assignedByOperator: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
