import { readFile } from 'node:fs/promises';
import type { TakeBlock } from '../blocks.js';
import { decodeText } from './decode-text.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentFacts } from './extract.js';
import { frontMatterOf, markdownBlocks } from './markdown.js';

export async function extractMd(path: string, take: TakeBlock): Promise<DocumentFacts> {
  const { text, charset } = decodeText(await readFile(path));
  let blocks = 0;
  for (const block of markdownBlocks(text)) {
    take(block);
    blocks++;
  }
  if (blocks === 0) throw new DocumentProblem('EMPTY');
  const { title } = frontMatterOf(text);
  return title === undefined ? { charset } : { charset, title };
}
