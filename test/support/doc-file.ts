const PAGE = 512;
const SECTOR = 512;
const TEXT_AT = 2048;
/** Streams below this size would need the short sectors of the container. */
const LONG_STREAM = 4096;
const [END, FAT_SECTOR, FREE] = [0xfffffffe, 0xfffffffd, 0xffffffff];

/**
 * [code, value]: the highest three bits of the code determine the size of the value; for codes of variable size the value is the
 * number of bytes, which are zero.
 */
export type DocProperty = [code: number, value: number];

export interface DocFileParagraph {
  /** Without its mark. */
  text: string;
  mark?: '\r' | '\x07';
  style?: number;
  properties?: DocProperty[];
  /** Tracked deletion of the text and the mark. */
  isDeleted?: boolean;
  /** A property of its characters and its mark that is on, such as sprmCFVanish. */
  characterProperty?: number;
}

export interface DocFileLevel {
  /** Characters below 9 stand for the number of that level. */
  text: string;
  /** MSONFC; decimal by default. */
  format?: number;
  start?: number;
  /** LVLF flags: 4 legal style, 8 restarted by `restartBelow` only. */
  flags?: number;
  restartBelow?: number;
}

export interface DocFileOverride {
  level: number;
  start?: number;
  format?: DocFileLevel;
}

/** The parts of a Word 97-2003 document, in the notation of [MS-DOC]. */
export interface DocFile {
  paragraphs: DocFileParagraph[];
  /** Styles by their index. */
  styles?: { base?: number; properties?: DocProperty[] }[];
  /** PlfLst; a list of one level is a simple list. */
  lists?: { id: number; levels: DocFileLevel[] }[];
  /** PlfLfo: paragraphs refer to its entries by their number, from 1. */
  overrides?: { id: number; levels?: DocFileOverride[] }[];
}

export function docFile({ paragraphs, styles = [], lists = [], overrides = [] }: DocFile): Buffer {
  const text = Buffer.from(paragraphs.map(({ text, mark = '\r' }) => text + mark).join(''), 'utf16le');
  const pagesAt = Math.ceil((TEXT_AT + text.length) / PAGE);
  const ranges = rangesOf(paragraphs);
  const paragraphPages = pagesOf(ranges, 13, ({ style = 0, properties = [] }) => {
    const bytes = Buffer.concat([word(style), bytesOf(properties)]);
    return Buffer.concat([Buffer.from([0, Math.ceil(bytes.length / 2)]), bytes]);
  });
  const characterPages = pagesOf(ranges, 1, ({ isDeleted, characterProperty = isDeleted ? 0x0800 : undefined }) =>
    characterProperty === undefined
      ? undefined
      : Buffer.concat([Buffer.from([3]), word(characterProperty), Buffer.from([1])]),
  );
  const characters = text.length / 2;
  const piece = Buffer.concat([Buffer.from([2]), long(16), long(0), long(characters), word(0), long(TEXT_AT), word(0)]);
  const parts: [at: number, part: Buffer, length?: number][] = [
    [0x00a2, styleSheet(styles)],
    [0x00fa, pageTable(characterPages.length, pagesAt)],
    [0x0102, pageTable(paragraphPages.length, pagesAt + characterPages.length)],
    [0x01a2, piece],
    [0x02e2, listTable(lists), 2 + 28 * lists.length],
    [0x02ea, overrideTable(overrides)],
  ];
  const header = Buffer.alloc(TEXT_AT);
  header.writeUInt16LE(0xa5ec, 0);
  header.writeUInt16LE(0xc1, 2);
  header.writeUInt16LE(0x0200, 10);
  header.writeUInt32LE(characters, 0x4c);
  let tableBytes = 0;
  for (const [at, part, length = part.length] of parts) {
    header.writeUInt32LE(tableBytes, at);
    header.writeUInt32LE(length, at + 4);
    tableBytes += part.length;
  }
  const beforePages = pad(Buffer.concat([header, text]), PAGE);
  return compoundFile({
    WordDocument: Buffer.concat([beforePages, ...characterPages, ...paragraphPages]),
    '1Table': Buffer.concat(parts.map(([, part]) => part)),
  });
}

type Range = DocFileParagraph & { start: number; end: number };

function rangesOf(paragraphs: DocFileParagraph[]): Range[] {
  let end = TEXT_AT;
  return paragraphs.map((paragraph) => {
    const start = end;
    end += 2 * (paragraph.text.length + 1);
    return { ...paragraph, start, end };
  });
}

/** Pages of eight runs each: positions, then an entry of `entryBytes` per run with the place of its properties. */
function pagesOf(ranges: Range[], entryBytes: number, read: (range: Range) => Buffer | undefined): Buffer[] {
  return Array.from({ length: Math.ceil(ranges.length / 8) }, (_, number) => {
    const runs = ranges.slice(8 * number, 8 * number + 8);
    const page = Buffer.alloc(PAGE);
    let free = PAGE - 2;
    runs.forEach((range, index) => {
      page.writeUInt32LE(range.start, 4 * index);
      page.writeUInt32LE(range.end, 4 * index + 4);
      const properties = read(range);
      if (!properties) return;
      free = (free - properties.length) & ~1;
      properties.copy(page, free);
      page.writeUInt8(free / 2, 4 * (runs.length + 1) + entryBytes * index);
    });
    page.writeUInt8(runs.length, PAGE - 1);
    return page;
  });
}

const pageTable = (count: number, first: number): Buffer =>
  Buffer.concat([
    ...Array.from({ length: count + 1 }, () => long(0)),
    ...Array.from({ length: count }, (_, index) => long(first + index)),
  ]);

function styleSheet(styles: NonNullable<DocFile['styles']>): Buffer {
  const header = Buffer.concat([word(18), word(styles.length), word(10), Buffer.alloc(14)]);
  const each = styles.map(({ base = 0xfff, properties = [] }, index) => {
    const own = Buffer.concat([word(index), bytesOf(properties)]);
    const fixed = Buffer.concat([word(index), word(1 | (base << 4)), Buffer.alloc(6)]);
    const style = pad(Buffer.concat([fixed, word(1), word(0x41), word(0), word(own.length), own]), 2);
    return Buffer.concat([word(style.length), style]);
  });
  return Buffer.concat([header, ...each]);
}

function listTable(lists: NonNullable<DocFile['lists']>): Buffer {
  const entries = lists.map(({ id, levels }) =>
    Buffer.concat([long(id), Buffer.alloc(22), Buffer.from([levels.length === 1 ? 1 : 0, 0])]),
  );
  const levels = lists.flatMap(({ levels }) =>
    Array.from({ length: levels.length === 1 ? 1 : 9 }, (_, index) => levelBytes(levels[index] ?? { text: '' })),
  );
  return Buffer.concat([word(lists.length), ...entries, ...levels]);
}

function levelBytes({ text, format = 0, start = 1, flags = 0, restartBelow = 0 }: DocFileLevel): Buffer {
  const fixed = Buffer.alloc(28);
  fixed.writeInt32LE(start, 0);
  fixed.writeUInt8(format, 4);
  fixed.writeUInt8(flags, 5);
  fixed.writeUInt8(restartBelow, 26);
  return Buffer.concat([fixed, word(text.length), Buffer.from(text, 'utf16le')]);
}

function overrideTable(overrides: NonNullable<DocFile['overrides']>): Buffer {
  const entries = overrides.map(({ id, levels = [] }) =>
    Buffer.concat([long(id), Buffer.alloc(8), Buffer.from([levels.length, 0, 0, 0])]),
  );
  const data = overrides.map(({ levels = [] }) => Buffer.concat([long(0xffffffff), ...levels.map(overrideBytes)]));
  return Buffer.concat([long(overrides.length), ...entries, ...data]);
}

const overrideBytes = ({ level, start, format }: DocFileOverride): Buffer =>
  Buffer.concat([
    long(start ?? 0),
    long(level | (start === undefined ? 0 : 0x10) | (format ? 0x20 : 0)),
    format ? levelBytes(format) : Buffer.alloc(0),
  ]);

const bytesOf = (properties: DocProperty[]): Buffer =>
  Buffer.concat(properties.map(([code, value]) => Buffer.concat([word(code), operandOf(code, value)])));

/** sprmTDefTable has a length of two bytes, which counts one of them. */
function operandOf(code: number, value: number): Buffer {
  const size = [1, 1, 2, 4, 2, 2, 0, 3][code >> 13] ?? 0;
  if (size === 0) return Buffer.concat([code === 0xd608 ? word(value + 1) : Buffer.from([value]), Buffer.alloc(value)]);
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
}

/** [MS-CFB]: header, allocation table, directory, and the streams in sectors that follow each other. */
export function compoundFile(streams: Record<string, Buffer>): Buffer {
  const contents = Object.values(streams).map((stream) =>
    pad(Buffer.concat([stream, Buffer.alloc(Math.max(0, LONG_STREAM - stream.length))]), SECTOR),
  );
  const sectors = contents.map(({ length }) => length / SECTOR);
  const starts = sectors.map((_, index) => 2 + sectors.slice(0, index).reduce((sum, count) => sum + count, 0));
  const chains = sectors.flatMap((count, index) =>
    Array.from({ length: count }, (_, at) => (at === count - 1 ? END : (starts[index] ?? 0) + at + 1)),
  );
  if (chains.length > 126) throw new Error('The document is too long for one sector of the allocation table.');
  const table = Buffer.concat([FAT_SECTOR, END, ...chains].map(long));
  const names = Object.keys(streams);
  const directory = [
    directoryEntry('Root Entry', { type: 5, child: 1 }),
    ...names.map((name, index) =>
      directoryEntry(name, {
        type: 2,
        right: index + 1 < names.length ? index + 2 : FREE,
        start: starts[index],
        size: contents[index]?.length,
      }),
    ),
  ];
  return Buffer.concat([
    compoundHeader(),
    Buffer.concat([table, Buffer.alloc(SECTOR - table.length, 0xff)]),
    pad(Buffer.concat(directory), SECTOR),
    ...contents,
  ]);
}

function compoundHeader(): Buffer {
  const header = Buffer.alloc(SECTOR, 0xff);
  header.fill(0, 8, 0x4c);
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(header);
  const words: [at: number, value: number][] = [
    [0x18, 0x3e],
    [0x1a, 3],
    [0x1c, 0xfffe],
    [0x1e, 9],
    [0x20, 6],
  ];
  for (const [at, value] of words) header.writeUInt16LE(value, at);
  const longs: [at: number, value: number][] = [
    [0x2c, 1],
    [0x30, 1],
    [0x38, LONG_STREAM],
    [0x3c, END],
    [0x44, END],
    [0x4c, 0],
  ];
  for (const [at, value] of longs) header.writeUInt32LE(value, at);
  return header;
}

interface DirectoryEntry {
  type: number;
  right?: number;
  child?: number;
  start?: number;
  size?: number;
}

function directoryEntry(
  name: string,
  { type, right = FREE, child = FREE, start = END, size = 0 }: DirectoryEntry,
): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 'utf16le');
  entry.writeUInt16LE(2 * name.length + 2, 0x40);
  entry.writeUInt8(type, 0x42);
  entry.writeUInt8(1, 0x43);
  [FREE, right, child].forEach((id, index) => entry.writeUInt32LE(id, 0x44 + 4 * index));
  entry.writeUInt32LE(start, 0x74);
  entry.writeUInt32LE(size, 0x78);
  return entry;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

const pad = (bytes: Buffer, unit: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((unit - (bytes.length % unit)) % unit)]);
