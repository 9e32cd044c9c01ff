import { FILE_NAME_LENGTH } from '../limits.js';
import type { Extract } from './extract.js';

/** What the bytes of a document turn out to be. */
export type ContentKind = 'pdf' | 'doc' | 'docx' | 'html' | 'text';

/** How the content is recognised; text by the absence of others, DOC by the header of its main stream (see sniff). */
interface Signature {
  kind: ContentKind;
  /** First bytes; `within`: so many bytes of something else may come before them in a file of this type. */
  magic?: { bytes: string; within: number };
  /** A folder of a ZIP package (OOXML). */
  zipFolder?: string;
}

interface DocumentFormat {
  /** For people: "The file is named .pdf but is …". */
  name: string;
  /** May be uploaded; other types come from web pages only. */
  upload: boolean;
  mediaTypes: readonly string[];
  /** Extensions in URLs beside the type itself. */
  otherExtensions?: readonly string[];
  signature?: Signature;
  /** The contents that may stand behind the claim: the source of a page is a text too. */
  contents: readonly ContentKind[];
  /** The parser is loaded when a document of its type comes: a child process parses one document only. */
  load: () => Promise<Extract>;
}

/** Every document type: a further type is an entry here and its extractor. */
const DOCUMENT_FORMATS = {
  pdf: {
    name: 'a PDF',
    upload: true,
    mediaTypes: ['application/pdf', 'application/x-pdf'],
    signature: { kind: 'pdf', magic: { bytes: '%PDF-', within: 1024 } },
    contents: ['pdf'],
    load: async () => (await import('./pdf.js')).extractPdf,
  },
  txt: {
    name: 'plain text',
    upload: true,
    mediaTypes: ['text/plain'],
    contents: ['text', 'html'],
    load: async () => (await import('./txt.js')).extractTxt,
  },
  doc: {
    name: 'a Word 97-2003 document (DOC)',
    upload: true,
    mediaTypes: ['application/msword'],
    contents: ['doc'],
    load: async () => (await import('./doc.js')).extractDoc,
  },
  docx: {
    name: 'a Word document (DOCX)',
    upload: true,
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    signature: { kind: 'docx', zipFolder: 'word/' },
    contents: ['docx'],
    load: async () => (await import('./docx.js')).extractDocx,
  },
  md: {
    name: 'plain text',
    upload: true,
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    otherExtensions: ['markdown'],
    contents: ['text', 'html'],
    load: async () => (await import('./md.js')).extractMd,
  },
  csv: {
    name: 'plain text',
    upload: true,
    mediaTypes: ['text/csv', 'application/csv'],
    contents: ['text'],
    load: async () => (await import('./csv.js')).extractCsv,
  },
  html: {
    name: 'a web page (HTML)',
    upload: false,
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    otherExtensions: ['htm', 'xhtml'],
    contents: ['html', 'text'],
    load: async () => (await import('./html.js')).extractHtml,
  },
} as const satisfies Record<string, DocumentFormat>;

type Formats = typeof DOCUMENT_FORMATS;
export type DocumentType = keyof Formats;
/** What may be uploaded, by extension. */
export type FileType = { [T in DocumentType]: Formats[T]['upload'] extends true ? T : never }[DocumentType];

const FORMATS = Object.entries(DOCUMENT_FORMATS) as [DocumentType, DocumentFormat][];

export const FILE_TYPES = FORMATS.filter(([, { upload }]) => upload).map(([type]) => type as FileType);

/** "PDF, TXT and CSV" of the types that may be uploaded. */
export const fileTypesWith = (conjunction: 'and' | 'or'): string => {
  const names = FILE_TYPES.map((type) => type.toUpperCase());
  return `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`;
};

export const extractorOf = (type: DocumentType): Promise<Extract> => DOCUMENT_FORMATS[type].load();

/** Signatures of the formats that have one. */
export const SIGNATURES = FORMATS.flatMap(([type, { signature }]) => (signature ? [{ type, ...signature }] : []));

export const contentsOf = (type: DocumentType): readonly ContentKind[] => DOCUMENT_FORMATS[type].contents;

export function nameOfContent(kind: ContentKind): string {
  return DOCUMENT_FORMATS[kind === 'text' ? 'txt' : kind].name;
}

export const typeOfMedia = (mediaType: string): DocumentType | undefined =>
  FORMATS.find(([, { mediaTypes }]) => mediaTypes.includes(mediaType))?.[0];

/** The type that an extension in a URL names. */
export const typeOfExtension = (extension: string | undefined): DocumentType | undefined =>
  extension === undefined
    ? undefined
    : FORMATS.find(([type, { otherExtensions }]) => type === extension || otherExtensions?.includes(extension))?.[0];

/** The type that the extension of an uploaded file claims; undefined: it cannot be uploaded. */
export function fileTypeOf(name: string): FileType | undefined {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return FILE_TYPES.find((type) => type === extension);
}

/** Line ends, controls and what turns the direction of writing (with it `fdp.exe` is shown as `exe.pdf`); joiners may stay. */
const UNSHOWABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** The last part of a path, as it may be shown: one line of at most FILE_NAME_LENGTH characters that ends with the extension. */
export function shownFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const name = last.normalize('NFC').replace(UNSHOWABLE, '').trim();
  const characters = Array.from(name);
  if (characters.length <= FILE_NAME_LENGTH) return name;
  const ending = Array.from(/\.[^.]{1,10}$/.exec(name)?.[0] ?? '');
  return [...characters.slice(0, FILE_NAME_LENGTH - ending.length), ...ending].join('');
}
