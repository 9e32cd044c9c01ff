import { CooperativeYield } from '@app/common';
import type { Block, BlockColumn } from './block.js';
import { columnsIn, type Cuboid, FULL, isWithin } from './dimensions.js';
import { Groups } from './groups.js';
import { HISTOGRAMS, type Histogram, type Sum, SUMS } from './metrics.js';
import { GrowingSums } from './numbers.js';
import { PairNumbers } from './pair-numbers.js';

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
  private readonly sums = new Map<Sum, GrowingSums>();
  /** The number of values in each bin of each group. */
  private readonly bins = new Map<Histogram, { places: PairNumbers; counts: GrowingSums }>();

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
    this.groups.numbers().forEach((numbers, index) => {
      const labels = this.groups.texts(index)?.map((text) => labelOf(block, text));
      block.keys[this.columns[index]!] = Float64Array.from(labels ? numbers.map((code) => labels[code]!) : numbers);
    });
    for (const [sum, own] of this.sums) block.sums[sum] = own.of(entries).slice(0, entries);
    for (const [name, { places, counts }] of this.bins)
      block.bins[name] = binsOf(places, counts.of(places.size), entries);
    return block;
  }

  private addSum(sum: Sum, ids: Int32Array, values: ArrayLike<number>): void {
    const sums = this.sums.get(sum) ?? new GrowingSums();
    this.sums.set(sum, sums);
    const own = sums.of(this.groups.size);
    for (let i = 0; i < ids.length; i++) own[ids[i]!]! += values[i]!;
  }

  private addBins(name: Histogram, ids: Int32Array, block: Block): void {
    const added = block.bins[name];
    if (!added) return;
    const { places, counts } = this.bins.get(name) ?? { places: new PairNumbers(), counts: new GrowingSums() };
    this.bins.set(name, { places, counts });
    let next = 0;
    for (let i = 0; i < ids.length; i++) {
      for (const end = next + added.pairs[i]!; next < end; next++) {
        const place = places.of(ids[i]!, added.bins[next]!);
        counts.of(places.size)[place]! += added.counts[next]!;
      }
    }
  }
}

function labelOf({ labels }: Block, value: string): number {
  const present = labels.indexOf(value);
  return present >= 0 ? present : labels.push(value) - 1;
}

function binsOf(places: PairNumbers, values: Float64Array, entries: number) {
  const pairs = new Float64Array(entries);
  const sorted = new Float64Array(places.size);
  for (let place = 0; place < sorted.length; place++) {
    pairs[places.first(place)]! += 1;
    sorted[place] = places.first(place) * BINS + places.second(place);
  }
  sorted.sort();
  const counts = sorted.map((place) => values[places.of(Math.floor(place / BINS), place % BINS)]!);
  return { pairs, bins: sorted.map((place) => place % BINS), counts };
}

/** What reading a block costs, in entries: finding it takes about as long as adding up a hundred. */
export const costOf = (entries: number): number => entries + 100;

/** Larger blocks would take too much memory; the level below answers. */
const MAX_ENTRIES = 50_000;

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
        one.cuboid === FULL ? Math.min(MAX_ENTRIES, sourceCost / 2) : MAX_ENTRIES;
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
