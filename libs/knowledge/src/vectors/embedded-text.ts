import { createHash } from 'node:crypto';

/**
 * The embedded text of a chunk: its headings and its text. Only lexical search includes the knowledge base's title: otherwise a
 * changed title would require new vectors for every chunk.
 */
export const embeddedText = (chunk: { headingPath: readonly string[]; text: string }): string =>
  chunk.headingPath.length === 0 ? chunk.text : `${chunk.headingPath.join(' > ')}\n${chunk.text}`;

/** SHA-256, by which an unchanged text is recognised. */
export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
