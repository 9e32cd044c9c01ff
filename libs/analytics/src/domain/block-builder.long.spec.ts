import { describe, expect, it } from '@jest/globals';
import { type Block, BLOCK_COLUMNS, blockOf, type StoredBlock, storedBlock } from './block.js';
import { BlockBuilder, buildBlocks } from './block-builder.js';
import { blockOfCalls, type CallFacts } from './call-facts.js';
import { type Cuboid, FULL, LEVEL_CUBOIDS } from './dimensions.js';
import { HISTOGRAMS, SUMS } from './metrics.js';

const AT = Date.UTC(2026, 2, 1, 12);

const call = (n: number, changes: Partial<CallFacts> = {}): CallFacts => ({
  ...{ call_id: String(n), account_id: 1, agent_id: 1 + (n % 50), agent_version: n % 3 || null, campaign_id: null },
  ...{ number_id: 70_000 + (n % 7), trunk_id: 300, direction: n % 2 ? 'inbound' : 'outbound', outcome: 'completed' },
  channel: 'phone',
  ...{ cause: 'normal_clearing', answered_by: null, created_at: new Date(AT + (n % 4) * 900_000) },
  ...{ started_at: new Date(AT), answered_at: new Date(AT + 1_000), ended_at: new Date(AT + 1_000 + n) },
  ...{ queue_ms: null, cost_micros: String(n * 1_000_000_000), transfers: 0, transfers_connected: 0 },
  ...{ response_ms: n % 2 ? [300, 400 + n] : null, interruptions: 0, tool_calls: 1, tool_failures: 0, searches: 0 },
  ...{ search_hits: 0, is_test: false, rubric: null },
  ...changes,
});

const total = (values: ArrayLike<number> | undefined): number => Array.from(values ?? []).reduce((a, b) => a + b, 0);

const built = (calls: readonly CallFacts[], sourceCost = 1_000_000): Promise<Map<Cuboid, Block>> =>
  buildBlocks({ cuboids: LEVEL_CUBOIDS, hasQuarters: false, source: () => [blockOfCalls(calls)], sourceCost });

/** As the database returns the columns. */
function read({ entries, labels, ...stored }: StoredBlock): Block {
  const columns = [...BLOCK_COLUMNS, ...SUMS, ...HISTOGRAMS].map((column) => stored[column] ?? Buffer.of(0));
  const all = { keys: BLOCK_COLUMNS, sums: SUMS, histograms: HISTOGRAMS };
  return blockOf({ entries, labels, bytes: Buffer.concat(columns) }, all);
}

describe('rollup blocks', () => {
  it('have the same sums and histograms after they were stored, in narrow and wide columns', () => {
    const calls = Array.from({ length: 600 }, (_, n) => call(n));
    const block = new BlockBuilder(FULL, true);
    block.add(blockOfCalls(calls));
    const stored = read(storedBlock(block.block()));
    const plain = (one: Block): unknown =>
      JSON.parse(
        JSON.stringify(one, (_key, value: unknown) => (ArrayBuffer.isView(value) ? Array.from(value as never) : value)),
      );
    expect(plain(stored)).toEqual(plain(block.block()));
    expect(total(stored.sums.cost_micros)).toBe(total(calls.map(({ cost_micros: cost }) => Number(cost))));
    expect(total(stored.bins.response_bins?.counts)).toBe(600);
    expect(stored.sums.searches).toBeUndefined();
  });

  it('of every stored grouping have all calls, and at most half the entries of the next finer one', async () => {
    const blocks = await built(Array.from({ length: 5_000 }, (_, n) => call(n)));
    expect(blocks.has(FULL)).toBe(true);
    expect(blocks.size).toBeLessThan(LEVEL_CUBOIDS.length);
    for (const { sums, bins } of blocks.values())
      expect([total(sums.calls), total(bins.duration_bins?.counts)]).toEqual([5_000, 5_000]);
  });

  it('are not stored where they save nothing', async () => {
    expect((await built([call(1)], 101)).size).toBe(0);
    expect([...(await built([call(1)], 24 * 101)).keys()]).toEqual([FULL]);
  });

  it('are refused when a column is damaged', () => {
    const stored = storedBlock(blockOfCalls([call(1)]));
    expect(() => read({ ...stored, calls: Buffer.of(9, 1) })).toThrow('damaged');
    expect(() => read({ ...stored, entries: 2 })).toThrow('damaged');
  });
});
