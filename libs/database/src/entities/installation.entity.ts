import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Facts about the installation: a table of one row. */
@Entity('installation')
export class InstallationEntity {
  /** Always true, so that the table has at most one row. */
  @PrimaryColumn('boolean', { default: true })
  id: boolean;

  /** Of the SECRET_KEY that the secrets of this database are encrypted with. */
  @Column('text', { name: 'key_fingerprint' })
  keyFingerprint: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}

/** Work that one process does at a time, and the process that holds its lease. */
@Entity('duties')
export class LeaderLeaseEntity {
  @PrimaryColumn('text')
  name: string;

  @Column('text', { nullable: true })
  owner: string | null;

  @Column('timestamptz', { default: () => `'1970-01-01 00:00:00+00'` })
  until: Date;
}
