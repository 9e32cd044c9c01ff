import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { StoredSignIn } from './sign-in-schema.js';

/** How people of an organisation sign in to an account. */
@Entity('sign_in_settings')
@Unique('sign_in_settings_account_key', ['accountId'])
@Unique('sign_in_settings_organisation_key', ['organisation'])
@Index('sign_in_settings_issuer', ['issuer'])
export class SignInSettingsEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'sign_in_settings_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  /** Unique in the installation: people enter it to sign in. */
  @Column('text', { nullable: true })
  organisation: string | null;

  /** Without a final slash; null: the issuer of the installation. */
  @Column('text', { nullable: true })
  issuer: string | null;

  @Column('jsonb', { default: {} })
  settings: StoredSignIn;

  @Column('bytea', { name: 'client_secret_sealed', nullable: true })
  clientSecretSealed: Buffer | null;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
