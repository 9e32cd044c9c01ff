import { isoTime, timeOrNull } from '@app/common';
import type { CampaignImportEntity } from './campaign-import.entity.js';

/** An import as the API returns it. */
export const campaignImportView = (one: CampaignImportEntity, campaignId: number) => ({
  id: one.id,
  campaign_id: campaignId,
  status: one.status,
  file_name: one.file_name,
  file_size: one.file_bytes,
  encoding: one.encoding,
  delimiter: one.delimiter,
  columns: one.columns,
  duplicates: one.duplicates,
  progress: one.progress,
  rows: one.rows,
  added: one.added,
  merged: one.merged,
  refused: one.refused,
  processing_error: one.processing_error,
  created_at: isoTime(one.created_at),
  started_at: timeOrNull(one.started_at),
  ended_at: timeOrNull(one.ended_at),
});

export type CampaignImportView = ReturnType<typeof campaignImportView>;
