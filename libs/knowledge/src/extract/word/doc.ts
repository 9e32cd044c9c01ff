import { readFile } from 'node:fs/promises';
import type { BlockConsumer } from '../../blocks.js';
import { BlockWriter } from '../block-writer.js';
import { CompoundFile } from './compound-file.js';
import { DocumentProblem, isDamage } from '../document-problem.js';
import { type DocParagraph, DocText } from './doc-text.js';
import type { DocumentFacts } from '../document-formats.js';
import { BULLET, ListLabels } from './list-labels.js';

export async function extractDoc(path: string, take: BlockConsumer): Promise<DocumentFacts> {
  const text = readText(new CompoundFile(await readFile(path)));
  const writer = new BlockWriter(take);
  for (const story of ['body', 'footnotes', 'endnotes', 'boxes'] as const) {
    new DocStory(writer, story === 'body').write(text.paragraphs(story));
  }
  if (writer.characters === 0) throw new DocumentProblem('EMPTY');
  return {};
}

function readText(file: CompoundFile): DocText {
  try {
    return new DocText(file);
  } catch (error) {
    if (!isDamage(error) || error instanceof DocumentProblem) throw error;
    throw new DocumentProblem('FILE_CORRUPT', undefined, { cause: error });
  }
}

interface Paragraph {
  text: string;
  /** The number or bullet before the text. */
  label: string;
  /** Level of a heading. */
  level?: number;
}

/** The paragraphs of a table cell. */
type Cell = Paragraph[];

/** Writes the paragraphs of a part of the document; only the body has headings. */
class DocStory {
  private readonly labels = new ListLabels();
  private rows: Cell[][] = [];
  private row: Cell[] = [];
  private cell: Cell = [];

  constructor(
    private readonly writer: BlockWriter,
    private readonly hasHeadings: boolean,
  ) {}

  write(paragraphs: Iterable<DocParagraph>): void {
    for (const paragraph of paragraphs) {
      if (paragraph.isInTable) this.addToTable(paragraph);
      else {
        this.writeTable();
        this.paragraph(this.labelled(paragraph));
      }
    }
    this.writeTable();
  }

  /** Each paragraph of a list is counted once, in the order of the text. */
  private labelled({ text, style, list }: DocParagraph): Paragraph {
    const label = list ? this.labels.next(list.list, list.level) : '';
    const isHeading = this.hasHeadings && style >= 1 && style <= 9;
    return { text, label, level: isHeading ? style : undefined };
  }

  private addToTable(paragraph: DocParagraph): void {
    if (!paragraph.endsRow) this.cell.push(this.labelled(paragraph));
    if (paragraph.endsCell) this.endCell();
    if (paragraph.endsRow) this.endRow();
  }

  private endCell(): void {
    this.row.push(this.cell);
    this.cell = [];
  }

  private endRow(): void {
    if (this.cell.length > 0) this.endCell();
    this.rows.push(this.row);
    this.row = [];
  }

  /** The first row is the header. A table of one row or one column is layout. */
  private writeTable(): void {
    if (this.cell.length > 0 || this.row.length > 0) this.endRow();
    const rows = this.rows;
    this.rows = [];
    if (rows.length < 2 || rows.every((row) => row.length < 2)) {
      for (const paragraph of rows.flat(2)) this.paragraph(paragraph);
      return;
    }
    const [header = [], ...others] = rows.map((row) => row.map(textOfCell));
    const table = { header: header.map((text) => text.replace(/\s+/g, ' ').trim()), style: 'grid' as const };
    others.forEach((cells, index) => this.writer.row(table, cells, index + 1));
  }

  private paragraph({ text, label, level }: Paragraph): void {
    if (text.trim() === '') return;
    if (level !== undefined) this.writer.heading(level, label === BULLET ? text : withLabel(text, label));
    else this.writer.paragraph(withLabel(text, label));
  }
}

const withLabel = (text: string, label: string): string => (label === '' ? text : `${label} ${text.trim()}`);

/** Numbers are part of the text of a cell; bullets are not. */
const textOfCell = (cell: Cell): string =>
  cell.map(({ text, label }) => (label === BULLET || text.trim() === '' ? text : withLabel(text, label))).join('\n');
