import { type Block, type BlockColumn, isText } from './block.js';
import { NONE } from './cells.js';
import type { Numbers } from './numbers.js';
import { PairNumbers } from './pair-numbers.js';

export type GroupValues = [BlockColumn, number | string][];

/** The values of a text column, numbered in the order in which they were seen: each block numbers its texts by itself. */
class Texts {
  readonly values: string[] = [];
  private readonly codes = new Map<string, number>();

  /** The codes of the texts of a block. `labels` contains the texts of other columns as well. */
  codesOf(numbers: Numbers, labels: readonly string[]): Int32Array {
    const known = new Int32Array(labels.length).fill(-1);
    const codes = new Int32Array(numbers.length);
    for (let i = 0; i < codes.length; i++) {
      const label = numbers[i]!;
      if (known[label]! < 0) known[label] = this.codeOf(labels[label]!);
      codes[i] = known[label]!;
    }
    return codes;
  }

  private codeOf(text: string): number {
    let code = this.codes.get(text);
    if (code === undefined) {
      code = this.values.push(text) - 1;
      this.codes.set(text, code);
    }
    return code;
  }
}

/** Numbers the combinations of values of some columns, in the order in which they are seen. */
export class Groups {
  /** For each column the pairs of the group by the columns before, and its number or the code of its text. */
  private readonly columns: { column: BlockColumn; pairs: PairNumbers; texts: Texts | undefined }[];
  private hasEntries = false;

  constructor(columns: readonly BlockColumn[]) {
    this.columns = columns.map((column) => ({
      column,
      pairs: new PairNumbers(),
      texts: isText(column) ? new Texts() : undefined,
    }));
  }

  get size(): number {
    return this.columns.at(-1)?.pairs.size ?? (this.hasEntries ? 1 : 0);
  }

  /** The group of each entry of a block; 0 for those that are left out. `intervals`: NONE for these. */
  of(block: Block, intervals?: Int32Array): Int32Array {
    if (block.entries > 0) this.hasEntries = true;
    const ids = new Int32Array(block.entries);
    for (const { column, pairs, texts } of this.columns) {
      const raw = block.keys[column];
      if (!raw) throw new Error(`A rollup block has no column ${column}.`);
      const numbers = texts ? texts.codesOf(raw, block.labels) : raw;
      for (let i = 0; i < ids.length; i++) if (intervals?.[i] !== NONE) ids[i] = pairs.of(ids[i]!, numbers[i]!);
    }
    return ids;
  }

  /** The columns of a group with their values. */
  values(group: number): GroupValues {
    const found: GroupValues = [];
    let number = group;
    for (const { column, pairs, texts } of this.columns.toReversed()) {
      const value = pairs.second(number);
      found.unshift([column, texts ? texts.values[value]! : value]);
      number = pairs.first(number);
    }
    return found;
  }

  /** The texts of a text column by their codes. */
  texts(index: number): readonly string[] | undefined {
    return this.columns[index]!.texts?.values;
  }

  /** For each column the number, or the code of the text, of every group. */
  numbers(): Int32Array[] {
    const found = this.columns.map(() => new Int32Array(this.size));
    for (let group = 0; group < this.size; group++) {
      let number = group;
      for (let index = found.length - 1; index >= 0; index--) {
        const { pairs } = this.columns[index]!;
        found[index]![group] = pairs.second(number);
        number = pairs.first(number);
      }
    }
    return found;
  }
}
