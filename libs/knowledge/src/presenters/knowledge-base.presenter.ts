import { isoTime } from '@app/common';
import type { SharedKnowledgeBase } from '../knowledge-sharing.service.js';

export type KnowledgeBaseView = ReturnType<typeof knowledgeBaseView>;

/** The knowledge base object of the API. */
export const knowledgeBaseView = (knowledgeBase: SharedKnowledgeBase) => ({
  id: knowledgeBase.id,
  agent_id: knowledgeBase.agentId,
  agent_ids: knowledgeBase.agentIds,
  title: knowledgeBase.title,
  source_type: knowledgeBase.sourceType,
  status: knowledgeBase.status,
  is_active: knowledgeBase.isActive,
  content: knowledgeBase.content,
  source_reference: knowledgeBase.sourceReference,
  file_name: knowledgeBase.fileName,
  file_size: knowledgeBase.fileSize === null ? null : Number(knowledgeBase.fileSize),
  file_type: knowledgeBase.fileType,
  word_count: knowledgeBase.wordCount,
  character_count: knowledgeBase.characterCount,
  language: knowledgeBase.language,
  chunk_count: knowledgeBase.chunkCount,
  processing_error: knowledgeBase.processingError,
  error_code: knowledgeBase.errorCode,
  quality: knowledgeBase.quality,
  quality_reason: knowledgeBase.qualityReason,
  stage: knowledgeBase.stage,
  progress: knowledgeBase.progress,
  attempt: knowledgeBase.attempt,
  refresh: (isRefreshHeld(knowledgeBase) ? 'held' : null) as string | null,
  held_reason: isRefreshHeld(knowledgeBase) ? knowledgeBase.heldReason : null,
  created_at: isoTime(knowledgeBase.createdAt),
  updated_at: isoTime(knowledgeBase.updatedAt),
});

/** A generation that was built before the serving one cannot be served any more. */
const isRefreshHeld = ({ heldGeneration, serving }: SharedKnowledgeBase): boolean =>
  heldGeneration !== null && serving !== null && heldGeneration > serving;
