import { CooperativeYield } from '@app/common';
import type { Block, BlockColumn } from './block.js';
import { isText } from './block.js';
import { columnsIn, type Cuboid, FULL, isWithin } from './dimensions.js';
import { Groups } from './groups.js';
import { HISTOGRAMS, type Histogram, type Sum, SUMS } from './metrics.js';

/** More than the bins of a histogram. */
const BINS = 512;

const columnsOf = (cuboid: Cuboid, hasQuarters: boolean): BlockColumn[] => [
  ...(hasQuarters ? (['quarter'] as const) : []),
  ...columnsIn(cuboid),
];

/** Adds blocks to the block of a coarser grouping. */
export class BlockBuilder {
  private readonly columns: BlockColumn[];
  private readonly groups: Groups;
  private readonly sums = new Map<Sum, Float64Array>();
  /** Group and bin -> number of values. */
  private readonly bins = new Map<Histogram, Map<number, number>>();

  constructor(
    readonly cuboid: Cuboid,
    hasQuarters: boolean,
  ) {
    this.columns = columnsOf(cuboid, hasQuarters);
    this.groups = new Groups(this.columns);
  }

  get entries(): number {
    return this.groups.size;
  }

  add(block: Block): void {
    const ids = this.groups.of(block);
    for (const sum of SUMS) {
      const values = block.sums[sum];
      if (values) this.addSum(sum, ids, values);
    }
    for (const name of HISTOGRAMS) this.addBins(name, ids, block);
  }

  block(): Block {
    const { entries } = this;
    const block: Block = { entries, labels: [], keys: {}, sums: {}, bins: {} };
    this.columns.forEach((column, index) => {
      const values = this.groups.values(index);
      const numbers = isText(column) ? values.map((value) => labelOf(block, value as string)) : (values as number[]);
      block.keys[column] = Float64Array.from(
        { length: entries },
        (_, group) => numbers[this.groups.code(group, index)]!,
      );
    });
    for (const [sum, values] of this.sums) {
      const own = new Float64Array(entries);
      own.set(values.subarray(0, entries));
      block.sums[sum] = own;
    }
    for (const [name, counts] of this.bins) block.bins[name] = binsOf(counts, entries);
    return block;
  }

  private addSum(sum: Sum, ids: Uint32Array, values: ArrayLike<number>): void {
    let own = this.sums.get(sum);
    if (!own || own.length < this.groups.size) {
      const larger = new Float64Array(Math.max(16, 2 * this.groups.size));
      if (own) larger.set(own);
      own = larger;
      this.sums.set(sum, own);
    }
    for (let i = 0; i < ids.length; i++) own[ids[i]!]! += values[i]!;
  }

  private addBins(name: Histogram, ids: Uint32Array, block: Block): void {
    const added = block.bins[name];
    if (!added) return;
    const own = this.bins.get(name) ?? new Map<number, number>();
    this.bins.set(name, own);
    let next = 0;
    for (let i = 0; i < ids.length; i++) {
      for (const end = next + added.pairs[i]!; next < end; next++) {
        const place = ids[i]! * BINS + added.bins[next]!;
        own.set(place, (own.get(place) ?? 0) + added.counts[next]!);
      }
    }
  }
}

function labelOf({ labels }: Block, value: string): number {
  const present = labels.indexOf(value);
  return present >= 0 ? present : labels.push(value) - 1;
}

function binsOf(values: ReadonlyMap<number, number>, entries: number) {
  const pairs = new Float64Array(entries);
  const places = Float64Array.from(values.keys()).toSorted();
  for (const place of places) pairs[Math.floor(place / BINS)]! += 1;
  return { pairs, bins: places.map((place) => place % BINS), counts: places.map((place) => values.get(place)!) };
}

/** What reading a block costs, in entries: finding it takes about as long as adding up a hundred. */
export const costOf = (entries: number): number => entries + 100;

/** Larger blocks would take too much memory; the level below answers. */
const MOST_ENTRIES = 50_000;

interface BuildOptions {
  cuboids: readonly Cuboid[];
  hasQuarters: boolean;
  /** The finest blocks of the span, again at each call. */
  source: () => AsyncIterable<Block> | Iterable<Block>;
  /** The cost of reading the source; undefined: the result is the finest there is. */
  sourceCost: number | undefined;
}

/**
 * Builds the blocks of coarser groupings, and returns those that save at least half of the entries of the smallest one that could answer
 * instead. Only groupings that no other one contains are computed from the source.
 */
export async function buildBlocks({
  cuboids,
  hasQuarters,
  source,
  sourceCost,
}: BuildOptions): Promise<Map<Cuboid, Block>> {
  const built = new Map<Cuboid, Block>();
  const tooLarge = new Set<Cuboid>();
  const yielding = new CooperativeYield();
  let left = cuboids.toSorted((a, b) => columnsIn(b).length - columnsIn(a).length || a - b);
  while (left.length > 0) {
    // The finest grouping of a day or month is rarely kept: others are not computed from it.
    const finer = sourceCost === undefined ? left : left.filter((one) => one !== FULL);
    await fromSource(left.filter((one) => !finer.some((other) => other !== one && isWithin(one, other))));
    for (const cuboid of left) {
      const fine = smallest(built, cuboid);
      if (!fine) continue;
      const builder = new BlockBuilder(cuboid, hasQuarters);
      builder.add(fine);
      built.set(cuboid, builder.block());
      if (yielding.due) await yielding.pause();
    }
    left = left.filter((one) => !built.has(one));
  }
  return worthwhile(built, sourceCost);

  async function fromSource(wanted: readonly Cuboid[]): Promise<void> {
    let builders = wanted.map((cuboid) => new BlockBuilder(cuboid, hasQuarters));
    for await (const block of source()) {
      for (const builder of builders) {
        builder.add(block);
        if (yielding.due) await yielding.pause();
      }
      if (sourceCost === undefined) continue;
      // The finest one is kept only where it saves half of the entries.
      const most = (one: BlockBuilder): number =>
        one.cuboid === FULL ? Math.min(MOST_ENTRIES, sourceCost / 2) : MOST_ENTRIES;
      builders.filter((one) => one.entries > most(one)).forEach((one) => tooLarge.add(one.cuboid));
      builders = builders.filter((one) => !tooLarge.has(one.cuboid));
      if (builders.length === 0) break;
    }
    for (const builder of builders) built.set(builder.cuboid, builder.block());
    left = left.filter((one) => !built.has(one) && !tooLarge.has(one));
  }
}

/** The smallest of the blocks from which one can be computed. */
function smallest(blocks: ReadonlyMap<Cuboid, Block>, cuboid: Cuboid): Block | undefined {
  const fitting = [...blocks].filter(([fine]) => isWithin(cuboid, fine)).map(([, block]) => block);
  return fitting.toSorted((a, b) => a.entries - b.entries)[0];
}

function worthwhile(built: ReadonlyMap<Cuboid, Block>, sourceCost: number | undefined): Map<Cuboid, Block> {
  const kept = new Map<Cuboid, Block>();
  const finestFirst = [...built].toSorted(([a], [b]) => columnsIn(b).length - columnsIn(a).length || a - b);
  for (const [cuboid, block] of finestFirst) {
    const other = smallest(kept, cuboid);
    const cost = other ? costOf(other.entries) : sourceCost;
    if (block.entries > 0 && (cost === undefined || 2 * costOf(block.entries) <= cost)) kept.set(cuboid, block);
  }
  return kept;
}
