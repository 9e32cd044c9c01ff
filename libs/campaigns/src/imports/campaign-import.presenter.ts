import { isoTime, timeOrNull } from '@app/common';
import type { CampaignImportEntity } from './campaign-import.entity.js';

/** An import as the API returns it. */
export const campaignImportView = (one: CampaignImportEntity, campaignId: number) => ({
  id: one.id,
  campaign_id: campaignId,
  status: one.status,
  file_name: one.fileName,
  file_size: one.fileBytes,
  encoding: one.encoding,
  delimiter: one.delimiter,
  columns: one.columns,
  duplicates: one.duplicates,
  default_country: one.defaultCountry,
  progress: one.progress,
  rows: one.rows,
  added: one.added,
  merged: one.merged,
  refused: one.refused,
  processing_error: one.processingError,
  created_at: isoTime(one.createdAt),
  started_at: timeOrNull(one.startedAt),
  ended_at: timeOrNull(one.endedAt),
});

export type CampaignImportView = ReturnType<typeof campaignImportView>;
