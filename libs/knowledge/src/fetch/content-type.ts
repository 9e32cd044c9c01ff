import { DocumentProblem } from '../extract/document-problem.js';
import { type DocumentType, typeOfExtension, typeOfMedia } from '../extract/document-formats.js';

export interface PageType {
  type: DocumentType;
  /** As the server declares it; the decoder decides what it means. */
  charset?: string;
}

/** For documents that the server knows nothing about. */
const UNSPECIFIC = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/download']);

export const ACCEPT =
  'text/html, application/xhtml+xml, text/markdown, text/plain, text/csv, application/pdf, */*;q=0.5';

/** What an answer says to be; its bytes are looked at all the same. Throws a DocumentProblem for what cannot be read. */
export function pageType(header: string | undefined, url: URL): PageType {
  const [media = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  const type = typeOf(media.toLowerCase(), url);
  if (!type)
    throw new DocumentProblem(
      'UNSUPPORTED_FORMAT',
      'The address leads to something that is neither a page nor a document.',
    );
  const charset = parameters.map((part) => /^charset\s*=\s*"?([\w.:+-]{1,40})"?$/i.exec(part)?.[1]).find(Boolean);
  return { type, ...(charset && { charset }) };
}

function typeOf(media: string, url: URL): DocumentType | undefined {
  if (UNSPECIFIC.has(media)) return extensionOf(url);
  const type = typeOfMedia(media);
  // Servers of source code send every text file as plain text.
  const named = extensionOf(url);
  if (type === 'txt' && (named === 'md' || named === 'csv')) return named;
  return type;
}

const extensionOf = (url: URL): DocumentType | undefined =>
  typeOfExtension(/\.([a-z]{2,8})$/i.exec(url.pathname)?.[1]?.toLowerCase());
