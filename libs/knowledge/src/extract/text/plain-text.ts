import { readFile } from 'node:fs/promises';
import type { BlockConsumer } from '../../blocks.js';
import { cleanText, type Line, linesOf, placeOf } from '../block-writer.js';
import { decodeText } from '@app/common/text-files';
import { DocumentProblem } from '../document-problem.js';
import type { DocumentFacts } from '../document-formats.js';
import { frontMatterOf, markdownBlocks } from './markdown.js';

/** A text with longer lines is not hard-wrapped: each line is a paragraph. */
const WRAPPED_AT = 120;
const LIST_ITEM = /^\s*(?:[-*+•◦▪–]|\d{1,4}[.)])\s/;
/** Decorative lines of dashes or stars. */
const RULE = /^[\s\-_=*#~+.]*$/;

export async function extractTxt(path: string, take: BlockConsumer): Promise<DocumentFacts> {
  const { text, charset } = decodeText(await readFile(path));
  let blocks = 0;
  for (const group of groupsOf(text)) {
    for (const paragraph of paragraphsOf(group)) {
      const cleaned = cleanText(paragraph.map((line) => line.text).join('\n')).trim();
      if (cleaned === '') continue;
      take({ kind: 'paragraph', text: cleaned, ...placeOf(paragraph) });
      blocks++;
    }
  }
  if (blocks === 0) throw new DocumentProblem('EMPTY');
  return { charset };
}

/** Groups of lines between empty lines. */
function* groupsOf(text: string): Generator<Line[]> {
  let group: Line[] = [];
  for (const line of linesOf(text)) {
    if (!RULE.test(line.text)) {
      group.push(line);
    } else if (group.length > 0) {
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

function* paragraphsOf(group: Line[]): Generator<Line[]> {
  const unwrapped = group.some((line) => line.text.length > WRAPPED_AT);
  let paragraph: Line[] = [];
  for (const line of group) {
    if (paragraph.length > 0 && (unwrapped || LIST_ITEM.test(line.text))) {
      yield paragraph;
      paragraph = [];
    }
    paragraph.push(line);
  }
  yield paragraph;
}

export async function extractMd(path: string, take: BlockConsumer): Promise<DocumentFacts> {
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
