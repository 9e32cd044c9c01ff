/** A passage that a search found, with all that a citation needs. */
export interface FoundChunk {
  chunkId: string;
  knowledgeBaseId: number;
  /** Title of the knowledge base. */
  title: string;
  sourceType: string;
  /** URL or file name; null for text. */
  source: string | null;
  text: string;
  /** 0..1, best first; comparable within one answer only. */
  score: number;
  headingPath: string[];
  page: number | null;
  rows: { first: number; last: number } | null;
  /** Where it stands in the extracted text, UTF-16 units. */
  start: number;
  end: number;
}
