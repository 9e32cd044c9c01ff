import type { Chunk } from '../blocks.js';

/**
 * What lexical search and embedders read of a chunk: `title > heading > heading`, an empty line, the text. Made when it is
 * needed, so that a new title asks for no new chunks.
 */
export function indexedText(chunk: Pick<Chunk, 'headingPath' | 'text'>, title: string): string {
  return `${[title, ...chunk.headingPath].join(' > ')}\n\n${chunk.text}`;
}
