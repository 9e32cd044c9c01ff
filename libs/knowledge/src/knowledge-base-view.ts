import { isoTime } from '@app/common';
import type { KnowledgeBaseWithContent } from './knowledge-base-row.js';

export type KnowledgeBaseView = ReturnType<typeof knowledgeBaseView>;

/** The knowledge base object of the API. */
export const knowledgeBaseView = (row: KnowledgeBaseWithContent) => ({
  id: row.id,
  agent_id: row.agent_id,
  title: row.title,
  source_type: row.source_type,
  status: row.status,
  is_active: row.is_active,
  content: row.content,
  source_reference: row.source_reference,
  file_name: row.file_name,
  file_size: row.file_size === null ? null : Number(row.file_size),
  file_type: row.file_type,
  word_count: row.word_count,
  character_count: row.character_count,
  chunk_count: row.chunk_count,
  processing_error: row.processing_error,
  error_code: row.error_code,
  stage: row.stage,
  progress: row.progress,
  attempt: row.attempt,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});
