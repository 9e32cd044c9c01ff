import { readFile } from 'node:fs/promises';
import mammoth from 'mammoth';
import { decodeText } from '@app/common/text-files';
import type { Block, BlockConsumer } from '../../blocks.js';
import { BlockWriter } from '../block-writer.js';
import { DocumentProblem } from '../document-problem.js';
import type { DocumentFacts } from '../document-formats.js';
import { chunkOfBookmark, withMeaning } from './docx-meaning.js';
import { attributeOf, labelOfBookmark, visitXml, withListLabels, WordLists, WordStyles } from './docx-numbering.js';
import { BULLET } from './list-labels.js';
import { BASELINE_MARKS, contactOf, spellMarks } from '../text/text-marks.js';
import { identify } from '../sniff.js';
import { gridOf, type TableCell } from '../table-shape.js';
import { ZipParts } from './zip-parts.js';

/** XML without a document type declares no entities: nothing expands and nothing is fetched. */
const DECLARES_ENTITIES = /<!(?:DOCTYPE|ENTITY)/i;

export async function extractDocx(path: string, take: BlockConsumer): Promise<DocumentFacts> {
  const parts = await ZipParts.open(await readFile(path));
  const title = await titleOf(parts);
  const writer = new BlockWriter(take);
  await writeDocument(parts, writer);
  if (writer.characters === 0) throw new DocumentProblem('EMPTY');
  return title === undefined ? {} : { title };
}

async function writeDocument(parts: ZipParts, writer: BlockWriter, isImported = false): Promise<void> {
  const labels = new LabelledParts();
  const document = await readWord(parts, labels);
  new WordBody(document, writer, isImported ? new Map() : await importedDocuments(parts, labels)).write();
}

const MAX_IMPORTED = 100;
const IMPORTED_UNSUPPORTED = 'The document contains an imported document in a format that is not supported.';

/** The blocks of the imported documents (ECMA-376 part 1, 17.17.2.1) by their relationships; Word replaces them when it saves. */
async function importedDocuments(parts: ZipParts, labels: LabelledParts): Promise<ReadonlyMap<string, Block[]>> {
  const imported = new Map<string, Block[]>();
  for (const [id, name] of await importedParts(parts, labels)) {
    const blocks: Block[] = [];
    if (imported.size < MAX_IMPORTED) await readImported(parts, name, (block) => void blocks.push(block));
    imported.set(id, blocks);
  }
  return imported;
}

async function importedParts(parts: ZipParts, { document, hasChunks }: LabelledParts): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const relationships = document.replace(/[^/]*$/, (name) => `_rels/${name}.rels`);
  if (!hasChunks || !parts.has(relationships)) return found;
  visitXml(await xmlOf(parts, relationships), {
    open(_, attributes) {
      const [id, type, target] = ['Id', 'Type', 'Target'].map((name) => attributeOf(attributes, name) ?? '') as [
        string,
        string,
        string,
      ];
      if (!type.endsWith('/aFChunk')) return;
      const path = new URL(target, `file:///${document}`).pathname.slice(1);
      if (parts.has(path)) found.set(id, path);
    },
  });
  return found;
}

async function readImported(parts: ZipParts, name: string, take: BlockConsumer): Promise<void> {
  const bytes = await parts.read(name);
  const writer = new BlockWriter(take);
  const kind = await identify(bytes, 'docx');
  if (kind === 'docx') return writeDocument(await ZipParts.open(bytes), writer, true);
  if (kind === 'html' || /\.x?html?$/i.test(name)) {
    const { htmlBlocks } = await import('../html/html.js');
    return htmlBlocks(bytes).forEach(take);
  }
  if (kind !== 'text') throw new DocumentProblem('UNSUPPORTED_FORMAT', IMPORTED_UNSUPPORTED);
  for (const line of decodeText(bytes).text.split(/\r\n?|\n/)) writer.paragraph(line);
}

/** mammoth's internal tree, before the conversion to HTML. */
async function readWord(parts: ZipParts, labels: LabelledParts): Promise<WordDocument> {
  let document: WordDocument | undefined;
  const transformDocument = (read: WordDocument): WordDocument => {
    document = read;
    return { ...read, children: [] };
  };
  try {
    await mammoth.convertToHtml(mammothInput(parts, labels), { transformDocument, includeEmbeddedStyleMap: false });
  } catch (error) {
    throw problemOf(error);
  }
  if (!document) throw new DocumentProblem('FILE_CORRUPT');
  return document;
}

/**
 * mammoth also accepts an opened ZIP file (its `file` input, which its types omit): this bounds the inflated size per part, and
 * images are never read.
 */
function mammothInput(parts: ZipParts, labels: LabelledParts): { buffer: Buffer } {
  const read = async (name: string): Promise<string> => labels.pass(await xmlOf(parts, name), name);
  return { file: { exists: (name: string) => parts.has(name), read } } as unknown as { buffer: Buffer };
}

/**
 * Rewrites the document before mammoth reads it: adds list labels and expands elements that mammoth ignores. mammoth finds the parts by
 * their relationships and reads the styles and the lists before the document.
 */
class LabelledParts {
  private styles = new WordStyles();
  private lists: WordLists | undefined;
  /** The name of the main part. */
  document = '';
  /** It refers to imported documents. */
  hasChunks = false;

  pass(xml: string, name: string): string {
    const root = ROOT_ELEMENT.exec(xml)?.[1];
    if (root === 'styles') this.styles = new WordStyles(xml);
    if (root === 'numbering') this.lists = new WordLists(this.styles, xml);
    if (root === 'footnotes' || root === 'endnotes') return withMeaning(xml, this.styles);
    if (root !== 'document') return xml;
    this.document = name.replace(/^\//, '');
    this.hasChunks = /<(?:\w+:)?altChunk\b/.test(xml);
    const read = withMeaning(xml, this.styles);
    return this.lists ? withListLabels(read, this.lists) : read;
  }
}

/** After the XML declaration and comments. */
const ROOT_ELEMENT = /^\W{0,8}(?:<[?!][^>]{0,1000}>\s*)*<(?:\w+:)?(\w+)/;

async function xmlOf(parts: ZipParts, name: string): Promise<string> {
  const bytes = await parts.read(name);
  const isWide = bytes[0] === 0xff || bytes[0] === 0xfe;
  const xml = new TextDecoder(isWide ? 'utf-16' : 'utf-8').decode(bytes);
  if (DECLARES_ENTITIES.test(xml)) {
    throw new DocumentProblem('FILE_CORRUPT', 'A part of the file declares entities, which no word processor does.');
  }
  return xml;
}

function problemOf(error: unknown): DocumentProblem {
  if (error instanceof DocumentProblem) return error;
  if (error instanceof RangeError) {
    return new DocumentProblem('FILE_CORRUPT', 'The parts of the document are nested too deeply.', { cause: error });
  }
  return new DocumentProblem('FILE_CORRUPT', undefined, { cause: error });
}

const CORE = 'docProps/core.xml';

async function titleOf(parts: ZipParts): Promise<string | undefined> {
  if (!parts.has(CORE)) return undefined;
  const xml = await xmlOf(parts, CORE);
  const found = /<dc:title>([^<]{1,500})<\/dc:title>/.exec(xml)?.[1]?.trim();
  return found?.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '') || undefined;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A node of mammoth's tree: paragraphs, tables and their content. */
interface WordNode {
  type: string;
  children?: WordNode[];
  value?: string;
  styleId?: string | null;
  styleName?: string | null;
  /** Of a bookmark. */
  name?: string;
  /** Of a hyperlink to an address. */
  href?: string;
  breakType?: string;
  checked?: boolean;
  colSpan?: number;
  rowSpan?: number;
  isHeader?: boolean;
  noteType?: string;
  noteId?: string;
  body?: WordNode[];
}

interface WordDocument extends WordNode {
  children: WordNode[];
  notes: { resolve(reference: WordNode): WordNode | null };
}

/** Writes the body of a Word document as blocks. Notes follow the paragraph that references them; comments are omitted. */
class WordBody {
  private notes: WordNode[] = [];
  private readonly written = new Set<WordNode>();

  constructor(
    private readonly document: WordDocument,
    private readonly writer: BlockWriter,
    private readonly imported: ReadonlyMap<string, Block[]>,
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
    for (const { name } of node.children ?? []) {
      const blocks = this.imported.get(chunkOfBookmark(name) ?? '');
      if (blocks) this.writer.blocks(blocks);
    }
    const text = this.textOf(node);
    const label = labelOf(node);
    const level = headingLevel(node);
    if (level !== undefined) this.writer.heading(level, label === BULLET ? text : labelled(text, label));
    else this.writer.paragraph(labelled(text, label));
  }

  /** Rows that repeat on each page are the header; without them, the first row may be. */
  private table(node: WordNode): void {
    const rows = (node.children ?? []).filter((child) => child.type === 'tableRow');
    const cells = rows.map((row) => this.cellsOf(row));
    if (cells.length === 1 || cells.every((row) => row.length < 2)) return this.layout(rows);
    const headers = rows.findIndex((row) => !row.isHeader);
    this.writer.table(gridOf(cells), headers > 0 ? headers : undefined);
  }

  /** A table of one row or one column is layout. */
  private layout(rows: WordNode[]): void {
    for (const row of rows) for (const cell of row.children ?? []) this.writeAll(cell.children ?? []);
  }

  private cellsOf(row: WordNode): TableCell[] {
    return (row.children ?? []).map((cell) => {
      const text = (cell.children ?? []).map((child) => this.cellText(child)).join('\n');
      return { text, columns: cell.colSpan, rows: cell.rowSpan };
    });
  }

  /** Numbers are part of the text of a cell; bullets are not. */
  private cellText(node: WordNode): string {
    const label = labelOf(node);
    return label === BULLET ? this.textOf(node) : labelled(this.textOf(node), label);
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
      case 'hyperlink':
        return this.childrenText(node) + contactOf(node.href ?? '');
      case 'noteReference':
        return this.noteMark(node);
      case 'tableRow':
        return this.cellsOf(node)
          .map(({ text }) => text)
          .join(' | ');
      case 'table':
        return (node.children ?? []).map((row) => this.textOf(row)).join('\n');
      default:
        return this.childrenText(node);
    }
  }

  /** Word splits a raised text into several runs. */
  private childrenText(node: WordNode): string {
    return (node.children ?? [])
      .map((child) => this.textOf(child))
      .join('')
      .replaceAll(BASELINE_MARKS.end + BASELINE_MARKS.raised, '')
      .replaceAll(BASELINE_MARKS.end + BASELINE_MARKS.lowered, '');
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

/** The label of a list paragraph, see withListLabels. */
function labelOf({ children }: WordNode): string | undefined {
  for (const { type, name } of children ?? []) {
    const label = type === 'bookmarkStart' ? labelOfBookmark(name) : undefined;
    if (label !== undefined) return label;
  }
  return undefined;
}

/** Empty paragraphs show no label. */
const labelled = (text: string, label: string | undefined): string =>
  label === undefined || spellMarks(text).trim() === '' ? text : `${label} ${text.trim()}`;

/** Word stores English style names in every language; other programs write translated ones. */
function headingLevel({ styleName, styleId }: WordNode): number | undefined {
  const name = (styleName ?? styleId ?? '').toLowerCase();
  if (name === 'title') return 1;
  const level = /^(?:heading|überschrift|titre|título|titolo|заголовок|标题)\s*([1-9])$/.exec(name)?.[1];
  return level === undefined ? undefined : Math.min(Number(level), 6);
}
