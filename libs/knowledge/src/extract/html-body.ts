import { type BlockWriter, cleanLine } from './block-writer.js';
import { gridOf, type TableCell } from './table-shape.js';

/** The used part of a DOM node; linkedom's types require the DOM library of a browser. */
export interface HtmlNode {
  nodeType: number;
  nodeName: string;
  nodeValue: string | null;
  childNodes: Iterable<HtmlNode>;
  getAttribute?(name: string): string | null;
}

const ELEMENT = 1;
const TEXT = 3;
const SILENT = new Set([
  'SCRIPT',
  'STYLE',
  'NOSCRIPT',
  'TEMPLATE',
  'SVG',
  'HEAD',
  'IFRAME',
  'OBJECT',
  'SELECT',
  'BUTTON',
  'CANVAS',
  'TITLE',
]);
/** Elements inside a line; all others begin a new one. */
const INLINE = new Set(
  'A ABBR ACRONYM B BDI BDO BIG CITE CODE DATA DEL DFN EM FONT I IMG INPUT INS KBD LABEL MARK Q RUBY RP RT S SAMP SMALL SPAN STRIKE STRONG SUB SUP TIME TT U VAR WBR'.split(
    ' ',
  ),
);

const LARGEST_SPAN = 100;
const FEWEST_LINKS = 5;
const MENU_SHARE = 0.7;

/** Writes the text of a page as blocks: headings, paragraphs, list items, tables, code. */
export class HtmlBody {
  private words = '';
  private prefix = '';
  private hasBegun = false;

  /**
   * `title`: the title of an article, which is written first, and menus before the text are skipped; without it the
   * whole page is written.
   */
  constructor(
    private readonly writer: BlockWriter,
    private readonly title?: string,
  ) {}

  write(node: HtmlNode): void {
    if (this.title !== undefined) this.writer.heading(1, this.title);
    this.walk(node);
    this.flush();
  }

  private walk(node: HtmlNode): void {
    if (node.nodeType === TEXT) this.words += node.nodeValue ?? '';
    if (node.nodeType !== ELEMENT && node.nodeType !== 9 && node.nodeType !== 11) return;
    const name = node.nodeName.toUpperCase();
    if (SILENT.has(name) || isHidden(node)) return;
    if (INLINE.has(name)) this.children(node);
    else if (name === 'BR') this.words += '\n';
    else this.block(name, node);
  }

  private children(node: HtmlNode): void {
    for (const child of node.childNodes) this.walk(child);
  }

  private block(name: string, node: HtmlNode): void {
    this.flush();
    if (this.isMenu(name, node)) return;
    if (/^H[1-6]$/.test(name)) return this.heading(Number(name[1]), textOf(node));
    if (name === 'PRE') return this.writer.paragraph(textOf(node).replace(/^\n+|\s+$/g, ''));
    if (name === 'TABLE') return this.table(node);
    if (name === 'LI') this.prefix = '- ';
    this.children(node);
    this.flush();
    this.prefix = '';
  }

  private heading(level: number, text: string): void {
    if (this.title === undefined || cleanLine(text) !== this.title) this.writer.heading(level, text);
  }

  /**
   * Readability keeps the menu of a page with a table layout. A list of links after the first text may be relevant
   * and is kept.
   */
  private isMenu(name: string, node: HtmlNode): boolean {
    if (this.title === undefined || this.hasBegun || !['UL', 'OL', 'TD'].includes(name)) return false;
    const links = linksIn(node);
    const characters = links.reduce((sum, link) => sum + textOf(link).trim().length, 0);
    return links.length >= FEWEST_LINKS && characters > MENU_SHARE * textOf(node).replace(/\s+/g, ' ').length;
  }

  private flush(): void {
    const text = this.words.replace(/\s+/g, ' ').trim();
    this.words = '';
    if (text === '') return;
    this.writer.paragraph(this.prefix + text);
    this.hasBegun = true;
    this.prefix = '';
  }

  private table(node: HtmlNode): void {
    const rows = rowsOf(node);
    if (isLayout(rows)) {
      for (const row of rows) for (const cell of cellNodes(row)) this.cell(cell);
      return;
    }
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
  return [...node.childNodes].flatMap((child) => (child.nodeName.toUpperCase() === 'A' ? [child] : linksIn(child)));
}

function rowsOf(node: HtmlNode): HtmlNode[] {
  return [...node.childNodes].flatMap((child) => {
    const name = child.nodeName.toUpperCase();
    if (name === 'TR') return [child];
    return ['THEAD', 'TBODY', 'TFOOT'].includes(name) ? rowsOf(child) : [];
  });
}

const cellNodes = (row: HtmlNode): HtmlNode[] =>
  [...row.childNodes].filter((child) => ['TD', 'TH'].includes(child.nodeName.toUpperCase()));

function cellsOf(row: HtmlNode): TableCell[] {
  const spanOf = (cell: HtmlNode, name: string): number =>
    Math.max(1, Math.min(Number(cell.getAttribute?.(name) ?? 1) || 1, LARGEST_SPAN));
  return cellNodes(row).map((cell) => ({
    text: textOf(cell),
    columns: spanOf(cell, 'colspan'),
    rows: spanOf(cell, 'rowspan'),
  }));
}

/** The number of rows of header cells at the start; undefined: the table has none, and the first row may be a header. */
function headersIn(rows: HtmlNode[]): number | undefined {
  const isHeader = (cell: HtmlNode): boolean => cell.nodeName.toUpperCase() === 'TH';
  if (!rows.some((row) => cellNodes(row).some(isHeader))) return undefined;
  const first = rows.findIndex((row) => !cellNodes(row).every(isHeader));
  // Names of rows, and a corner of the header that is not marked as such.
  if (first === 0 && cellNodes(rows[0]!).filter(isHeader).length > 1) return 1;
  return first < 0 ? 1 : first;
}

function has(node: HtmlNode, name: string): boolean {
  return [...node.childNodes].some((child) => child.nodeName.toUpperCase() === name || has(child, name));
}

function textOf(node: HtmlNode): string {
  if (node.nodeType === TEXT) return node.nodeValue ?? '';
  const name = node.nodeName.toUpperCase();
  if (name === 'BR') return '\n';
  if (node.nodeType !== ELEMENT || SILENT.has(name)) return '';
  const text = Array.from(node.childNodes, textOf).join('');
  return INLINE.has(name) || name === 'PRE' ? text : `${text}\n`;
}

function isHidden(node: HtmlNode): boolean {
  return node.getAttribute?.('hidden') != null || node.getAttribute?.('aria-hidden') === 'true';
}

/** The size of a page in terms of Readability's running time. */
interface PageSize {
  nodes: number;
  /** Largest number of children of a node. A text counts once per entity, because serialising and parsing splits it there. */
  siblings: number;
}

export function sizeOf(node: HtmlNode): PageSize {
  const size = { nodes: 1, siblings: 0 };
  let children = 0;
  for (const child of node.childNodes) {
    const inner = sizeOf(child);
    children += child.nodeType === TEXT ? (child.nodeValue ?? '').split(/[&<>\u00a0]/).length : 1;
    size.nodes += inner.nodes;
    size.siblings = Math.max(size.siblings, inner.siblings);
  }
  return { nodes: size.nodes, siblings: Math.max(size.siblings, children) };
}
