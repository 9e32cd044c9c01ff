import type { WrappedPdfiumModule } from '@embedpdf/pdfium';
import type { PageSize } from './pdf-glyphs.js';
import { contactOf } from '../text/text-marks.js';

/** What a reader sees of an annotation or a form field; its box is in points from the left and the top of the page. */
export interface PageAnnotation {
  kind: 'value' | 'checked' | 'unchecked' | 'note' | 'contact';
  /** Its lines; of a box the name of its state, which is its value; of a link the contact in its address. */
  text: string;
  /** Tooltip of a form field, or its name. */
  label: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** FPDF_ANNOT_* */
const FREE_TEXT = 3;
const LINK = 2;
const WIDGET = 20;
/** Line (with a caption), stamp, watermark and redaction: their text is only in what they draw. */
const DRAWN = [4, 13, 24, 28];
/** FPDF_FORMFIELD_* */
const FIELD = { checkBox: 2, radioButton: 3, comboBox: 4, listBox: 5, text: 6, signature: 7 };
/** Annotation flags hidden and no view. */
const INVISIBLE = (1 << 1) | (1 << 5);
/** Field flag of passwords. */
const PASSWORD = 1 << 13;

/** Reads annotations and form fields from PDFium; must be closed. */
export class PdfAnnotations {
  private readonly info: number;
  private readonly form: number;

  /** `drawnText`: the text of the first page of another document. */
  constructor(
    private readonly pdfium: WrappedPdfiumModule,
    private readonly document: number,
    private readonly drawnText: (document: number) => string,
  ) {
    const hasForm = pdfium.FPDF_GetFormType(document) !== 0;
    this.info = hasForm ? pdfium.PDFiumExt_OpenFormFillInfo() : 0;
    this.form = hasForm ? pdfium.PDFiumExt_InitFormFillEnvironment(document, this.info) : 0;
  }

  close(): void {
    if (this.form) this.pdfium.PDFiumExt_ExitFormFillEnvironment(this.form);
    if (this.info) this.pdfium.PDFiumExt_CloseFormFillInfo(this.info);
  }

  /** Those of a page with text; `page`: PDFium's handle. */
  of(page: number, size: PageSize): PageAnnotation[] {
    const count = this.pdfium.FPDFPage_GetAnnotCount(page);
    const found: PageAnnotation[] = [];
    for (let index = 0; index < count; index++) {
      const annotation = this.pdfium.FPDFPage_GetAnnot(page, index);
      if (!annotation) continue;
      const read = this.read(annotation);
      if (read) found.push({ ...read, ...this.boxOf(annotation, size) });
      this.pdfium.FPDFPage_CloseAnnot(annotation);
    }
    return found;
  }

  private read(annotation: number): Pick<PageAnnotation, 'kind' | 'text' | 'label'> | undefined {
    if (this.pdfium.FPDFAnnot_GetFlags(annotation) & INVISIBLE) return undefined;
    const subtype = this.pdfium.FPDFAnnot_GetSubtype(annotation);
    if (subtype === WIDGET) return this.form ? this.readField(annotation) : undefined;
    if (subtype === LINK) {
      const contact = contactOf(this.addressOf(annotation));
      return contact === '' ? undefined : { kind: 'contact', text: contact, label: '' };
    }
    const written = subtype === FREE_TEXT ? this.textOf(annotation, 'Contents') : '';
    const isDrawn = subtype === FREE_TEXT || DRAWN.includes(subtype);
    const text = written || (isDrawn ? this.appearanceOf(annotation) : '');
    return text === '' ? undefined : { kind: 'note', text, label: '' };
  }

  private readField(annotation: number): Pick<PageAnnotation, 'kind' | 'text' | 'label'> | undefined {
    const { pdfium, form } = this;
    const type = pdfium.FPDFAnnot_GetFormFieldType(form, annotation);
    if (type === FIELD.checkBox || type === FIELD.radioButton) {
      const state = this.textOf(annotation, 'AS') || this.textOf(annotation, 'V');
      const kind = state === '' || state === 'Off' ? 'unchecked' : 'checked';
      return { kind, text: state, label: this.labelOf(annotation) };
    }
    const isSecret = type === FIELD.text && (pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD) !== 0;
    const text = isSecret ? '' : this.valueOf(annotation, type);
    return text === '' ? undefined : { kind: 'value', text, label: this.labelOf(annotation) };
  }

  /** Of a link to an address outside of the document; empty for other links. */
  private addressOf(annotation: number): string {
    const { pdfium, document } = this;
    const link = pdfium.FPDFAnnot_GetLink(annotation);
    const action = link && pdfium.FPDFLink_GetAction(link);
    const size = action ? pdfium.FPDFAction_GetURIPath(document, action, 0, 0) : 0;
    if (size <= 1) return '';
    const { wasmExports, UTF8ToString } = pdfium.pdfium;
    const buffer = wasmExports.malloc(size);
    pdfium.FPDFAction_GetURIPath(document, action, buffer, size);
    const address: string = UTF8ToString(buffer);
    wasmExports.free(buffer);
    return address;
  }

  private valueOf(annotation: number, type: number): string {
    if (type === FIELD.signature) return this.appearanceOf(annotation);
    const options = type === FIELD.comboBox || type === FIELD.listBox ? this.chosenOptions(annotation) : [];
    const isText = type === FIELD.text || type === FIELD.comboBox || type === FIELD.listBox;
    if (options.length > 0 || !isText) return options.join(', ');
    return this.string((buffer, size) => this.pdfium.FPDFAnnot_GetFormFieldValue(this.form, annotation, buffer, size));
  }

  /** The labels of the chosen options: the value of a choice may be a code. */
  private chosenOptions(annotation: number): string[] {
    const { pdfium, form } = this;
    const chosen: string[] = [];
    for (let index = 0; index < pdfium.FPDFAnnot_GetOptionCount(form, annotation); index++) {
      if (!pdfium.FPDFAnnot_IsOptionSelected(form, annotation, index)) continue;
      chosen.push(
        this.string((buffer, size) => pdfium.FPDFAnnot_GetOptionLabel(form, annotation, index, buffer, size)),
      );
    }
    return chosen.filter((label) => label !== '');
  }

  private labelOf(annotation: number): string {
    const { pdfium, form } = this;
    return (
      this.string((buffer, size) => pdfium.FPDFAnnot_GetFormFieldAlternateName(form, annotation, buffer, size)) ||
      this.string((buffer, size) => pdfium.FPDFAnnot_GetFormFieldName(form, annotation, buffer, size))
    );
  }

  private textOf(annotation: number, key: string): string {
    return this.string((buffer, size) => this.pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, size));
  }

  private appearanceOf(annotation: number): string {
    const document = this.pdfium.EPDFAnnot_ExportAppearanceAsDocument(annotation);
    if (!document) return '';
    try {
      return this.drawnText(document).trim();
    } finally {
      this.pdfium.FPDF_CloseDocument(document);
    }
  }

  /** Reads a string of UTF-16; `write` returns its length in bytes, including the end. */
  private string(write: (buffer: number, size: number) => number): string {
    const size = write(0, 0);
    if (size <= 2) return '';
    const { wasmExports, UTF16ToString } = this.pdfium.pdfium;
    const buffer = wasmExports.malloc(size);
    write(buffer, size);
    const text: string = UTF16ToString(buffer);
    wasmExports.free(buffer);
    return text.trim();
  }

  private boxOf(annotation: number, { height }: PageSize): Pick<PageAnnotation, 'left' | 'right' | 'top' | 'bottom'> {
    const { wasmExports } = this.pdfium.pdfium;
    const buffer = wasmExports.malloc(4 * Float32Array.BYTES_PER_ELEMENT);
    this.pdfium.FPDFAnnot_GetRect(annotation, buffer);
    const heap = (this.pdfium.pdfium as unknown as { HEAPF32: Float32Array }).HEAPF32;
    const [left = 0, top = 0, right = 0, bottom = 0] = heap.subarray(buffer >> 2, (buffer >> 2) + 4);
    wasmExports.free(buffer);
    return { left, right, top: height - top, bottom: height - bottom };
  }
}
