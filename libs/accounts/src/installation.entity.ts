import { Check, Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** One row of facts about the installation. */
@Entity('installation')
@Check('installation_id_check', 'id')
export class InstallationEntity {
  @PrimaryColumn('boolean', { default: true })
  id: boolean;

  /** Of the SECRET_KEY that encrypts the secrets in this database. */
  @Column('text', { name: 'key_fingerprint' })
  keyFingerprint: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
