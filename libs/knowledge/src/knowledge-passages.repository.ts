import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** A passage of the serving generation. */
export interface StoredPassage {
  id: string;
  text: string;
  heading_path: string[];
  page: number | null;
  first_row: number | null;
  last_row: number | null;
  start_offset: number;
  end_offset: number;
  has_vector: boolean;
}

interface PassagesPlace {
  accountId: number;
  knowledgeBaseId: number;
  generation: number;
}

/** The unique index finds the place of the page without reading the passages before it, of which a table has up to 250,000. */
const PAGE = {
  name: 'page-of-passages',
  text: `SELECT id, text, heading_path, page, first_row, last_row, start_offset, end_offset, embedding IS NOT NULL AS has_vector
    FROM knowledge_chunks
    WHERE account_id = $1 AND knowledge_base_id = $2 AND generation = $3 AND ordinal = ANY (ARRAY(
      SELECT ordinal FROM knowledge_chunks WHERE knowledge_base_id = $2 AND generation = $3
       ORDER BY ordinal LIMIT $4 OFFSET $5))
    ORDER BY ordinal`,
};

/** The passages of a knowledge base as they are stored, for the API. */
@Injectable()
export class KnowledgePassagesRepository {
  constructor(private readonly database: Database) {}

  /** One page of the passages, in reading order. */
  page(
    { accountId, knowledgeBaseId, generation }: PassagesPlace,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<StoredPassage[]> {
    const values = [accountId, knowledgeBaseId, generation, perPage, (page - 1) * perPage];
    return this.database.rows<StoredPassage & Record<string, unknown>>(PAGE, values);
  }
}
