import type { TableColumn } from '@app/common/tables';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

export const IMPORT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** What becomes of a number that the campaign has already, or that the file repeats. */
export const DUPLICATE_RULES = ['merge', 'refuse'] as const;
export type DuplicateRule = (typeof DUPLICATE_RULES)[number];

/** A column of the file: `to_number`, `time_zone`, `not_before`, `metadata.<name>` or `variables.<name>`. */
export type ImportColumn = TableColumn;

/** A CSV file whose rows become contacts. The prepared statements of the runner return rows with the same names. */
@Entity('campaign_imports')
@Check('campaign_imports_status_check', `status IN (${IMPORT_STATUSES.map((status) => `'${status}'`).join(', ')})`)
@Index('campaign_imports_list', ['campaignId', 'id'])
@Index('campaign_imports_unfinished', { synchronize: false })
@Index('campaign_imports_ended', { synchronize: false })
export class CampaignImportEntity {
  /** uuidv7, given by the service. */
  @PrimaryColumn('uuid')
  id: string;

  @ForeignKey('accounts', { name: 'campaign_imports_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  /** null: the campaign was deleted; a worker deletes the file and the row. */
  @ForeignKey('campaigns', { name: 'campaign_imports_campaign_id_fkey', onDelete: 'SET NULL' })
  @Column('integer', { name: 'campaign_id', nullable: true })
  campaignId: number | null;

  @Column('text', { default: 'pending' })
  status: ImportStatus;

  @Column('text', { name: 'file_name' })
  fileName: string;

  @Column('integer', { name: 'file_bytes' })
  fileBytes: number;

  /** In the storage; null: the import has ended, and the file is deleted. */
  @Column('text', { name: 'file_key', nullable: true })
  fileKey: string | null;

  @Column('text')
  encoding: string;

  @Column('text')
  delimiter: string;

  @Column('jsonb')
  columns: ImportColumn[];

  @Column('text')
  duplicates: DuplicateRule;

  /** Of numbers without a country code, ISO 3166-1 alpha-2; null: they are refused. */
  @Column('text', { name: 'default_country', nullable: true })
  defaultCountry: string | null;

  /** Percent of the file. */
  @Column('integer', { default: 0 })
  progress: number;

  /** Rows so far, the header not included: an import that a worker left goes on after them. */
  @Column('integer', { default: 0 })
  rows: number;

  @Column('integer', { default: 0 })
  added: number;

  @Column('integer', { default: 0 })
  merged: number;

  @Column('integer', { default: 0 })
  refused: number;

  @Column('text', { name: 'processing_error', nullable: true })
  processingError: string | null;

  /** Claims since the last row that was imported. */
  @Column('integer', { default: 0 })
  attempts: number;

  @Column('text', { name: 'lease_owner', nullable: true })
  leaseOwner: string | null;

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;
}
