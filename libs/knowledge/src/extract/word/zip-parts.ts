import { fromBuffer, type Entry, type ZipFile } from 'yauzl';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { DocumentProblem } from '../document-problem.js';

/** Real documents stay far below these limits; together they rejected every ZIP bomb tried and no real file. */
const MAX_ENTRIES = 5_000;
const MAX_BYTES = 200 * 1024 * 1024;
const MAX_RATIO = 200;
/** The ratio is not checked below this size: a small part of white space may shrink to a thousandth. */
const RATIO_FROM_BYTES = 1024 * 1024;

const END_OF_DIRECTORY = Buffer.from([0x50, 0x4b, 5, 6]);
const END_BYTES = 22;

const openZip = promisify<Buffer, object, ZipFile>(fromBuffer);

/** The parts of a ZIP file by name; a part is inflated on demand and never beyond its declared size. */
export class ZipParts {
  private constructor(
    private readonly zip: ZipFile,
    private readonly parts: Map<string, Entry>,
  ) {}

  /** Throws TOO_LARGE_EXPANDED based on the directory, before anything is inflated; FILE_CORRUPT, FILE_ENCRYPTED. */
  static async open(bytes: Buffer): Promise<ZipParts> {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
    const zip = await openZip(withoutTail(bytes), options).catch(corrupt);
    if (zip.entryCount > MAX_ENTRIES) throw tooManyEntries();
    const entries = await readDirectory(zip).catch(corrupt);
    guard(entries);
    return new ZipParts(zip, new Map(entries.map((entry) => [nameOf(entry), entry])));
  }

  get names(): string[] {
    return [...this.parts.keys()];
  }

  has(name: string): boolean {
    return this.parts.has(name);
  }

  /** yauzl fails at the first byte beyond the declared size, so a forged directory has no effect. */
  async read(name: string): Promise<Buffer> {
    const part = this.parts.get(name);
    if (!part) throw new DocumentProblem('FILE_CORRUPT', 'A part of the file is missing.');
    const pieces: Buffer[] = [];
    const open = promisify<Entry, import('node:stream').Readable>((entry, done) =>
      this.zip.openReadStream(entry, done),
    );
    try {
      for await (const piece of await open(part)) pieces.push(piece as Buffer);
    } catch (error) {
      return corrupt(error);
    }
    return Buffer.concat(pieces);
  }
}

async function readDirectory(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  zip.on('entry', (entry: Entry) => {
    entries.push(entry);
    zip.readEntry();
  });
  const end = once(zip, 'end');
  zip.readEntry();
  await end;
  return entries;
}

function guard(entries: Entry[]): void {
  const total = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (total > MAX_BYTES) {
    throw new DocumentProblem(
      'TOO_LARGE_EXPANDED',
      `The file unpacks to ${Math.round(total / 1024 / 1024)} MB; 200 MB are allowed.`,
    );
  }
  if (entries.some(isInflated)) {
    throw new DocumentProblem(
      'TOO_LARGE_EXPANDED',
      `A part of the file unpacks to more than ${MAX_RATIO} times its size.`,
    );
  }
  if (entries.some((entry) => entry.isEncrypted())) throw new DocumentProblem('FILE_ENCRYPTED');
}

const isInflated = ({ uncompressedSize, compressedSize }: Entry): boolean =>
  uncompressedSize > RATIO_FROM_BYTES && uncompressedSize > compressedSize * MAX_RATIO;

/** Some programs separate folders by a backslash or begin names with a slash. */
function nameOf(entry: Entry): string {
  return entry.fileNameRaw.toString().replaceAll('\\', '/').replace(/^\/+/, '');
}

/** Removes bytes after the end of the archive: Word ignores them, yauzl rejects them. */
function withoutTail(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf(END_OF_DIRECTORY);
  if (at < 0 || at + END_BYTES > bytes.length) return bytes;
  return bytes.subarray(0, Math.min(bytes.length, at + END_BYTES + bytes.readUInt16LE(at + 20)));
}

function tooManyEntries(): DocumentProblem {
  return new DocumentProblem('TOO_LARGE_EXPANDED', 'The file consists of more than 5,000 parts.');
}

function corrupt(error: unknown): never {
  if (error instanceof DocumentProblem) throw error;
  throw new DocumentProblem('FILE_CORRUPT', 'The file is damaged or truncated.', { cause: error });
}
