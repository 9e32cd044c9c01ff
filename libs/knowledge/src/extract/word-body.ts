import type { BlockWriter } from './block-writer.js';

/** mammoth's tree of a document: paragraphs, tables, and what is inside of them. */
interface WordNode {
  type: string;
  children?: WordNode[];
  value?: string;
  styleId?: string | null;
  styleName?: string | null;
  numbering?: { level: string; isOrdered: boolean } | null;
  breakType?: string;
  checked?: boolean;
  colSpan?: number;
  isHeader?: boolean;
  noteType?: string;
  noteId?: string;
  body?: WordNode[];
}

export interface WordDocument extends WordNode {
  children: WordNode[];
  notes: { resolve(reference: WordNode): WordNode | null };
}

/** Writes the body of a Word document as blocks. Notes follow the paragraph that calls them; comments are left out. */
export class WordBody {
  private notes: WordNode[] = [];
  private readonly written = new Set<WordNode>();

  constructor(
    private readonly document: WordDocument,
    private readonly writer: BlockWriter,
  ) {}

  write(): void {
    this.writeAll(this.document.children);
  }

  private writeAll(nodes: WordNode[]): void {
    for (const node of nodes) {
      if (node.type === 'paragraph') this.paragraph(node);
      else if (node.type === 'table') this.table(node);
      else this.writeAll(node.children ?? []);
      this.writeNotes();
    }
  }

  private paragraph(node: WordNode): void {
    const text = this.textOf(node);
    const level = headingLevel(node);
    if (level !== undefined) this.writer.heading(level, text);
    else this.writer.paragraph(node.numbering && text.trim() !== '' ? `- ${text.trim()}` : text);
  }

  /** Rows that repeat on each page are the header; without any it is the first row, if that says something in each cell. */
  private table(node: WordNode): void {
    const rows = (node.children ?? []).filter((child) => child.type === 'tableRow');
    const cells = rows.map((row) => this.cellsOf(row));
    if (cells.length === 1 || cells.every((row) => row.length < 2)) return this.layout(rows);
    const headers = Math.max(
      1,
      rows.findIndex((row) => !row.isHeader),
    );
    const table = { header: joined(cells.slice(0, headers)), style: 'grid' as const };
    cells.slice(headers).forEach((row, index) => this.writer.row(table, row, index + 1));
  }

  /** A table of one row or one column arranges text on the page. */
  private layout(rows: WordNode[]): void {
    for (const row of rows) for (const cell of row.children ?? []) this.writeAll(cell.children ?? []);
  }

  /** A cell over several columns has its text in the first. */
  private cellsOf(row: WordNode): string[] {
    return (row.children ?? []).flatMap((cell) => {
      const text = (cell.children ?? []).map((child) => this.textOf(child)).join('\n');
      return [text, ...Array.from({ length: Math.min((cell.colSpan ?? 1) - 1, 100) }, () => '')];
    });
  }

  private textOf(node: WordNode): string {
    switch (node.type) {
      case 'text':
        return node.value ?? '';
      case 'tab':
        return '\t';
      case 'break':
        return '\n';
      case 'checkbox':
        return node.checked ? '[x] ' : '[ ] ';
      case 'noteReference':
        return this.noteMark(node);
      case 'tableRow':
        return this.cellsOf(node).join(' | ');
      case 'table':
        return (node.children ?? []).map((row) => this.textOf(row)).join('\n');
      default:
        return (node.children ?? []).map((child) => this.textOf(child)).join('');
    }
  }

  private noteMark(reference: WordNode): string {
    const note = this.document.notes.resolve(reference);
    if (note && !this.written.has(note)) {
      this.notes.push(note);
      this.written.add(note);
    }
    return note ? `[${note.noteId}]` : '';
  }

  private writeNotes(): void {
    const notes = this.notes;
    this.notes = [];
    for (const note of notes) {
      const text = (note.body ?? [])
        .map((child) => this.textOf(child))
        .join('\n')
        .trim();
      if (text !== '') this.writer.paragraph(`[${note.noteId}] ${text}`);
    }
  }
}

/** Style names are English inside of the file whatever the language of Word was; only what other programs wrote is not. */
function headingLevel({ styleName, styleId }: WordNode): number | undefined {
  const name = (styleName ?? styleId ?? '').toLowerCase();
  if (name === 'title') return 1;
  const level = /^(?:heading|überschrift|titre|título|titolo|заголовок|标题)\s*([1-9])$/.exec(name)?.[1];
  return level === undefined ? undefined : Math.min(Number(level), 6);
}

/** Header rows above each other, column by column. */
function joined(rows: string[][]): string[] {
  const width = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: width }, (_, column) =>
    rows
      .map((row) => (row[column] ?? '').replace(/\s+/g, ' ').trim())
      .filter((text) => text !== '')
      .join(' '),
  );
}
