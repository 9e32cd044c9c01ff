import { setImmediate as otherWork } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import type { BlockConsumer } from '../../blocks.js';
import { DOCUMENT_CHARACTERS } from '../../parsing/parser-protocol.js';
import { DocumentProblem } from '../document-problem.js';
import type { DocumentFacts, ExtractHints } from '../document-formats.js';
import { blocksOf } from './pdf-blocks.js';
import { PdfAnnotations } from './pdf-annotations.js';
import { withAnnotations } from './pdf-filled-forms.js';
import { type PageSize, PdfGlyphs } from './pdf-glyphs.js';
import type { Piece } from './pdf-piece.js';

const MAX_PAGES = 2_000;

/**
 * Extracts the blocks of a PDF: paragraphs, headings by font size, tables with clear gaps; without repeated headers and footers.
 * Throws FILE_ENCRYPTED, FILE_CORRUPT, TOO_LARGE_EXPANDED (pages), TOO_MUCH_TEXT, NO_TEXT_SCANNED, EMPTY.
 */
export async function extractPdf(path: string, take: BlockConsumer, hints?: ExtractHints): Promise<DocumentFacts> {
  const file = await PdfFile.open(path);
  try {
    return await extract(file, take, hints);
  } finally {
    file.close();
  }
}

async function extract(file: PdfFile, take: BlockConsumer, hints?: ExtractHints): Promise<DocumentFacts> {
  if (file.pages > MAX_PAGES)
    throw new DocumentProblem('TOO_LARGE_EXPANDED', `The PDF has ${file.pages} pages; ${MAX_PAGES} are allowed.`);
  if (file.isDynamicForm) throw new DocumentProblem('UNSUPPORTED_FORMAT', DYNAMIC_FORM);
  const pages = await readPages(file, hints?.onProgress);
  const pagesWithoutText = pages.filter((page) => page.drawn && !hasText(page)).length;
  if (!pages.some(hasText)) throw withoutText(pagesWithoutText, pages.length);
  if (file.hasAttachments && isCoverSheet(pages)) throw new DocumentProblem('UNSUPPORTED_FORMAT', COVER_SHEET);
  for (const block of blocksOf(pages.map(({ pieces }) => pieces))) take(block);
  const { title, unreadable } = file;
  return {
    pages: pages.length,
    ...(unreadable > 0 && { unreadable }),
    ...(title && { title }),
    ...(pagesWithoutText > 0 && { pagesWithoutText }),
  };
}

const DYNAMIC_FORM =
  'The PDF is a dynamic form (XFA), whose pages contain only a request to wait. Print it to a PDF in Adobe Acrobat Reader.';
const COVER_SHEET =
  'This PDF is only a cover sheet; the content is in its attachments. Extract the attachments and upload them.';
/** Sentences of the cover sheets that Adobe Acrobat (portfolios and packages) and Microsoft Purview (protected files) write. */
const COVER_SENTENCES = [
  /open this PDF[ -]?Portfolio (?:in|with|using) (?:Adobe )?(?:Acrobat|Reader)/i,
  /files are bound together in this PDF Package/i,
  /this (?:PDF|file|document|message) (?:file |document )?is (?:a )?protected (?:with|by|using) Microsoft (?:\w+ ){0,2}(?:Information Protection|Rights Management)/i,
  /this (?:PDF|file|document|message) (?:file |document )?is (?:a )?protected[^.]{0,100}\..{0,300}(?:Microsoft Information Protection|\b(?:PDF )?(?:reader|viewer)\b)/i,
];
const MAX_COVER = 2_000;

function isCoverSheet(pages: readonly PdfPage[]): boolean {
  const text = pages.flatMap(({ pieces }) => pieces.map((piece) => piece.text)).join(' ');
  return text.length <= MAX_COVER && COVER_SENTENCES.some((sentence) => sentence.test(text));
}

async function readPages(file: PdfFile, onProgress?: ExtractHints['onProgress']): Promise<PdfPage[]> {
  const pages: PdfPage[] = [];
  let characters = 0;
  for (let number = 1; number <= file.pages; number++) {
    const page = file.page(number);
    characters += page?.pieces.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    if (characters > DOCUMENT_CHARACTERS) throw new DocumentProblem('TOO_MUCH_TEXT');
    // A damaged page counts as an image: it has content that cannot be read.
    pages.push(page ?? { pieces: [], drawn: true });
    onProgress?.(number / file.pages);
    await otherWork();
  }
  return pages;
}

const hasText = ({ pieces }: PdfPage): boolean => pieces.some(({ text }) => /[\p{L}\p{N}]/u.test(text));

/** A document of blank pages, on which nothing is drawn, is empty rather than scanned. */
function withoutText(scanned: number, pages: number): DocumentProblem {
  if (scanned === 0) return new DocumentProblem('EMPTY');
  return new DocumentProblem('NO_TEXT_SCANNED', `${scanned} of ${pages} pages have no text: they are images.`);
}

/** The content of a page; `drawn`: the page has any content, text or not. */
interface PdfPage {
  pieces: Piece[];
  drawn: boolean;
}

/** FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of FPDF_GetLastError. */
const ENCRYPTED = [4, 5];

const DYNAMIC_XFA = 2;

/** Compiled once per process. */
let started: Promise<WrappedPdfiumModule> | undefined;

async function start(): Promise<WrappedPdfiumModule> {
  const wasm = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm');
  const overrides: object = { wasmBinary: await readFile(wasm) };
  const pdfium = await init(overrides);
  pdfium.PDFiumExt_Init();
  return pdfium;
}

/** A PDF loaded into the memory of PDFium; must be closed. */
class PdfFile {
  private readonly glyphs: PdfGlyphs;
  private readonly annotations: PdfAnnotations;
  readonly pages: number;

  private constructor(
    private readonly pdfium: WrappedPdfiumModule,
    private readonly document: number,
    private readonly bytes: number,
  ) {
    this.glyphs = new PdfGlyphs(pdfium);
    this.annotations = new PdfAnnotations(pdfium, document, (drawn) => this.textOf(drawn));
    this.pages = pdfium.FPDF_GetPageCount(document);
  }

  /** Throws FILE_ENCRYPTED if a password is required to read the file, and FILE_CORRUPT. */
  static async open(path: string): Promise<PdfFile> {
    const [pdfium, bytes] = await Promise.all([(started ??= start()), readFile(path)]);
    const { malloc, free } = pdfium.pdfium.wasmExports;
    const copy = malloc(bytes.length);
    (pdfium.pdfium as unknown as { HEAPU8: Uint8Array }).HEAPU8.set(bytes, copy);
    const document = pdfium.FPDF_LoadMemDocument(copy, bytes.length, '');
    if (document) return new PdfFile(pdfium, document, copy);
    free(copy);
    throw new DocumentProblem(ENCRYPTED.includes(pdfium.FPDF_GetLastError()) ? 'FILE_ENCRYPTED' : 'FILE_CORRUPT');
  }

  close(): void {
    this.glyphs.close();
    this.annotations.close();
    this.pdfium.FPDF_CloseDocument(this.document);
    this.pdfium.pdfium.wasmExports.free(this.bytes);
  }

  /** The pages are drawn by the form's own program, which PDFium does not run: FORMTYPE_XFA_FULL of FPDF_GetFormType. */
  get isDynamicForm(): boolean {
    return this.pdfium.FPDF_GetFormType(this.document) === DYNAMIC_XFA;
  }

  get hasAttachments(): boolean {
    return this.pdfium.FPDFDoc_GetAttachmentCount(this.document) > 0;
  }

  /** The title property; empty if there is none. */
  get title(): string {
    const BYTES = 1_024;
    const { wasmExports, UTF16ToString } = this.pdfium.pdfium;
    const buffer = wasmExports.malloc(BYTES);
    const length = this.pdfium.FPDF_GetMetaText(this.document, 'Title', buffer, BYTES);
    const title: string = length > 2 && length <= BYTES ? UTF16ToString(buffer) : '';
    wasmExports.free(buffer);
    return title.trim();
  }

  /** Glyphs without a character on the pages read so far. */
  get unreadable(): number {
    return this.glyphs.unreadable;
  }

  /** `number` from 1. Returns undefined if the page is damaged. */
  page(number: number): PdfPage | undefined {
    return this.pageOf(this.document, number, (page, pieces, size) =>
      withAnnotations(pieces, this.annotations.of(page, size), number),
    );
  }

  /** The text of the first page of another document, such as the appearance of an annotation. */
  private textOf(document: number): string {
    const pieces = this.pageOf(document, 1)?.pieces ?? [];
    return pieces.map(({ text }) => text).join(' ');
  }

  private pageOf(
    document: number,
    number: number,
    completed: (page: number, pieces: Piece[], size: PageSize) => Piece[] = (_, pieces) => pieces,
  ): PdfPage | undefined {
    const page = this.pdfium.FPDF_LoadPage(document, number - 1);
    if (!page) return undefined;
    const text = this.pdfium.FPDFText_LoadPage(page);
    const size = { height: this.pdfium.FPDF_GetPageHeightF(page), width: this.pdfium.FPDF_GetPageWidthF(page) };
    const pieces = text ? this.glyphs.pieces({ page, text, number, ...size }) : [];
    const drawn = this.pdfium.FPDFPage_CountObjects(page) > 0;
    if (text) this.pdfium.FPDFText_ClosePage(text);
    const all = completed(page, pieces, size);
    this.pdfium.FPDF_ClosePage(page);
    return { pieces: all, drawn };
  }
}
