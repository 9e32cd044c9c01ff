import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import {
  type Block,
  BLOCK_COLUMNS,
  type BlockColumn,
  type BlockColumns,
  blockOf,
  type BlockPlace,
  isText,
  NO_COLUMN,
  type ReadColumns,
  storedBlock,
} from './domain/block.js';
import { type Cuboid } from './domain/dimensions.js';
import type { TimeRange } from './domain/intervals.js';
import { type Histogram, HISTOGRAMS, type Sum, SUMS } from './domain/metrics.js';

/** Hours of UTC have the zone 0; days and months belong to a time zone. */
const LEVELS = { hour: 0, day: 1, month: 2 } as const;
export type Level = keyof typeof LEVELS;

/** The blocks of a level of an account. */
export interface LevelPlace {
  accountId: number;
  zoneId: number;
  level: Level;
}

export interface FoundBlock extends BlockPlace {
  entries: number;
  /** The transaction that stored it: blocks are replaced, not changed. */
  version: string;
}

/** A block that was read, by the beginning of its span. */
export interface LoadedBlock {
  from: number;
  /** Decodes the columns. */
  block: () => Block;
}

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;

/** The smallest stored grouping of each span. */
const FIND = {
  name: 'find-analytics-blocks',
  text: `SELECT DISTINCT ON (b.bucket) b.cuboid, b.entries, b.xmin::text AS version, ${ms('b.bucket')} AS from,
      ${ms('b.until')} AS to
    FROM unnest($4::timestamptz[], $5::timestamptz[]) AS gap (start, finish) JOIN analytics_blocks b
      ON b.account_id = $1 AND b.zone_id = $2 AND b.level = $3 AND b.bucket >= gap.start AND b.bucket < gap.finish AND b.until <= gap.finish
    WHERE b.cuboid = ANY ($6::integer[]) ORDER BY b.bucket, b.entries, b.cuboid`,
};

const WANTED = `FROM unnest($4::integer[], $5::float8[]) AS wanted (cuboid, second) JOIN analytics_blocks b
    ON b.account_id = $1 AND b.zone_id = $2 AND b.level = $3 AND b.bucket = to_timestamp(wanted.second) AND b.cuboid = wanted.cuboid`;

const BYTES: readonly (BlockColumn | Sum | Histogram)[] = [...BLOCK_COLUMNS, ...SUMS, ...HISTOGRAMS];

const ADD = {
  name: 'add-analytics-block',
  text: `INSERT INTO analytics_blocks (account_id, zone_id, level, bucket, until, cuboid, entries, labels, ${BYTES.join(', ')})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${BYTES.map((_, index) => `$${index + 9}`).join(', ')})`,
};

const REMOVE = {
  name: 'remove-analytics-blocks',
  text: 'DELETE FROM analytics_blocks WHERE account_id = $1 AND zone_id = $2 AND level = $3 AND bucket = $4',
};

const EXISTS = {
  name: 'analytics-block-exists',
  text: 'SELECT EXISTS (SELECT FROM analytics_blocks WHERE account_id = $1 AND zone_id = $2 AND level = $3 AND bucket = $4) AS found',
};

/** The days and months of all time zones that contain one of the hours; none is longer than 32 days. */
const REMOVE_AROUND = {
  name: 'remove-analytics-blocks-around',
  text: `DELETE FROM analytics_blocks b
    USING unnest($1::integer[], $2::timestamptz[]) AS m (account_id, hour) JOIN analytics_zones z ON z.account_id = m.account_id
    WHERE b.account_id = m.account_id AND b.zone_id = z.id AND b.level IN (${LEVELS.day}, ${LEVELS.month})
      AND b.bucket > m.hour - interval '32 days' AND b.bucket < m.hour + interval '1 hour' AND b.until > m.hour`,
};

const placeValues = ({ accountId, zoneId, level }: LevelPlace): unknown[] => [accountId, zoneId, LEVELS[level]];
const times = (moments: readonly number[]): Date[] => moments.map((moment) => new Date(moment));

/** Rollups: the entries of one grouping in an hour, day or month, in columns of one row (docs/decisions/0058). */
@Injectable()
export class AnalyticsBlocksRepository {
  constructor(private readonly database: Database) {}

  /** The smallest blocks of `cuboids` that lie in the ranges. */
  find(place: LevelPlace, ranges: readonly TimeRange[], cuboids: readonly Cuboid[], tx: Sql): Promise<FoundBlock[]> {
    const edges = [times(ranges.map(({ from }) => from)), times(ranges.map(({ to }) => to))];
    const values = [...placeValues(place), ...edges, cuboids];
    return this.database.rows<FoundBlock & Record<string, unknown>>(FIND, values, tx);
  }

  /** In the order of time; `block` decodes the columns. */
  async load(place: LevelPlace, found: readonly BlockPlace[], columns: BlockColumns, tx: Sql): Promise<LoadedBlock[]> {
    // One value per block: each one costs the driver several microseconds, whatever its size is.
    const bytes = [...columns.keys, ...columns.sums, ...columns.histograms].map(
      (column) => `coalesce(b.${column}, '\\x0${NO_COLUMN}')`,
    );
    const labels = columns.keys.some(isText) ? 'to_json(b.labels)' : 'NULL';
    const text = `SELECT ${ms('b.bucket')} AS from, b.entries, ${labels} AS labels, ${bytes.join(' || ')} AS bytes ${WANTED} ORDER BY b.bucket, b.cuboid`;
    const wanted = [found.map(({ cuboid }) => cuboid), found.map(({ from }) => from / 1_000)];
    const rows = await this.database.rows<ReadColumns & { from: number }>(
      { text },
      [...placeValues(place), ...wanted],
      tx,
    );
    return rows.map((row) => ({ from: row.from, block: () => blockOf(row, columns) }));
  }

  /** Replaces the blocks of a span. */
  async replace(place: LevelPlace, span: TimeRange, blocks: ReadonlyMap<Cuboid, Block>, tx: Sql): Promise<void> {
    const from = new Date(span.from);
    await this.database.rows(REMOVE, [...placeValues(place), from], tx);
    for (const [cuboid, block] of blocks) {
      const stored = storedBlock(block);
      const bytes = BYTES.map((column) => stored[column]);
      const values = [...placeValues(place), from, new Date(span.to), cuboid, block.entries, block.labels, ...bytes];
      await this.database.rows(ADD, values, tx);
    }
  }

  async exists(place: LevelPlace, from: number, tx: Sql): Promise<boolean> {
    const [row] = await this.database.rows<{ found: boolean }>(EXISTS, [...placeValues(place), new Date(from)], tx);
    return row?.found ?? false;
  }

  /** Removes the days and months with hours that have changed. */
  async removeAround(hours: readonly { accountId: number; hour: number }[], tx: Sql): Promise<void> {
    const values = [hours.map(({ accountId }) => accountId), times(hours.map(({ hour }) => hour))];
    await this.database.rows(REMOVE_AROUND, values, tx);
  }
}
