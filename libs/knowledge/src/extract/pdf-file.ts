import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import { DocumentProblem } from './document-problem.js';
import { PdfGlyphs } from './pdf-glyphs.js';
import type { Piece } from './pdf-piece.js';

/** What is on a page; `drawn`: something, be it text or not. */
export interface PdfPage {
  pieces: Piece[];
  drawn: boolean;
}

/** FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of FPDF_GetLastError. */
const ENCRYPTED = [4, 5];

/** Compiled once, for all documents of the process. */
let started: Promise<WrappedPdfiumModule> | undefined;

async function start(): Promise<WrappedPdfiumModule> {
  const wasm = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm');
  const overrides: object = { wasmBinary: await readFile(wasm) };
  const pdfium = await init(overrides);
  pdfium.PDFiumExt_Init();
  return pdfium;
}

/** A PDF in the memory of PDFium, until it is closed. */
export class PdfFile {
  private readonly glyphs: PdfGlyphs;
  readonly pages: number;

  private constructor(
    private readonly pdfium: WrappedPdfiumModule,
    private readonly document: number,
    private readonly bytes: number,
  ) {
    this.glyphs = new PdfGlyphs(pdfium);
    this.pages = pdfium.FPDF_GetPageCount(document);
  }

  /** Throws FILE_ENCRYPTED when it needs a password to be read, and FILE_CORRUPT. */
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
    this.pdfium.FPDF_CloseDocument(this.document);
    this.pdfium.pdfium.wasmExports.free(this.bytes);
  }

  /** From its properties; empty when it has none. */
  get title(): string {
    const BYTES = 1_024;
    const { wasmExports, UTF16ToString } = this.pdfium.pdfium;
    const buffer = wasmExports.malloc(BYTES);
    const length = this.pdfium.FPDF_GetMetaText(this.document, 'Title', buffer, BYTES);
    const title: string = length > 2 && length <= BYTES ? UTF16ToString(buffer) : '';
    wasmExports.free(buffer);
    return title.trim();
  }

  /** `number` from 1. Undefined when the page is damaged. */
  page(number: number): PdfPage | undefined {
    const page = this.pdfium.FPDF_LoadPage(this.document, number - 1);
    if (!page) return undefined;
    const text = this.pdfium.FPDFText_LoadPage(page);
    const height = this.pdfium.FPDF_GetPageHeightF(page);
    const width = this.pdfium.FPDF_GetPageWidthF(page);
    const pieces = text ? this.glyphs.pieces(text, number, { width, height }) : [];
    const drawn = this.pdfium.FPDFPage_CountObjects(page) > 0;
    if (text) this.pdfium.FPDFText_ClosePage(text);
    this.pdfium.FPDF_ClosePage(page);
    return { pieces, drawn };
  }
}
