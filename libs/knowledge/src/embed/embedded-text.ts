import { createHash } from 'node:crypto';

/**
 * What stands for a chunk before the embedder: its headings and its text. The knowledge base's title is left to the search by
 * words: a new title would otherwise cost every vector anew.
 */
export const embeddedText = (chunk: { headingPath: readonly string[]; text: string }): string =>
  chunk.headingPath.length === 0 ? chunk.text : `${chunk.headingPath.join(' > ')}\n${chunk.text}`;

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
