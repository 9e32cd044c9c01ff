import type { BlockConsumer } from '../blocks.js';
import { FILE_NAME_LENGTH } from '../limits.js';

/** Metadata of a document. */
export interface DocumentFacts {
  title?: string;
  pages?: number;
  /** Scanned or damaged pages of a PDF that has text on other pages. */
  pagesWithoutText?: number;
  /** The detected encoding of a text; not for PDF and Word. */
  charset?: string;
  /** Glyphs without a character, which are left out of the text. */
  unreadable?: number;
}

/** External information about the document. */
export interface ExtractHints {
  /** From the Content-Type of a fetched page; overrides the page's own declaration, but not a byte order mark. */
  charset?: string;
  /** Called with the share read so far, by extractors that read in steps. */
  onProgress?: (fraction: number) => void;
}

/**
 * Reads a document's blocks in order; one function per type. Runs in the parser process only: the whole file may be in memory,
 * and the function enforces no limit of time or memory. Throws a DocumentProblem if the document is the cause.
 */
export type Extract = (path: string, take: BlockConsumer, hints?: ExtractHints) => Promise<DocumentFacts>;

/** The detected content of a document. */
export type ContentKind = 'pdf' | 'doc' | 'docx' | 'html' | 'text';

/** How the content is detected; text by the absence of other signatures, DOC by the header of its main stream (see sniff). */
interface Signature {
  kind: ContentKind;
  /** First bytes; `within`: in a file of this type, up to this many other bytes may precede them. */
  magic?: { bytes: string; within: number };
  /** A folder of a ZIP package (OOXML). */
  zipFolder?: string;
}

interface DocumentFormat {
  /** For error messages: "The file is named .pdf but is …". */
  name: string;
  /** UploadsService are allowed; other types come from URLs only. */
  upload: boolean;
  mediaTypes: readonly string[];
  /** Further extensions in URLs. */
  otherExtensions?: readonly string[];
  signature?: Signature;
  /** The contents accepted for this type: HTML is accepted as text, too. */
  contents: readonly ContentKind[];
  /** Loads the extractor on demand: a child process parses one document only. */
  load: () => Promise<Extract>;
}

/** Every document type: a new type needs an entry here and its extractor. */
const DOCUMENT_FORMATS = {
  pdf: {
    name: 'a PDF',
    upload: true,
    mediaTypes: ['application/pdf', 'application/x-pdf'],
    signature: { kind: 'pdf', magic: { bytes: '%PDF-', within: 1024 } },
    contents: ['pdf'],
    load: async () => (await import('./pdf/pdf.js')).extractPdf,
  },
  txt: {
    name: 'plain text',
    upload: true,
    mediaTypes: ['text/plain'],
    contents: ['text', 'html'],
    load: async () => (await import('./text/plain-text.js')).extractTxt,
  },
  doc: {
    name: 'a Word 97-2003 document (DOC)',
    upload: true,
    mediaTypes: ['application/msword'],
    contents: ['doc'],
    load: async () => (await import('./word/doc.js')).extractDoc,
  },
  docx: {
    name: 'a Word document (DOCX)',
    upload: true,
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    signature: { kind: 'docx', zipFolder: 'word/' },
    contents: ['docx'],
    load: async () => (await import('./word/docx.js')).extractDocx,
  },
  md: {
    name: 'plain text',
    upload: true,
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    otherExtensions: ['markdown'],
    contents: ['text', 'html'],
    load: async () => (await import('./text/plain-text.js')).extractMd,
  },
  csv: {
    name: 'plain text',
    upload: true,
    mediaTypes: ['text/csv', 'application/csv'],
    contents: ['text'],
    load: async () => (await import('./text/csv.js')).extractCsv,
  },
  html: {
    name: 'a web page (HTML)',
    upload: false,
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    otherExtensions: ['htm', 'xhtml'],
    contents: ['html', 'text'],
    load: async () => (await import('./html/html.js')).extractHtml,
  },
} as const satisfies Record<string, DocumentFormat>;

type Formats = typeof DOCUMENT_FORMATS;
export type DocumentType = keyof Formats;
/** The types that can be uploaded; also their extensions. */
export type FileType = { [T in DocumentType]: Formats[T]['upload'] extends true ? T : never }[DocumentType];

const FORMATS = Object.entries(DOCUMENT_FORMATS) as [DocumentType, DocumentFormat][];

export const FILE_TYPES = FORMATS.filter(([, { upload }]) => upload).map(([type]) => type as FileType);

/** "PDF, TXT and CSV": the types that can be uploaded. */
export const fileTypesWith = (conjunction: 'and' | 'or'): string => {
  const names = FILE_TYPES.map((type) => type.toUpperCase());
  return `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`;
};

export const extractorOf = (type: DocumentType): Promise<Extract> => DOCUMENT_FORMATS[type].load();

/** The signatures of all formats. */
export const SIGNATURES = FORMATS.flatMap(([type, { signature }]) => (signature ? [{ type, ...signature }] : []));

export const contentsOf = (type: DocumentType): readonly ContentKind[] => DOCUMENT_FORMATS[type].contents;

/** Whether a text can have the type. */
export const isTextual = (type: DocumentType): boolean => contentsOf(type).includes('text');

export function nameOfContent(kind: ContentKind): string {
  return DOCUMENT_FORMATS[kind === 'text' ? 'txt' : kind].name;
}

export const typeOfMedia = (mediaType: string): DocumentType | undefined =>
  FORMATS.find(([, { mediaTypes }]) => mediaTypes.includes(mediaType))?.[0];

/** The type of an extension in a URL. */
export const typeOfExtension = (extension: string | undefined): DocumentType | undefined =>
  extension === undefined
    ? undefined
    : FORMATS.find(([type, { otherExtensions }]) => type === extension || otherExtensions?.includes(extension))?.[0];

/** The type of an uploaded file by its extension; undefined: it cannot be uploaded. */
export function fileTypeOf(name: string): FileType | undefined {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return FILE_TYPES.find((type) => type === extension);
}

/** Line ends, control characters and direction marks (which make `fdp.exe` appear as `exe.pdf`), but not joiners. */
const UNSHOWABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** The file name of a path for display: one line of at most FILE_NAME_LENGTH characters, including the extension. */
export function shownFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const name = last.normalize('NFC').replace(UNSHOWABLE, '').trim();
  const characters = Array.from(name);
  if (characters.length <= FILE_NAME_LENGTH) return name;
  const ending = Array.from(/\.[^.]{1,10}$/.exec(name)?.[0] ?? '');
  return [...characters.slice(0, FILE_NAME_LENGTH - ending.length), ...ending].join('');
}
