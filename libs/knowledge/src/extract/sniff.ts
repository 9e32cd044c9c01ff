import { readFile } from 'node:fs/promises';
import { CompoundFile, isCompoundFile } from './compound-file.js';
import { byteOrderMark } from './decode-text.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentType } from './extract.js';
import { signatureOf } from './signatures.js';
import { utf16Of } from './utf16.js';
import { ZipParts } from './zip-parts.js';

/** What the bytes are: a type that is read, or something else with the name that a person gives it. */
type Identity = 'pdf' | 'doc' | 'docx' | 'html' | 'text' | { other: string };

const NAMES = {
  pdf: 'a PDF',
  doc: 'a Word 97-2003 document (DOC)',
  docx: 'a Word document (DOCX)',
  html: 'a web page (HTML)',
  text: 'plain text',
};

/** Which identities may stand behind a claim: the source of a page is a text too. */
const ACCEPTED: Record<DocumentType, Identity[]> = {
  pdf: ['pdf'],
  doc: ['doc'],
  docx: ['docx'],
  csv: ['text'],
  html: ['html', 'text'],
  txt: ['text', 'html'],
  md: ['text', 'html'],
};

/** A reader of PDF accepts that many bytes of something else before the header. */
const PDF_HEADER_WITHIN = 1024;
const HTML_WITHIN = 1024;

/**
 * Confirms that a file is what its name claims. Throws TYPE_MISMATCH naming what it is, UNSUPPORTED_FORMAT (RTF, Word before
 * 97), FILE_ENCRYPTED, FILE_CORRUPT, TOO_LARGE_EXPANDED or EMPTY.
 */
export async function sniff(path: string, claimed: DocumentType): Promise<DocumentType> {
  return sniffBytes(await readFile(path), claimed);
}

export async function sniffBytes(bytes: Buffer, claimed: DocumentType): Promise<DocumentType> {
  if (bytes.length === 0) throw new DocumentProblem('EMPTY', 'The file is empty.');
  const identity = await identify(bytes, claimed);
  if (ACCEPTED[claimed].includes(identity)) return claimed;
  const what = typeof identity === 'object' ? identity.other : NAMES[identity];
  throw new DocumentProblem('TYPE_MISMATCH', `The file is named .${claimed} but is ${what}.`);
}

async function identify(bytes: Buffer, claimed: DocumentType): Promise<Identity> {
  if (isCompoundFile(bytes)) return compoundIdentity(bytes);
  if (bytes.subarray(0, 2).equals(Buffer.from('PK')) && bytes.length > 4 && bytes[2]! < 9)
    return zipIdentity(bytes, claimed);
  const pdfWithin = claimed === 'pdf' ? PDF_HEADER_WITHIN : 0;
  if (bytes.subarray(0, pdfWithin + 5).includes('%PDF-')) return 'pdf';
  const signature = signatureOf(bytes);
  if (signature !== undefined) return refuseOld(signature);
  return textIdentity(bytes);
}

/** Formats that an office once wrote under the extension .doc; no mistake in the name, but nothing that is read. */
function refuseOld(name: string): Identity {
  if (!/RTF|old Word|WordPerfect/.test(name)) return { other: name };
  throw new DocumentProblem('UNSUPPORTED_FORMAT', `The file is ${name}, a format that is not supported.`);
}

function textIdentity(bytes: Buffer): Identity {
  if (!byteOrderMark(bytes) && bytes.includes(0) && utf16Of(bytes) === undefined) return { other: 'a binary file' };
  const start = bytes.toString('latin1', 0, HTML_WITHIN).replaceAll('\0', '');
  return /^\W{0,8}(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*<(?:!doctype html|html|head)\b/i.test(start)
    ? 'html'
    : 'text';
}

async function zipIdentity(bytes: Buffer, claimed: DocumentType): Promise<Identity> {
  if (claimed !== 'docx' && claimed !== 'doc')
    return ZipParts.open(bytes).then(partsIdentity, () => ({ other: 'a ZIP archive' }));
  return partsIdentity(await ZipParts.open(bytes));
}

function partsIdentity(parts: ZipParts): Identity {
  const names = parts.names.map((name) => name.toLowerCase());
  const isIn = (folder: string): boolean => names.some((name) => name.startsWith(folder));
  if (!names.includes('[content_types].xml')) {
    return { other: names.includes('mimetype') ? 'an OpenDocument or EPUB file' : 'a ZIP archive' };
  }
  if (isIn('xl/')) return { other: 'an Excel workbook (XLSX)' };
  if (isIn('ppt/')) return { other: 'a PowerPoint presentation (PPTX)' };
  return isIn('word/') ? 'docx' : { other: 'an Office file of another kind' };
}

/** Stream names of other programs, in lower case. */
const PROGRAMS: [stream: string, name: string][] = [
  ['workbook', 'an Excel workbook (XLS)'],
  ['book', 'an Excel workbook (XLS)'],
  ['powerpoint document', 'a PowerPoint presentation (PPT)'],
  ['__properties_version1.0', 'an Outlook message (MSG)'],
  ['visiodocument', 'a Visio drawing'],
];

function compoundIdentity(bytes: Buffer): Identity {
  const file = new CompoundFile(bytes);
  if (file.find('EncryptedPackage')) throw new DocumentProblem('FILE_ENCRYPTED');
  const document = file.find('WordDocument');
  if (document) return wordIdentity(file.head(document, 32));
  return { other: PROGRAMS.find(([stream]) => file.find(stream))?.[1] ?? 'an Office file of another kind' };
}

/** [MS-DOC] 2.5.1, FibBase: wIdent, nFib and the flag fEncrypted. Word 97 began with nFib 193; Word 6 and 95 have 101-105. */
function wordIdentity(fib: Buffer): Identity {
  if (fib.length < 32) throw new DocumentProblem('FILE_CORRUPT');
  if (fib.readUInt16LE(0) === 0xa5dc || fib.readUInt16LE(2) < 0xc0) return refuseOld('an old Word document (6 or 95)');
  if (fib.readUInt16LE(0) !== 0xa5ec) throw new DocumentProblem('FILE_CORRUPT');
  if ((fib.readUInt16LE(10) & 0x0100) !== 0) throw new DocumentProblem('FILE_ENCRYPTED');
  return 'doc';
}
