import { readFile } from 'node:fs/promises';
import { type ContentKind, type DocumentType, isTextual, nameOfContent } from './document-formats.js';
import { DocumentProblem } from './document-problem.js';
import { type Identity, identify } from './sniff.js';

/** What the server and the URL say about the content. */
export interface ExpectedContent {
  type?: DocumentType;
  /** The type of a text without markup; absent: such a text is not a document. */
  text?: DocumentType;
}

/**
 * The type of a fetched file. Its bytes decide: servers declare PDF files as octet streams, pages as plain text and documents as
 * images. Throws UNSUPPORTED_FORMAT or TYPE_MISMATCH with the detected content, FILE_ENCRYPTED, FILE_CORRUPT, TOO_LARGE_EXPANDED or EMPTY.
 */
export async function typeOfContent(path: string, expected: ExpectedContent): Promise<DocumentType> {
  return typeOfBytes(await readFile(path), expected);
}

export async function typeOfBytes(bytes: Buffer, expected: ExpectedContent): Promise<DocumentType> {
  if (bytes.length === 0) throw new DocumentProblem('EMPTY', 'The server sent an empty file.');
  const identity = await identityOf(bytes, expected.type);
  if (typeof identity === 'object') throw unsupported(`The address leads to ${identity.other}.`);
  if (identity !== 'text' && identity !== 'html') return identity;
  if (expected.type !== undefined && !isTextual(expected.type)) throw mismatch(expected.type, identity);
  if (identity === 'html') return identity;
  if (expected.type === 'html' || (expected.text === 'txt' && isMarkup(bytes))) return 'html';
  if (expected.text !== undefined) return expected.text;
  throw unsupported('The address leads to something that is neither a page nor a document.');
}

/** A page in place of a file is a page of sign-in or of an error. */
const mismatch = (type: DocumentType, identity: ContentKind): DocumentProblem =>
  new DocumentProblem(
    'TYPE_MISMATCH',
    `The server announces ${nameOfContent(type as ContentKind)} but sends ${nameOfContent(identity)}.`,
  );

/** Other bytes may precede the signature of a PDF; they are only searched in what is not text. */
async function identityOf(bytes: Buffer, expected: DocumentType | undefined): Promise<Identity> {
  const identity = await identify(bytes, expected ?? 'txt');
  return typeof identity === 'object' && expected !== 'pdf' ? pdfOr(identity, await identify(bytes, 'pdf')) : identity;
}

const pdfOr = (identity: Identity, second: Identity): Identity => (second === 'pdf' ? second : identity);

const unsupported = (sentence: string): DocumentProblem => new DocumentProblem('UNSUPPORTED_FORMAT', sentence);

const HEAD_BYTES = 2_048;

/** A page without doctype, html and head: it begins with an element of HTML, and the element or another one ends. */
function isMarkup(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, HEAD_BYTES).replaceAll('\0', '');
  const begins =
    /^\W{0,8}(?:<!--[^>]*-->\s*)*<(?:body|title|meta|link|div|main|article|section|header|nav|table|h[1-6]|p|ul|ol|center|font|a)\b[^<]*>/i;
  return begins.test(head) && /<\/[a-z][a-z\d]{0,20}\s*>/i.test(bytes.toString('latin1'));
}
