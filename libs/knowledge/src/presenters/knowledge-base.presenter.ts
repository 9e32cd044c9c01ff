import { isoTime } from '@app/common';
import type { KnowledgePageEntity, PageCounts } from '../crawl/knowledge-page.entity.js';
import type { StoredPassage } from '../knowledge-passages.repository.js';
import type { SharedKnowledgeBase } from '../knowledge-sharing.service.js';

export type KnowledgeBaseView = ReturnType<typeof knowledgeBaseView>;

/** The knowledge base object of the API. `hasEmbedder`: passages get vectors. */
export const knowledgeBaseView = (knowledgeBase: SharedKnowledgeBase, hasEmbedder: boolean) => ({
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
  vectors: hasEmbedder ? vectorCounts(knowledgeBase) : null,
  processing_error: knowledgeBase.processingError,
  error_code: knowledgeBase.errorCode,
  quality: knowledgeBase.quality,
  quality_reason: knowledgeBase.qualityReason,
  stage: knowledgeBase.stage,
  progress: knowledgeBase.progress,
  attempt: knowledgeBase.attempt,
  crawl: knowledgeBase.crawl,
  pages: knowledgeBase.crawl === null ? null : (knowledgeBase.pageCounts ?? NO_PAGES),
  refresh_schedule: knowledgeBase.refreshSchedule,
  refresh: isRefreshHeld(knowledgeBase) ? 'held' : knowledgeBase.refreshSchedule,
  held_reason: isRefreshHeld(knowledgeBase) ? knowledgeBase.heldReason : null,
  next_refresh_at: knowledgeBase.nextRefreshAt && isoTime(knowledgeBase.nextRefreshAt),
  last_refresh: lastRefreshOf(knowledgeBase),
  created_at: isoTime(knowledgeBase.createdAt),
  updated_at: isoTime(knowledgeBase.updatedAt),
});

/** The numbers of passages that have a vector, and of those that should have one: see KnowledgeBaseEntity. */
const vectorCounts = ({ vectorsDone, vectorsOf }: SharedKnowledgeBase): { done: number; of: number } => ({
  done: Math.min(vectorsDone, vectorsOf),
  of: vectorsOf,
});

/** A generation that was built before the serving one cannot be served any more. */
const isRefreshHeld = ({ heldGeneration, serving }: SharedKnowledgeBase): boolean =>
  heldGeneration !== null && serving !== null && heldGeneration > serving;

const NO_PAGES: PageCounts = { total: 0, completed: 0, failed: 0, pending: 0, skipped: 0 };

const lastRefreshOf = ({ lastRefresh, lastRefreshAt }: SharedKnowledgeBase) =>
  lastRefresh && lastRefreshAt && { at: isoTime(lastRefreshAt), ...lastRefresh };

export type KnowledgePageView = ReturnType<typeof knowledgePageView>;

/** A page of a crawl in the API. */
export const knowledgePageView = (page: KnowledgePageEntity) => ({
  id: Number(page.id),
  url: page.url,
  depth: page.depth,
  state: page.state,
  title: page.title,
  error_code: page.errorCode,
  error: page.error,
  chunk_count: page.chunkCount,
  character_count: page.characterCount,
  fetched_at: page.fetchedAt && isoTime(page.fetchedAt),
});

export type KnowledgePassageView = ReturnType<typeof knowledgePassageView>;

/** A passage of a knowledge base in the API. */
export const knowledgePassageView = (passage: StoredPassage) => ({
  chunk_id: passage.id,
  text: passage.text,
  page: passage.page,
  heading_path: passage.heading_path,
  rows: rowsOf(passage),
  start: passage.start_offset,
  end: passage.end_offset,
  has_vector: passage.has_vector,
});

const rowsOf = ({ first_row: first, last_row: last }: StoredPassage) =>
  first === null || last === null ? null : { first, last };
