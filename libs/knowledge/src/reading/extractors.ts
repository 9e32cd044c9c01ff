import type { DocumentType, Extract } from '../extract/extract.js';

/** Each with its parser is loaded when a document of its type comes: a child reads one document only. */
const EXTRACTORS: Partial<Record<DocumentType, () => Promise<Extract>>> = {
  pdf: async () => (await import('../extract/pdf.js')).extractPdf,
  txt: async () => (await import('../extract/txt.js')).extractTxt,
  md: async () => (await import('../extract/md.js')).extractMd,
};

export const extractorOf = (type: DocumentType): Promise<Extract> => EXTRACTORS[type]!();
