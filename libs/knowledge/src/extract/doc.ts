import { readFile } from 'node:fs/promises';
import type { Table, TakeBlock } from '../blocks.js';
import { BlockWriter } from './block-writer.js';
import { cleanLine } from './clean-text.js';
import { CompoundFile } from './compound-file.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentFacts } from './extract.js';
import { readWord97, type Word97Text } from './word97.js';
import { withUnicodeHyphens } from './word-hyphens.js';
import { isDamage, tableOf, wordHeadings, type WordHeading } from './word-styles.js';

export async function extractDoc(path: string, take: TakeBlock): Promise<DocumentFacts> {
  const bytes = withUnicodeHyphens(await readFile(path));
  const text = await readWord97(bytes);
  const writer = new BlockWriter(take);
  new DocBody(writer, headingsOf(bytes)).write(text);
  if (writer.characters === 0) throw new DocumentProblem('EMPTY');
  return {};
}

/** Without the tables that say where headings are, a document has none; its text is there all the same. */
function headingsOf(bytes: Buffer): WordHeading[] {
  const file = new CompoundFile(bytes);
  const document = file.find('WordDocument');
  if (!document) throw new DocumentProblem('FILE_CORRUPT');
  const stream = file.head(document, document.size);
  const table = tableOf(file, stream);
  try {
    return table ? wordHeadings(stream, file.head(table, table.size)) : [];
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}

/** Lines as word-extractor gives them: a line is a paragraph, and one that ends in a tab is a row of a table. */
class DocBody {
  private table: Table | undefined;
  private rows = 0;

  constructor(
    private readonly writer: BlockWriter,
    private readonly headings: WordHeading[],
  ) {}

  write({ body, notes, boxes }: Word97Text): void {
    const lines = body.split('\n');
    lines.forEach((line, index) => this.line(line, lines[index + 1]));
    for (const text of [notes, boxes]) for (const line of text.split('\n')) this.writer.paragraph(line);
  }

  private line(line: string, next = ''): void {
    const cells = cellsOf(line);
    if (cells.length > 1) return this.row(cells, cellsOf(next).length > 1);
    this.table = undefined;
    const level = this.levelOf(line);
    if (level === undefined) this.writer.paragraph(line);
    else this.writer.heading(level, line);
  }

  /** A row with others below it is their header; one alone is a row without. */
  private row(cells: string[], hasMore: boolean): void {
    if (this.table) return this.writer.row(this.table, cells, ++this.rows);
    if (!hasMore) return this.writer.paragraph(cells.filter((cell) => cell.trim() !== '').join(' | '));
    this.table = { header: cells.map(cleanLine), style: 'grid' };
    this.rows = 0;
  }

  /** Headings come in the order of the text; one that is not found does not hold up the others. */
  private levelOf(line: string): number | undefined {
    const text = cleanLine(line);
    const at =
      text === '' ? -1 : this.headings.findIndex((heading, index) => index < LOOK_AHEAD && heading.text === text);
    if (at < 0) return undefined;
    return this.headings.splice(0, at + 1).at(-1)?.level;
  }
}

const LOOK_AHEAD = 20;

function cellsOf(line: string): string[] {
  return line.endsWith('\t') ? line.slice(0, -1).split('\t') : [];
}
