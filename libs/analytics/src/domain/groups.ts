import type { Block, BlockColumn } from './block.js';
import { isText } from './block.js';

type Value = number | string;

/** More than the values of a column. */
const CODES = 2 ** 26;
/** Two numbers below it are one small integer of V8, which a Map finds in half of the time. */
const FEW = 2 ** 15;

/** One number for a group and the code of a column. */
const pairOf = (group: number, code: number): number =>
  group < FEW && code < FEW ? group * FEW + code : FEW * FEW + group * CODES + code;

/** The values of one column, numbered in the order in which they were seen. */
class ColumnCodes {
  readonly values: Value[] = [];
  private readonly codes = new Map<Value, number>();

  constructor(private readonly column: BlockColumn) {}

  /** The codes of the numbers that the block has in the column. */
  translator(block: Block): (raw: number) => number {
    const known: number[] = [];
    const labels = isText(this.column) ? block.labels : undefined;
    return (raw) => {
      if (raw >= 65_536) return this.codeOf(raw);
      return (known[raw] ??= this.codeOf(labels ? labels[raw]! : raw));
    };
  }

  private codeOf(value: Value): number {
    let code = this.codes.get(value);
    if (code === undefined) {
      code = this.values.push(value) - 1;
      this.codes.set(value, code);
    }
    return code;
  }
}

/** Numbers the combinations of values of some columns, in the order in which they are seen. */
export class Groups {
  private readonly columns: { column: BlockColumn; codes: ColumnCodes }[];
  /** Group of the columns before, and code of a column -> group. */
  private readonly numbers: Map<number, number>[];
  /** The codes of each group, by column. */
  private readonly members: number[][];
  private count = 0;

  constructor(columns: readonly BlockColumn[]) {
    this.columns = columns.map((column) => ({ column, codes: new ColumnCodes(column) }));
    this.numbers = columns.map(() => new Map());
    this.members = columns.map(() => []);
  }

  get size(): number {
    return this.count;
  }

  /** The group of each entry of a block. */
  of(block: Block): Uint32Array {
    const ids = new Uint32Array(block.entries);
    if (this.columns.length === 0) {
      if (block.entries > 0) this.count = 1;
      return ids;
    }
    this.columns.forEach((_column, index) => this.addColumn(block, ids, index));
    return ids;
  }

  /** The value of a column in a group. */
  value(group: number, index: number): Value {
    return this.columns[index]!.codes.values[this.code(group, index)]!;
  }

  code(group: number, index: number): number {
    return this.members[index]![group]!;
  }

  /** The values of a column by their codes. */
  values(index: number): readonly Value[] {
    return this.columns[index]!.codes.values;
  }

  private addColumn(block: Block, ids: Uint32Array, index: number): void {
    const { column, codes } = this.columns[index]!;
    const raw = block.keys[column];
    if (!raw) throw new Error(`A rollup block has no column ${column}.`);
    const numbers = this.numbers[index]!;
    const codeOf = codes.translator(block);
    const isLast = index === this.columns.length - 1;
    for (let i = 0; i < ids.length; i++) {
      const before = ids[i]!;
      const code = codeOf(raw[i]!);
      const pair = pairOf(before, code);
      let id = numbers.get(pair);
      if (id === undefined) {
        id = numbers.size;
        numbers.set(pair, id);
        this.prefixes(index).push(before, code);
        if (isLast) this.addGroup(id);
      }
      ids[i] = id;
    }
  }

  /** Of each number of a column: the group before it, and its code. */
  private readonly chains: number[][] = [];
  private prefixes(index: number): number[] {
    return (this.chains[index] ??= []);
  }

  private addGroup(id: number): void {
    this.count = id + 1;
    let number = id;
    for (let index = this.columns.length - 1; index >= 0; index--) {
      const chain = this.chains[index]!;
      this.members[index]!.push(chain[2 * number + 1]!);
      number = chain[2 * number]!;
    }
  }
}
