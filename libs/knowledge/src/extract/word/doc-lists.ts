import { isDamage } from '../document-problem.js';
import { partOf, propertiesIn, type Properties, Sprm } from './doc-properties.js';
import { LEVELS, type ListLevel, type WordList } from './list-labels.js';

/** Positions of the style sheet, the lists and the list overrides in the header ([MS-DOC] 2.5.7). */
const [STYLES_AT, LISTS_AT, OVERRIDES_AT] = [0x00a2, 0x02e2, 0x02ea];
const LIST_BYTES = 28;
const LEVEL_BYTES = 28;
const OVERRIDE_BYTES = 16;
const MAX_STYLE_CHAIN_LENGTH = 12;
const NO_STYLE = 0xfff;
const PARAGRAPH_STYLE = 1;

/** The list and level of a paragraph. */
export interface DocList {
  list: WordList;
  level: number;
}

interface Style {
  base: number;
  properties: Properties;
}

/** The lists of a Word 97-2003 document and the styles that refer to them. */
export class DocLists {
  private constructor(
    private readonly styles: (Style | undefined)[],
    private readonly lists: WordList[],
  ) {}

  /** A document with unreadable lists or styles has no numbers, but its text is still available. */
  static read(document: Buffer, table: Buffer): DocLists {
    const styles = orEmpty(() => readStyles(partOf(document, table, STYLES_AT)));
    return new DocLists(
      styles,
      orEmpty(() => readLists(document, table)),
    );
  }

  /** By the paragraph's own properties, or those of its style. */
  find(style: number, own: Properties): DocList | undefined {
    const list = this.lists[this.valueOf(Sprm.List, style, own) - 1];
    return list && { list, level: Math.min(this.valueOf(Sprm.ListLevel, style, own), LEVELS - 1) };
  }

  private valueOf(sprm: number, style: number, own: Properties): number {
    const value = own.get(sprm);
    if (value !== undefined) return value;
    let next = this.styles[style];
    for (let links = 0; next && links < MAX_STYLE_CHAIN_LENGTH; links++) {
      const inherited = next.properties.get(sprm);
      if (inherited !== undefined) return inherited;
      next = this.styles[next.base];
    }
    return 0;
  }
}

function orEmpty<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}

/** [MS-DOC] 2.9.271, STSH: the number of styles and the size of their fixed part, then each style with its length. */
function readStyles(sheet: Buffer): (Style | undefined)[] {
  if (sheet.length < 6) return [];
  const [headerBytes, count, fixedBytes] = [0, 2, 4].map((at) => sheet.readUInt16LE(at)) as [number, number, number];
  const styles: (Style | undefined)[] = [];
  for (let at = 2 + headerBytes; styles.length < count && at + 2 <= sheet.length;) {
    const length = sheet.readUInt16LE(at);
    styles.push(styleIn(sheet.subarray(at + 2, at + 2 + length), fixedBytes));
    at += 2 + length;
  }
  return styles;
}

/** [MS-DOC] 2.9.258, STD: fixed part, name, and the paragraph properties after the index of the style. */
function styleIn(style: Buffer, fixedBytes: number): Style | undefined {
  if (style.length < fixedBytes + 2) return undefined;
  const kindAndBase = style.readUInt16LE(2);
  if ((kindAndBase & 0xf) !== PARAGRAPH_STYLE) return undefined;
  const at = fixedBytes + 2 + 2 * style.readUInt16LE(fixedBytes) + 2;
  if (at + 2 > style.length) return { base: kindAndBase >> 4, properties: new Map() };
  const properties = propertiesIn(style.subarray(at + 4, at + 2 + style.readUInt16LE(at)));
  const base = kindAndBase >> 4;
  return { base: base === NO_STYLE ? -1 : base, properties };
}

interface Cursor {
  at: number;
}

/** [MS-DOC] 2.9.180, PlfLst, whose levels follow it outside of its length, and 2.9.179, PlfLfo: paragraphs refer to the latter. */
function readLists(document: Buffer, table: Buffer): WordList[] {
  const definitions = readDefinitions(
    table.subarray(document.readUInt32LE(LISTS_AT)),
    document.readUInt32LE(LISTS_AT + 4),
  );
  const part = partOf(document, table, OVERRIDES_AT);
  const count = part.length < 4 ? 0 : Math.min(part.readUInt32LE(0), Math.floor((part.length - 4) / OVERRIDE_BYTES));
  const cursor = { at: 4 + count * OVERRIDE_BYTES };
  return Array.from({ length: count }, (_, index) => {
    const at = 4 + index * OVERRIDE_BYTES;
    const key = part.readUInt32LE(at);
    const list = { key: String(key), levels: definitions.get(key)?.slice() ?? [], restarts: new Map<number, number>() };
    cursor.at += 4;
    for (let override = 0; override < part.readUInt8(at + 12); override++) readOverride(part, cursor, list);
    return list;
  });
}

function readDefinitions(part: Buffer, length: number): Map<number, ListLevel[]> {
  const definitions = new Map<number, ListLevel[]>();
  if (length < 2) return definitions;
  const count = part.readUInt16LE(0);
  const cursor = { at: 2 + count * LIST_BYTES };
  for (let index = 0; index < count; index++) {
    const at = 2 + index * LIST_BYTES;
    const isSimple = (part.readUInt8(at + 26) & 1) === 1;
    const levels = Array.from({ length: isSimple ? 1 : LEVELS }, (_, level) => readLevel(part, cursor, level));
    definitions.set(part.readUInt32LE(at), levels);
  }
  return definitions;
}

/** [MS-DOC] 2.9.133, LFOLVL: bits 4 and 5 of its flags are fStartAt and fFormatting. */
function readOverride(part: Buffer, cursor: Cursor, list: WordList): void {
  const start = part.readInt32LE(cursor.at);
  const flags = part.readUInt32LE(cursor.at + 4);
  const index = flags & 0xf;
  cursor.at += 8;
  const level = (flags & 0x20) === 0 ? undefined : readLevel(part, cursor, index);
  if (level) list.levels[index] = level;
  if ((flags & 0x10) !== 0) list.restarts.set(index, level?.start ?? start);
}

/** [MS-DOC] 2.9.150, LVL: an LVLF, two lists of properties, and the text, in which characters below 9 stand for numbers. */
function readLevel(part: Buffer, cursor: Cursor, index: number): ListLevel {
  const { at } = cursor;
  const [format, flags] = [part.readUInt8(at + 4), part.readUInt8(at + 5)];
  const textAt = at + LEVEL_BYTES + part.readUInt8(at + 24) + part.readUInt8(at + 25);
  const length = part.readUInt16LE(textAt);
  const text = part.toString('utf16le', textAt + 2, textAt + 2 + 2 * length);
  cursor.at = textAt + 2 + 2 * length;
  return {
    start: part.readInt32LE(at),
    format: format === NO_NUMBER ? 'none' : (FORMATS[format] ?? 'decimal'),
    label: Array.from(text, (sign) => (sign.charCodeAt(0) < LEVELS ? sign.charCodeAt(0) : sign)),
    restartBelow: (flags & 8) === 0 ? index : Math.min(part.readUInt8(at + 26), index),
    isLegal: (flags & 4) !== 0,
  };
}

/** [MS-OSHARED] 2.2.1.3, MSONFC, by the names of OOXML. */
const FORMATS = (
  'decimal upperRoman lowerRoman upperLetter lowerLetter ordinal cardinalText ordinalText hex chicago ideographDigital ' +
  'japaneseCounting aiueo iroha decimalFullWidth decimalHalfWidth japaneseLegal japaneseDigitalTenThousand ' +
  'decimalEnclosedCircle decimalFullWidth2 aiueoFullWidth irohaFullWidth decimalZero bullet ganada chosung ' +
  'decimalEnclosedFullstop decimalEnclosedParen decimalEnclosedCircleChinese ideographEnclosedCircle ideographTraditional ' +
  'ideographZodiac ideographZodiacTraditional taiwaneseCounting ideographLegalTraditional taiwaneseCountingThousand ' +
  'taiwaneseDigital chineseCounting chineseLegalSimplified chineseCountingThousand decimal koreanDigital koreanCounting ' +
  'koreanLegal koreanDigital2 hebrew1 arabicAlpha hebrew2 arabicAbjad hindiVowels hindiConsonants hindiNumbers hindiCounting ' +
  'thaiLetters thaiNumbers thaiCounting vietnameseCounting numberInDash russianLower russianUpper'
).split(' ');
const NO_NUMBER = 255;
