import type { Table, TakeBlock } from '../blocks.js';
import { cleanLine, cleanText } from './clean-text.js';

/** Hands blocks over with their offsets in the text that they make up together; nothing empty leaves it. */
export class BlockWriter {
  private offset = 0;

  constructor(private readonly take: TakeBlock) {}

  /** Characters handed over so far. */
  get characters(): number {
    return this.offset;
  }

  heading(level: number, text: string): void {
    const line = cleanLine(text);
    if (line === '') return;
    this.take({
      kind: 'heading',
      level: Math.min(Math.max(level, 1), 6),
      text: line,
      offset: this.advance(line.length),
    });
  }

  /** Lines inside stay lines. */
  paragraph(text: string): void {
    const cleaned = cleanText(text).trim();
    if (cleaned === '') return;
    this.take({ kind: 'paragraph', text: cleaned, offset: this.advance(cleaned.length) });
  }

  /** `number`: 1 for the first row after the header. A row of empty cells is not handed over. */
  row(table: Table, cells: string[], number: number): void {
    const cleaned = cells.map(cleanLine);
    const length = cleaned.reduce((sum, cell) => sum + cell.length, 0);
    if (length === 0) return;
    const separators = ' | '.length * (cleaned.length - 1);
    this.take({ kind: 'row', table, cells: cleaned, number, offset: this.advance(length + separators) });
  }

  /** A line end follows each block. */
  private advance(length: number): number {
    const at = this.offset;
    this.offset += length + 1;
    return at;
  }
}
