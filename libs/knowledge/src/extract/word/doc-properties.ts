/** Paragraph and character properties ([MS-DOC] 2.6) that the text depends on. */
export const Sprm = {
  Deleted: 0x0800,
  Struck: 0x0837,
  Hidden: 0x083c,
  DoubleStruck: 0x2a53,
  InTable: 0x2416,
  EndsRow: 0x2417,
  EndsInnerRow: 0x244c,
  ListLevel: 0x260a,
  List: 0x460b,
  Huge: 0x6646,
  HugeOld: 0x6645,
} as const;

/** Values by the code of the property; those of variable length are left out. */
export type Properties = ReadonlyMap<number, number>;

const [TABLE_DEFINITION, TABS] = [0xd608, 0xc615];
/** Bytes of the operand by the highest three bits of the code; 0: variable. */
const OPERAND_BYTES = [1, 1, 2, 4, 2, 2, 0, 3];

export function propertiesIn(bytes: Buffer): Properties {
  const found = new Map<number, number>();
  for (let at = 0; at + 2 < bytes.length;) {
    const code = bytes.readUInt16LE(at);
    const length = OPERAND_BYTES[code >> 13] ?? 0;
    at += 2;
    if (at + length > bytes.length) break;
    if (length > 0) found.set(code, bytes.readUIntLE(at, length));
    at += length > 0 ? length : variableLength(bytes, code, at);
  }
  return found;
}

/** [MS-DOC] 2.2.5.1: the first byte is the length, except for two properties. */
function variableLength(bytes: Buffer, code: number, at: number): number {
  const length = bytes[at] ?? 0;
  if (code === TABLE_DEFINITION) return 1 + length + 256 * (bytes[at + 1] ?? 0);
  if (code !== TABS || length < 255) return 1 + length;
  const removed = 4 * (bytes[at + 1] ?? 0);
  return 3 + removed + 3 * (bytes[at + 2 + removed] ?? 0);
}

/** A part of the table stream; its position and length are in the header of the document at `at`. */
export function partOf(document: Buffer, table: Buffer, at: number): Buffer {
  const start = document.readUInt32LE(at);
  return table.subarray(start, start + document.readUInt32LE(at + 4));
}
