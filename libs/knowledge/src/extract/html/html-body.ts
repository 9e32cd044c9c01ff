import { type BlockWriter, cleanLine } from '../block-writer.js';
import {
  attribute,
  ELEMENT,
  headingLevel,
  type HtmlNode,
  INLINE,
  nameOf,
  SECTION_END,
  SECTION_START,
  SILENT,
  TEXT,
  textOf,
} from './html-dom.js';
import { markerOf } from './html-lists.js';
import { spellMarks } from '../text/text-marks.js';
import { gridOf, type TableCell } from '../table-shape.js';

const BULLET = '- ';
interface Heading {
  level: number;
  text: string;
}

const MAX_SPAN = 100;
const MIN_LINKS = 5;
const MENU_SHARE = 0.7;

/** Writes the text of a page as blocks: headings, paragraphs, list items, tables, code. */
export class HtmlBody {
  private words = '';
  private prefix = '';
  private hasBegun = false;
  /** The words are a term, which its value follows on the same line. */
  private isTerm = false;
  private path: Heading[] = [];
  /** The heading to which the text after a section belongs. */
  private resumed?: Heading;

  /**
   * `title`: the title of an article, which is written first, and menus before the text are skipped; without it the
   * whole page is written, without `edges`.
   */
  constructor(
    private readonly writer: BlockWriter,
    private readonly title?: string,
    private readonly edges: ReadonlySet<HtmlNode> = new Set(),
  ) {}

  write(node: HtmlNode): void {
    if (this.title !== undefined) this.writeHeading(1, this.title);
    this.walk(node);
    this.flush();
  }

  private walk(node: HtmlNode): void {
    if (node.nodeType === TEXT) this.words += node.nodeValue ?? '';
    if (node.nodeType !== ELEMENT && node.nodeType !== 9 && node.nodeType !== 11) return;
    const name = nameOf(node);
    if (SILENT.has(name) || this.edges.has(node)) return;
    if (node.getAttribute?.(SECTION_START) != null) this.startSection();
    if (INLINE.has(name)) this.children(node);
    else if (name === 'BR') this.words += '\n';
    else this.block(name, node);
    const ended = Number(attribute(node, SECTION_END));
    if (ended > 0) this.endSection(ended);
  }

  private startSection(): void {
    this.flush();
    this.resumed = undefined;
  }

  /** The text after an answer does not belong to its question, but to the heading above both. */
  private endSection(level: number): void {
    this.flush();
    this.resumed = this.path.findLast((heading) => heading.level < level);
  }

  private resume(): void {
    if (this.resumed) this.writeHeading(this.resumed.level, this.resumed.text);
  }

  private writeHeading(level: number, text: string): void {
    this.resumed = undefined;
    if (text.trim() === '') return;
    this.path = [...this.path.filter((heading) => heading.level < level), { level, text }];
    this.writer.heading(level, text);
  }

  private paragraph(text: string): void {
    if (text.trim() === '') return;
    this.resume();
    this.writer.paragraph(text);
  }

  private children(node: HtmlNode): void {
    for (const child of node.childNodes) this.walk(child);
  }

  private block(name: string, node: HtmlNode): void {
    if (name === 'DD' && this.isTerm) this.words = `${this.words.trim().replace(/:$/, '')}: `;
    else this.flush();
    this.isTerm = false;
    if (this.isMenu(name, node)) return;
    if (headingLevel(node) > 0) return this.heading(headingLevel(node), textOf(node));
    if (name === 'PRE') return this.paragraph(this.takeNumber() + textOf(node).replace(/^\n+|\s+$/g, ''));
    if (name === 'TABLE') return this.table(node);
    if (name === 'LI') this.beginItem(markerOf(node));
    this.children(node);
    this.isTerm = name === 'DT' && this.words.trim() !== '';
    if (this.isTerm) return;
    this.flush();
    this.prefix = '';
  }

  /** An item that begins with a numbered list keeps both numbers: "1. a. text". */
  private beginItem(marker: string | undefined): void {
    const outer = this.takeNumber();
    if (marker === undefined) this.prefix = outer || BULLET;
    else this.prefix = marker === '' ? outer : `${outer}${marker} `;
  }

  /** The number of an item that begins with a heading or code. */
  private takeNumber(): string {
    const number = this.prefix === BULLET ? '' : this.prefix;
    this.prefix = '';
    return number;
  }

  private heading(level: number, text: string): void {
    const number = this.takeNumber();
    if (cleanLine(text) !== this.title) this.writeHeading(level, text.trim() === '' ? '' : number + text);
  }

  /**
   * Readability keeps the menu of a page with a table layout. A list of links after the first text may be relevant
   * and is kept.
   */
  private isMenu(name: string, node: HtmlNode): boolean {
    if (this.title === undefined || this.hasBegun || !['UL', 'OL', 'TD'].includes(name)) return false;
    const links = linksIn(node);
    const characters = links.reduce((sum, link) => sum + textOf(link).trim().length, 0);
    return links.length >= MIN_LINKS && characters > MENU_SHARE * textOf(node).replace(/\s+/g, ' ').length;
  }

  private flush(): void {
    const text = spellMarks(this.words.replace(/\s+/g, ' ')).trim();
    this.words = '';
    if (text === '') return;
    this.paragraph(this.prefix + text);
    this.hasBegun = true;
    this.prefix = '';
  }

  private table(node: HtmlNode): void {
    const rows = rowsOf(node);
    if (isLayout(rows)) {
      for (const row of rows) for (const cell of cellNodes(row)) this.cell(cell);
      return;
    }
    this.resume();
    this.writer.table(gridOf(rows.map(cellsOf)), headersIn(rows));
  }

  private cell(node: HtmlNode): void {
    if (this.isMenu('TD', node)) return;
    this.flush();
    this.children(node);
    this.flush();
  }
}

/** A table with one column or row, or with nested tables, is layout. */
function isLayout(rows: HtmlNode[]): boolean {
  return rows.length < 2 || rows.every((row) => cellNodes(row).length < 2) || rows.some((row) => has(row, 'TABLE'));
}

function linksIn(node: HtmlNode): HtmlNode[] {
  return [...node.childNodes].flatMap((child) => (nameOf(child) === 'A' ? [child] : linksIn(child)));
}

function rowsOf(node: HtmlNode): HtmlNode[] {
  return [...node.childNodes].flatMap((child) => {
    const name = nameOf(child);
    if (name === 'TR') return [child];
    return ['THEAD', 'TBODY', 'TFOOT'].includes(name) ? rowsOf(child) : [];
  });
}

const cellNodes = (row: HtmlNode): HtmlNode[] =>
  [...row.childNodes].filter((child) => ['TD', 'TH'].includes(nameOf(child)));

function cellsOf(row: HtmlNode): TableCell[] {
  const spanOf = (cell: HtmlNode, name: string): number =>
    Math.max(1, Math.min(Number(cell.getAttribute?.(name) ?? 1) || 1, MAX_SPAN));
  return cellNodes(row).map((cell) => ({
    text: textOf(cell),
    columns: spanOf(cell, 'colspan'),
    rows: spanOf(cell, 'rowspan'),
  }));
}

/** The number of rows of header cells at the start; undefined: the table has none, and the first row may be a header. */
function headersIn(rows: HtmlNode[]): number | undefined {
  const isHeader = (cell: HtmlNode): boolean => nameOf(cell) === 'TH';
  if (!rows.some((row) => cellNodes(row).some(isHeader))) return undefined;
  const first = rows.findIndex((row) => !cellNodes(row).every(isHeader));
  // Names of rows, and a corner of the header that is not marked as such.
  if (first === 0 && cellNodes(rows[0]!).filter(isHeader).length > 1) return 1;
  return first < 0 ? 1 : first;
}

function has(node: HtmlNode, name: string): boolean {
  return [...node.childNodes].some((child) => nameOf(child) === name || has(child, name));
}
