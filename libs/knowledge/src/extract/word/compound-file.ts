import { DocumentProblem } from '../document-problem.js';

/** [MS-CFB] 2.2: the container of Word 97-2003 and of encrypted Office files. */
const MAGIC = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const HEADER_DIFAT = 109;
/** Sector numbers from here on have special meanings (end, free, table). */
const LAST_SECTOR = 0xfffffffa;
const ENTRY_BYTES = 128;
/** Offsets in a directory entry: the object's type, its siblings in the tree, and its first child. */
const [TYPE, LEFT, RIGHT, CHILD] = [0x42, 0x44, 0x48, 0x4c];
const STREAM = 2;
const ROOT = 5;

interface StreamEntry {
  name: string;
  size: number;
  start: number;
}

export const isCompoundFile = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(MAGIC);

/** The streams of a compound file. Throws FILE_CORRUPT if its tables point outside the file or form a loop. */
export class CompoundFile {
  readonly streams: StreamEntry[];
  private readonly sectorBytes: number;
  private readonly shortSectorBytes: number;
  private readonly table: Uint32Array;
  private root: StreamEntry | undefined;

  constructor(private readonly bytes: Buffer) {
    if (bytes.length < 512) throw new DocumentProblem('FILE_CORRUPT');
    const [shift, shortShift] = [bytes.readUInt16LE(0x1e), bytes.readUInt16LE(0x20)];
    if (![9, 12].includes(shift) || shortShift !== 6) throw new DocumentProblem('FILE_CORRUPT');
    this.sectorBytes = 2 ** shift;
    this.shortSectorBytes = 2 ** shortShift;
    this.table = this.tableOf(this.tableSectors());
    this.streams = this.readDirectory();
  }

  /** Stream names are case-insensitive: [MS-CFB] 2.6.4. */
  find(name: string): StreamEntry | undefined {
    return this.streams.find((stream) => stream.name.toLowerCase() === name.toLowerCase());
  }

  /** The first `length` bytes of a stream. */
  head(stream: StreamEntry, length: number): Buffer {
    const wanted = Math.min(length, stream.size);
    return Buffer.concat(this.sectorsOf(stream, wanted)).subarray(0, wanted);
  }

  /** The sectors that hold the first `length` bytes of a stream, as views of the file. */
  private sectorsOf({ size, start }: StreamEntry, length: number): Buffer[] {
    const isShort = size < this.bytes.readUInt32LE(0x38);
    return isShort ? this.shortSectors(start, length) : this.longSectors(start, length);
  }

  private longSectors(start: number, length: number): Buffer[] {
    return this.chain(this.table, start, Math.ceil(length / this.sectorBytes)).map((sector) => this.sector(sector));
  }

  /** Streams below 4,096 bytes share the root's stream, in sectors of 64 bytes. */
  private shortSectors(start: number, length: number): Buffer[] {
    if (!this.root) throw new DocumentProblem('FILE_CORRUPT');
    const pool = this.longSectors(this.root.start, this.root.size);
    const table = this.tableOf(this.chain(this.table, this.bytes.readUInt32LE(0x3c)));
    const size = this.shortSectorBytes;
    return this.chain(table, start, Math.ceil(length / size)).map((sector) => {
      const [at, from] = [Math.floor((sector * size) / this.sectorBytes), (sector * size) % this.sectorBytes];
      return (pool[at] ?? Buffer.alloc(0)).subarray(from, from + size);
    });
  }

  private sector(number: number): Buffer {
    const start = (number + 1) * this.sectorBytes;
    if (start >= this.bytes.length) throw new DocumentProblem('FILE_CORRUPT', 'The file is truncated.');
    return this.bytes.subarray(start, start + this.sectorBytes);
  }

  /** Sector numbers from `start` on, at most `most` of them. */
  private chain(table: Uint32Array, start: number, most = table.length): number[] {
    const sectors: number[] = [];
    for (let sector = start; sector < LAST_SECTOR && sectors.length < most;) {
      sectors.push(sector);
      const next = table[sector];
      if (next === undefined || sectors.length > table.length) throw new DocumentProblem('FILE_CORRUPT');
      sector = next;
    }
    return sectors;
  }

  /** The sectors of the allocation table: the first 109 are listed in the header, the rest in separate sectors. */
  private tableSectors(): number[] {
    const count = Math.min(this.bytes.readUInt32LE(0x2c), Math.ceil(this.bytes.length / this.sectorBytes));
    const sectors = Array.from({ length: HEADER_DIFAT }, (_, place) => this.bytes.readUInt32LE(0x4c + 4 * place));
    let next = this.bytes.readUInt32LE(0x44);
    while (sectors.length < count && next < LAST_SECTOR) {
      const words = wordsOf(this.sector(next));
      next = words.pop() ?? LAST_SECTOR;
      sectors.push(...words);
    }
    return sectors.slice(0, count).filter((sector) => sector < LAST_SECTOR);
  }

  private tableOf(sectors: number[]): Uint32Array {
    return Uint32Array.from(sectors.flatMap((sector) => wordsOf(this.sector(sector))));
  }

  /** The streams of the root storage: embedded objects (a workbook inside a document) do not determine the type of the file. */
  private readDirectory(): StreamEntry[] {
    const places = this.chain(this.table, this.bytes.readUInt32LE(0x30)).flatMap((sector) => this.entriesOf(sector));
    if (places[0] === undefined || this.bytes[places[0] + TYPE] !== ROOT) throw new DocumentProblem('FILE_CORRUPT');
    this.root = entryAt(this.bytes, places[0]);
    const open = [this.bytes.readUInt32LE(places[0] + CHILD)];
    const seen = new Set<number>();
    const streams: StreamEntry[] = [];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const at = places[id];
      if (at === undefined || seen.has(id)) continue;
      seen.add(id);
      if (this.bytes[at + TYPE] === STREAM) streams.push(entryAt(this.bytes, at));
      open.push(this.bytes.readUInt32LE(at + LEFT), this.bytes.readUInt32LE(at + RIGHT));
    }
    return streams;
  }

  /** Positions of the entries of a directory sector in the file. */
  private entriesOf(sector: number): number[] {
    const length = this.sector(sector).length;
    const start = (sector + 1) * this.sectorBytes;
    return Array.from({ length: Math.floor(length / ENTRY_BYTES) }, (_, place) => start + place * ENTRY_BYTES);
  }
}

function entryAt(bytes: Buffer, at: number): StreamEntry {
  const nameBytes = Math.min(Math.max(bytes.readUInt16LE(at + 0x40) - 2, 0), 62);
  return {
    name: bytes.toString('utf16le', at, at + nameBytes),
    size: bytes.readUInt32LE(at + 0x78),
    start: bytes.readUInt32LE(at + 0x74),
  };
}

function wordsOf(sector: Buffer): number[] {
  return Array.from({ length: sector.length >> 2 }, (_, place) => sector.readUInt32LE(4 * place));
}
