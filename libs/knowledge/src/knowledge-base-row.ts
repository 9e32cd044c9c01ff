export const SOURCE_TYPES = ['text', 'file', 'url'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

export const KNOWLEDGE_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type KnowledgeStatus = (typeof KNOWLEDGE_STATUSES)[number];

/** What a worker is doing with a knowledge base; null: nothing. */
export const STAGES = ['fetch', 'sniff', 'parse', 'chunk', 'embed', 'index', 'reindex'] as const;
export type Stage = (typeof STAGES)[number];

/** Whose knowledge bases are meant. */
export interface AgentOfAccount {
  accountId: number;
  agentId: number;
}

/** The columns of `knowledge_bases` in the order of KnowledgeBaseRow, all but `content`, which may be long. */
export const KNOWLEDGE_BASE_COLUMNS = `id, account_id, agent_id, title, source_type, status, is_active, source_reference,
  file_name, file_size, file_type, file_key, word_count, character_count, chunk_count, processing_error, error_code, stage,
  progress, attempt, generation, serving, lease_owner, lease_until, next_attempt_at, etag, last_modified, content_hash,
  created_at, updated_at`;

/** One knowledge base as PostgreSQL gives it (bigint columns are strings). */
export interface KnowledgeBaseRow {
  id: number;
  account_id: number;
  agent_id: number;
  title: string;
  source_type: SourceType;
  status: KnowledgeStatus;
  is_active: boolean;
  /** The URL of a `url`. */
  source_reference: string | null;
  /** As the uploader named it, for people. */
  file_name: string | null;
  file_size: string | null;
  /** Lower-case extension. */
  file_type: string | null;
  /** Where the storage has the file. */
  file_key: string | null;
  word_count: number;
  character_count: number;
  /** Of the serving generation. */
  chunk_count: number;
  /** `CODE: sentence and remedy`. */
  processing_error: string | null;
  error_code: string | null;
  stage: Stage | null;
  /** 0 to 100. */
  progress: number;
  attempt: number;
  /** The last one begun; a worker writes only while it is the one that it works on. */
  generation: number;
  /** The one that searches see; null: none yet. */
  serving: number | null;
  lease_owner: string | null;
  /** Set while `processing`. */
  lease_until: Date | null;
  /** Set while `pending`. */
  next_attempt_at: Date | null;
  etag: string | null;
  last_modified: string | null;
  /** SHA-256 of the bytes that were fetched last. */
  content_hash: Buffer | null;
  created_at: Date;
  updated_at: Date;
}

export type KnowledgeBaseWithContent = KnowledgeBaseRow & {
  /** Of a `text`; null otherwise. */
  content: string | null;
};
