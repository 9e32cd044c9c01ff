import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block, DocumentFacts, BlockConsumer } from '@app/knowledge';

type Extract = (path: string, take: BlockConsumer, hints?: { charset?: string }) => Promise<DocumentFacts>;

export interface Extracted {
  facts: DocumentFacts;
  blocks: Block[];
  /** One line per block: `h2 Title`, `p text`, `r1 Header=cell; …`. */
  lines: string[];
}

/** The result of an extractor for a file. */
export async function extractFile(extract: Extract, path: string, hints?: { charset?: string }): Promise<Extracted> {
  const blocks: Block[] = [];
  const facts = await extract(path, (block) => void blocks.push(structuredClone(block)), hints);
  return { facts, blocks, lines: blocks.map(lineOf) };
}

/** The result of an extractor for bytes, which are written to a file. */
export async function extractBytes(
  extract: Extract,
  bytes: Buffer | string,
  hints?: { charset?: string },
): Promise<Extracted> {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-extract-'));
  try {
    const path = join(folder, 'document');
    writeFileSync(path, bytes);
    return await extractFile(extract, path, hints);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function lineOf(block: Block): string {
  if (block.kind === 'heading') return `h${block.level} ${block.text}`;
  if (block.kind === 'paragraph') return `p ${block.text}`;
  return `r${block.number} ${block.cells.map((cell, index) => `${block.table.header[index] ?? ''}=${cell}`).join('; ')}`;
}
