import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('webhook_secrets')
export class WebhookSecretEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  /** `whsec_…`, encrypted with the context `webhook-secret`. */
  @Column('bytea', { name: 'secret_sealed' })
  secretSealed: Buffer;

  /** Set on the older secret during a rotation. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
