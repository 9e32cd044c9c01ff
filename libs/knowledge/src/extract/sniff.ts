import { readFile } from 'node:fs/promises';
import { CompoundFile, isCompoundFile } from './word/compound-file.js';
import { byteOrderMark, utf16Of } from '@app/common/text-files';
import { DocumentProblem } from './document-problem.js';
import { type ContentKind, contentsOf, type DocumentType, nameOfContent, SIGNATURES } from './document-formats.js';
import type { ZipParts } from './word/zip-parts.js';

/** A supported content, or the name of any other. */
export type Identity = ContentKind | { other: string };

const HTML_WITHIN = 1024;

/**
 * Verifies that the content of a file matches its claimed type. Throws TYPE_MISMATCH with the detected type, UNSUPPORTED_FORMAT
 * (RTF, Word before 97, Word XML, MHTML), FILE_ENCRYPTED, FILE_CORRUPT, TOO_LARGE_EXPANDED or EMPTY.
 */
export async function sniff(path: string, claimed: DocumentType): Promise<DocumentType> {
  return sniffBytes(await readFile(path), claimed);
}

export async function sniffBytes(bytes: Buffer, claimed: DocumentType): Promise<DocumentType> {
  if (bytes.length === 0) throw new DocumentProblem('EMPTY', 'The file is empty.');
  const identity = await identify(bytes, claimed);
  const isOther = typeof identity === 'object';
  if (!isOther && contentsOf(claimed).includes(identity)) return claimed;
  const what = isOther ? identity.other : nameOfContent(identity);
  throw new DocumentProblem('TYPE_MISMATCH', `The file is named .${claimed} but is ${what}.`);
}

/** The content of a file; `claimed` only allows for the other bytes that may precede the signature of that type. */
export async function identify(bytes: Buffer, claimed: DocumentType): Promise<Identity> {
  if (isCompoundFile(bytes)) return compoundIdentity(bytes);
  if (bytes.subarray(0, 2).equals(Buffer.from('PK')) && bytes.length > 4 && bytes[2]! < 9)
    return zipIdentity(bytes, claimed);
  const format = SIGNATURES.find(({ magic, type }) => {
    const within = magic && type === claimed ? magic.within : 0;
    return magic && bytes.subarray(0, within + magic.bytes.length).includes(magic.bytes);
  });
  if (format) return format.kind;
  const signature = signatureOf(bytes);
  if (signature !== undefined) return rejectOld(signature);
  return textIdentity(bytes, claimed);
}

/** Formats that also use the extension .doc are unsupported rather than mismatched. */
function rejectOld(name: string): Identity {
  if (!/RTF|Word|MHTML/.test(name)) return { other: name };
  throw new DocumentProblem('UNSUPPORTED_FORMAT', `The file is ${name}, a format that is not supported.`);
}

/** Formats of text that office programs save as .doc and .docx. In a file that is named as text, they are text. */
const TEXT_FORMATS: [name: string, start: RegExp][] = [
  ['an Excel 2003 XML workbook', /progid="Excel\.Sheet"|urn:schemas-microsoft-com:office:spreadsheet/],
  ['a Word 2003 XML document', /progid="Word\.Document"[^]*<\w+:wordDocument|office\/word\/2003\/wordml/],
  ['a Word XML document (flat OPC)', /progid="Word\.Document"|<pkg:package|office\/2006\/xmlPackage/],
  ['a flat OpenDocument file', /<office:document\b/],
  ['a web archive (MHTML)', /^\W{0,8}(?:[\w-]+:[^]*)?(?:mime-version:|content-type: *multipart\/related)/i],
];

function textIdentity(bytes: Buffer, claimed: DocumentType): Identity {
  if (!byteOrderMark(bytes) && bytes.includes(0) && utf16Of(bytes) === undefined) return { other: 'a binary file' };
  const start = bytes.toString('latin1', 0, HTML_WITHIN).replaceAll('\0', '');
  const format = contentsOf(claimed).includes('text')
    ? undefined
    : TEXT_FORMATS.find(([, within]) => within.test(start));
  if (format) return rejectOld(format[0]);
  return /^\W{0,8}(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*<(?:!doctype html|html|head)\b/i.test(start)
    ? 'html'
    : 'text';
}

async function zipIdentity(bytes: Buffer, claimed: DocumentType): Promise<Identity> {
  // Loaded on demand: most documents are not archives, and loading takes 7 ms in each parser process.
  const { ZipParts } = await import('./word/zip-parts.js');
  if (claimed !== 'docx' && claimed !== 'doc')
    return ZipParts.open(bytes).then(partsIdentity, () => ({ other: 'a ZIP archive' }));
  return partsIdentity(await ZipParts.open(bytes));
}

/** Folders and files of other formats in a ZIP package, in lower case. */
const PACKAGES: [start: string, name: string][] = [
  ['xl/', 'an Excel workbook (XLSX)'],
  ['ppt/', 'a PowerPoint presentation (PPTX)'],
  ['visio/', 'a Visio drawing'],
  ['fixeddocseq.fdseq', 'an XPS document'],
];

/** The part `mimetype` of other formats in a ZIP archive. */
const MEDIA_TYPES: [start: string, name: string][] = [
  ['application/vnd.oasis.opendocument.text', 'an OpenDocument text (ODT)'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'an OpenDocument spreadsheet (ODS)'],
  ['application/vnd.oasis.opendocument.presentation', 'an OpenDocument presentation (ODP)'],
  ['application/epub+zip', 'an EPUB book'],
  ['application/hwp+zip', 'a Hangul document (HWPX)'],
];

async function partsIdentity(parts: ZipParts): Promise<Identity> {
  const names = parts.names.map((name) => name.toLowerCase());
  const isIn = (folder: string): boolean => names.some((name) => name.startsWith(folder));
  if (!names.includes('[content_types].xml')) return archiveIdentity(parts);
  const known = PACKAGES.find(([start]) => isIn(start));
  if (known) return { other: known[1] };
  const format = SIGNATURES.find(({ zipFolder }) => zipFolder && isIn(zipFolder));
  return format?.kind ?? { other: 'an Office file of another kind' };
}

async function archiveIdentity(parts: ZipParts): Promise<Identity> {
  if (parts.has('mimetype')) {
    const mediaType = (await parts.read('mimetype')).toString('latin1', 0, 100);
    const known = MEDIA_TYPES.find(([start]) => mediaType.startsWith(start));
    return { other: known?.[1] ?? 'an OpenDocument or EPUB file' };
  }
  const isApple = parts.names.some((name) => /^(?:index\/document\.iwa|index\.(?:zip|xml|apxl))$/i.test(name));
  return { other: isApple ? 'an Apple document (Pages, Numbers or Keynote)' : 'a ZIP archive' };
}

/** Stream names of other Office formats, in lower case. */
const PROGRAMS: [stream: string, name: string][] = [
  ['workbook', 'an Excel workbook (XLS)'],
  ['book', 'an Excel workbook (XLS)'],
  ['powerpoint document', 'a PowerPoint presentation (PPT)'],
  ['__properties_version1.0', 'an Outlook message (MSG)'],
  ['visiodocument', 'a Visio drawing'],
  ['matost', 'a Microsoft Works document'],
  ['\u0005hwpsummaryinformation', 'a Hangul document (HWP)'],
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
  if (fib.readUInt16LE(0) === 0xa5dc || fib.readUInt16LE(2) < 0xc0) return rejectOld('a Word 6 or Word 95 document');
  if (fib.readUInt16LE(0) !== 0xa5ec) throw new DocumentProblem('FILE_CORRUPT');
  if ((fib.readUInt16LE(10) & 0x0100) !== 0) throw new DocumentProblem('FILE_ENCRYPTED');
  return 'doc';
}

/** Names and signatures of unsupported binary formats. */
const FOREIGN_SIGNATURES: [name: string, bytes: number[] | string, at?: number][] = [
  ['an RTF document', '{\\rtf'],
  ['a PostScript file', '%!PS'],
  ['a Windows program', 'MZ'],
  ['a Linux program', [0x7f, 0x45, 0x4c, 0x46]],
  ['a macOS program', [0xcf, 0xfa, 0xed, 0xfe]],
  ['a Java class', [0xca, 0xfe, 0xba, 0xbe]],
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', 'GIF8'],
  ['a TIFF image', 'II*\0'],
  ['a TIFF image', 'MM\0*'],
  ['a media file', 'RIFF'],
  ['a media file', 'OggS'],
  ['a media file', 'ID3'],
  ['a media file', 'ftyp', 4],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a 7z archive', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['a RAR archive', 'Rar!\x1a'],
  ['an XZ archive', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['a Zstandard archive', [0x28, 0xb5, 0x2f, 0xfd]],
  ['a bzip2 archive', 'BZh'],
  ['a tar archive', 'ustar', 257],
  ['an SQLite database', 'SQLite format 3\0'],
  ['a WordPerfect document', [0xff, 0x57, 0x50, 0x43]],
  ['an old Word document', [0xdb, 0xa5, 0x2d, 0x00]],
  ['an old Word document', [0x9b, 0xa5, 0x21, 0x00]],
  ['an old Word document', [0x31, 0xbe, 0x00, 0x00]],
  ['a Word 6 or Word 95 document', [0xdc, 0xa5]],
  ['an old Word document (for Macintosh)', [0xfe, 0x37, 0x00]],
  ['an old Excel workbook (XLS)', [0x09, 0x00, 0x04, 0x00]],
  ['an old Excel workbook (XLS)', [0x09, 0x02, 0x06, 0x00]],
  ['an old Excel workbook (XLS)', [0x09, 0x04, 0x06, 0x00]],
];
/** Shorter signatures may also begin a text; a binary file has other bytes that are not text soon after. */
const SHORT = 4;

/** The name of an unsupported format by its first bytes. */
function signatureOf(bytes: Buffer): string | undefined {
  return FOREIGN_SIGNATURES.find(([, magic, at = 0]) => {
    const wanted = typeof magic === 'string' ? Buffer.from(magic, 'latin1') : Buffer.from(magic);
    if (!bytes.subarray(at, at + wanted.length).equals(wanted)) return false;
    return wanted.length >= SHORT || bytes.subarray(0, 512).some((byte) => byte === 0 || byte > 0x7f);
  })?.[0];
}
