import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CooperativeYield, InvalidFields } from '@app/common';
import type { Chunk } from './blocks.js';
import { DocumentProblem } from './extract/document-problem.js';
import { CHUNKS_PER_KNOWLEDGE_BASE } from './limits.js';
import { type TextMeasures, TextMeter } from './chunk/text-meter.js';
import { countWords } from './chunk/text-measures.js';
import { parseInChildProcess } from './parsing/document-parser.service.js';
import { markdownBlocks } from './extract/text/markdown.js';
import { Chunker } from './chunk/chunker.js';

/** Up to this many characters, chunkText is fast enough for this process: it can pause between paragraphs only. */
const SHORT = 100_000;
const SHORT_PARAGRAPH = 10_000;

/** A text split into chunks, ready to be stored. */
export interface Passages extends TextMeasures {
  chunks: Chunk[];
  words: number;
  characters: number;
}

/** Throws InvalidFields on `content`. */
export async function passagesOf(content: string): Promise<Passages> {
  const chunks = await (isShort(content) ? chunkText(content) : chunkInChildProcess(content));
  if (chunks.length === 0) throw contentProblem('The content field must contain text.');
  if (chunks.length > CHUNKS_PER_KNOWLEDGE_BASE) {
    const most = CHUNKS_PER_KNOWLEDGE_BASE.toLocaleString('en-US');
    throw contentProblem(
      `The content field must not produce more than ${most} passages. Split it into several knowledge bases.`,
    );
  }
  return { chunks, words: countWords(content), characters: characterCount(content), ...(await measure(chunks)) };
}

const isShort = (content: string): boolean =>
  content.length <= SHORT && content.split(/\n[^\S\n]*\r?\n/).every((paragraph) => paragraph.length <= SHORT_PARAGRAPH);

async function measure(chunks: readonly Chunk[]): Promise<TextMeasures> {
  const meter = new TextMeter();
  const pacing = new CooperativeYield(WORK_MS);
  for (const { text } of chunks) {
    meter.add(text);
    if (pacing.due) await pacing.pause();
  }
  return meter.measures();
}

/** A long text would block a process that answers requests. */
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

/** Counts code points: a character outside the Basic Multilingual Plane is one, not two. */
function characterCount(text: string): number {
  let halves = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) halves++;
  return text.length - halves;
}

export const contentProblem = (sentence: string): InvalidFields => new InvalidFields({ content: [sentence] });

/** A process that carries calls must not be blocked for longer. */
const WORK_MS = 3;

/**
 * Splits a plain or Markdown text of at most 100,000 characters, with paragraphs of at most 10,000, in this process. Other texts
 * belong in the parser process, which splits them the same way. Offsets are positions in `content`.
 */
export async function chunkText(content: string): Promise<Chunk[]> {
  const chunker = new Chunker();
  const chunks: Chunk[] = [];
  const pacing = new CooperativeYield(WORK_MS);
  for (const block of markdownBlocks(content)) {
    for (const chunk of chunker.chunksOf(block)) {
      chunks.push(chunk);
      if (pacing.due) await pacing.pause();
    }
    if (pacing.due) await pacing.pause();
  }
  return [...chunks, ...chunker.end()];
}
