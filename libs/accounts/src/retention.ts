import { given } from './apply-work.js';
import type { Columns } from './save-row.js';
import type { AccountNode } from './workspace-schema.js';

/** Columns of accounts that say for how many days its data is kept; null: until somebody deletes it. */
export const RETENTION_COLUMNS = ['recordings_days', 'transcripts_days', 'deliveries_days', 'documents_days'] as const;

export const retentionColumns = (retention: AccountNode['retention']): Columns =>
  Object.fromEntries(RETENTION_COLUMNS.map((name) => [name, given(retention?.[name])]));

export const isRetention = (column: string): boolean => (RETENTION_COLUMNS as readonly string[]).includes(column);
