import type { CallChannel } from '@app/calls';

/** What calls can be grouped and filtered by. */
export const DIMENSIONS = [
  'agent',
  'version',
  'campaign',
  'number',
  'trunk',
  'direction',
  'outcome',
  'cause',
  'answered_by',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The key columns of a rollup row: 0 or an empty text stands for calls without a value, and for a column that its cuboid leaves out. */
export interface RollupKey {
  agent_id: number;
  agent_version: number;
  campaign_id: number;
  number_id: number;
  trunk_id: number;
  direction: string;
  outcome: string;
  cause: string;
  answered_by: string;
}

export type KeyColumn = keyof RollupKey;

/** The key columns with their types, in the order of the primary key. */
export const KEY_COLUMNS = {
  agent_id: 'integer',
  agent_version: 'integer',
  campaign_id: 'integer',
  number_id: 'integer',
  trunk_id: 'integer',
  direction: 'text',
  outcome: 'text',
  cause: 'text',
  answered_by: 'text',
} as const satisfies Record<KeyColumn, 'integer' | 'text'>;

export const KEY_NAMES = Object.keys(KEY_COLUMNS) as KeyColumn[];

/** The columns of a dimension: versions are numbered within their agent. */
export const COLUMNS_OF: Record<Dimension, readonly KeyColumn[]> = {
  agent: ['agent_id'],
  version: ['agent_id', 'agent_version'],
  campaign: ['campaign_id'],
  number: ['number_id'],
  trunk: ['trunk_id'],
  direction: ['direction'],
  outcome: ['outcome'],
  cause: ['cause'],
  answered_by: ['answered_by'],
};

/** A set of key columns as bits: one precomputed grouping of the calls. */
export type Cuboid = number;

const bitOf = (column: KeyColumn): number => 1 << KEY_NAMES.indexOf(column);

const cuboidOf = (columns: Iterable<KeyColumn>): Cuboid => {
  let bits = 0;
  for (const column of columns) bits |= bitOf(column);
  return bits;
};

export const columnsIn = (cuboid: Cuboid): KeyColumn[] => KEY_NAMES.filter((column) => (cuboid & bitOf(column)) !== 0);

/** Every column: the finest grouping, from which all others can be computed. */
export const FULL: Cuboid = cuboidOf(KEY_NAMES);

/** Dimensions of few values, which are kept together. */
const SMALL: Dimension[] = ['direction', 'outcome', 'answered_by'];
const LARGE: Dimension[] = ['agent', 'version', 'campaign', 'number', 'trunk', 'cause'];

const cuboid = (...dimensions: Dimension[]): Cuboid => cuboidOf(dimensions.flatMap((one) => COLUMNS_OF[one]));

/**
 * The groupings that may be kept per day and month: every dimension alone, every pair, each large one with all small ones, and the
 * finest. A grouping is stored only while it saves something (`block-builder.ts`).
 */
export const LEVEL_CUBOIDS: readonly Cuboid[] = [
  ...new Set([
    0,
    ...[...SMALL, ...LARGE].map((one) => cuboid(one)),
    cuboid(...SMALL),
    ...LARGE.map((one) => cuboid(one, ...SMALL)),
    ...LARGE.flatMap((one) => LARGE.map((other) => cuboid(one, other))),
    FULL,
  ]),
];

/** The groupings that may be kept per hour. */
export const HOUR_CUBOIDS: readonly Cuboid[] = [
  ...new Set([0, ...[...SMALL, ...LARGE].map((one) => cuboid(one)), cuboid(...SMALL), FULL]),
];

/** One more bit: the same grouping of the calls of tester callers, which queries leave out unless they ask for them. */
const TESTS: Cuboid = 1 << KEY_NAMES.length;
/** Another one: the same grouping of web calls. */
const WEB: Cuboid = TESTS << 1;

/** Calls whose groupings are stored apart from others. */
interface Population {
  channel: CallChannel;
  is_test: boolean;
}

/** Every population, with the bits of its groupings. */
export const POPULATIONS: readonly (Population & { bits: Cuboid })[] = [
  { channel: 'phone', is_test: false, bits: 0 },
  { channel: 'phone', is_test: true, bits: TESTS },
  { channel: 'web', is_test: false, bits: WEB },
  { channel: 'web', is_test: true, bits: WEB | TESTS },
];

export const isOf = (call: Population, { channel, is_test: isTest }: Population): boolean =>
  call.channel === channel && call.is_test === isTest;

/** The calls that a query is about. */
export interface PopulationFilter {
  channel: CallChannel | 'any';
  /** Also the calls of tester callers. */
  withTests: boolean;
}

export const populationsOf = ({ channel, withTests }: PopulationFilter) =>
  POPULATIONS.filter((one) => (channel === 'any' || one.channel === channel) && (withTests || !one.is_test));

/** Whether every column of `coarse` is in `fine`: the rows of `coarse` can be computed from those of `fine`. */
export const isWithin = (coarse: Cuboid, fine: Cuboid): boolean => (coarse & fine) === coarse;

/** The groupings that have all `columns`. */
export function cuboidsWith(columns: Iterable<KeyColumn>): Cuboid[] {
  const wanted = cuboidOf(columns);
  return LEVEL_CUBOIDS.filter((one) => isWithin(wanted, one));
}
