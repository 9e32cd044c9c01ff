import type { DocumentType, Extract } from '../extract/extract.js';

/** Each with its parser is loaded when a document of its type comes: a child reads one document only. */
const EXTRACTORS: Record<DocumentType, () => Promise<Extract>> = {
  pdf: async () => (await import('../extract/pdf.js')).extractPdf,
  txt: async () => (await import('../extract/txt.js')).extractTxt,
  doc: async () => (await import('../extract/doc.js')).extractDoc,
  docx: async () => (await import('../extract/docx.js')).extractDocx,
  md: async () => (await import('../extract/md.js')).extractMd,
  csv: async () => (await import('../extract/csv.js')).extractCsv,
  html: async () => (await import('../extract/html.js')).extractHtml,
};

export const extractorOf = (type: DocumentType): Promise<Extract> => EXTRACTORS[type]();
