import { InvalidFields } from '@app/common';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Chunk } from './blocks.js';
import { chunkText } from './chunk/chunk-text.js';
import { DocumentProblem } from './extract/document-problem.js';
import { CHUNKS_PER_KNOWLEDGE_BASE } from './limits.js';
import { countWords } from './parsing/count-words.js';
import { parseInChildProcess } from './parsing/document-parser.js';

/** Characters up to which chunkText is quick enough for this process. */
const SHORT = 100_000;

/** A text, ready to be stored. */
export interface Passages {
  chunks: Chunk[];
  words: number;
  characters: number;
}

/** Throws InvalidFields on `content`. */
export async function passagesOf(content: string): Promise<Passages> {
  const chunks = await (content.length > SHORT ? chunkInChildProcess(content) : chunkText(content));
  if (chunks.length === 0) throw contentProblem('The content field must contain text.');
  if (chunks.length > CHUNKS_PER_KNOWLEDGE_BASE) {
    throw contentProblem(
      'The content field must not make more than 10,000 passages. Split it into several knowledge bases.',
    );
  }
  return { chunks, words: countWords(content), characters: characterCount(content) };
}

/** A long line of text takes too long in a process that answers requests. */
async function chunkInChildProcess(content: string): Promise<Chunk[]> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-text-'));
  const chunks: Chunk[] = [];
  try {
    const path = join(folder, 'text.md');
    await writeFile(path, content);
    await parseInChildProcess({ path, type: 'md' }, { chunks: async (batch) => void chunks.push(...batch) });
    return chunks;
  } catch (error) {
    throw error instanceof DocumentProblem ? contentProblem(error.message) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As people count: a character outside the Basic Multilingual Plane is one, not two. */
function characterCount(text: string): number {
  let halves = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) halves++;
  return text.length - halves;
}

export const contentProblem = (sentence: string): InvalidFields => new InvalidFields({ content: [sentence] });
