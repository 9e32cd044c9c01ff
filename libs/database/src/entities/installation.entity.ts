import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Facts about the installation: a table of one row. */
@Entity('installation')
export class InstallationEntity {
  /** Always true, so that there is one row at most. */
  @PrimaryColumn('boolean', { default: true })
  id: boolean;

  /** Of the SECRET_KEY that the secrets of this database are encrypted with. */
  @Column('text', { name: 'key_fingerprint' })
  keyFingerprint: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
