import { afterEach, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MODEL_NAMES, SYNTHESIZER_NAMES, TRANSCRIBER_NAMES, UnusableSetting } from '@app/common';
import { type UsageItem } from '@app/voice';
import { costOf, unitPrice } from './bill.js';
import { readPriceBook } from './price-book.js';

const folders: string[] = [];

async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-prices-'));
  folders.push(folder);
  const path = join(folder, 'prices.yaml');
  await writeFile(path, text);
  return path;
}

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

it('prices in USD are read as micro-USD', async () => {
  const path = await fileOf(`version: acme-1
prices:
  - { kind: carrier_seconds, source: "carrier:+1", unit_price_usd: 0.000125 }
  - { kind: agent_seconds, source: sandbox, unit_price_usd: 0 }
`);
  expect(await readPriceBook(path)).toEqual({
    version: 'acme-1',
    prices: [
      { kind: 'carrier_seconds', source: 'carrier:+1', unit_price_micro_usd: 125 },
      { kind: 'agent_seconds', source: 'sandbox', unit_price_micro_usd: 0 },
    ],
  });
});

it('an invalid price book is refused with the path of the invalid field', async () => {
  const path = await fileOf('version: x\nprices:\n  - { kind: minutes, source: sandbox, unit_price_usd: 1 }\n');
  await expect(readPriceBook(path)).rejects.toThrow('prices.0.kind');
});

it.each([
  ['wrong values', 'version: x\nprices: []\n', 'prices: Too small'],
  ['text that is not YAML', 'version: x\nprices: [\n', 'Flow sequence in block collection'],
  ['an empty file', '', 'the whole file: Invalid input'],
])('a price book with %s is refused with the names of the variable and the file', async (_, text, problem) => {
  const path = await fileOf(text);
  await expect(readPriceBook(path)).rejects.toThrow(UnusableSetting);
  await expect(readPriceBook(path)).rejects.toThrow(`PRICE_BOOK ${path} is not usable:\n  ${problem}`);
});

it.each([
  ['is missing', 'prices.yaml', 'ENOENT'],
  ['is a folder', '.', 'EISDIR'],
])('a price book that %s is refused with the name of the variable', async (_, name, code) => {
  const path = join(tmpdir(), name === '.' ? '' : `missing-${name}`);
  await expect(readPriceBook(path)).rejects.toThrow(new RegExp(`^PRICE_BOOK ${path} is not usable:\\s+${code}`));
});

it('the price book of the documentation can be read', async () => {
  const { prices } = await readPriceBook('docs/price-book.yaml');
  expect(prices).toContainEqual({
    kind: 'output_audio_tokens',
    source: 'openai-realtime:gpt-realtime*',
    unit_price_micro_usd: 64_000,
  });
});

const second = (kind: UsageItem['kind'], source: string, quantity: number): UsageItem => ({
  kind,
  source,
  quantity,
  unit: 'second',
});
const tokens = (kind: UsageItem['kind'], source: string, quantity: number): UsageItem => ({
  kind,
  source,
  quantity,
  unit: 'thousand_tokens',
});
const characters = (source: string, quantity: number): UsageItem => ({
  kind: 'synthesis_characters',
  source,
  quantity,
  unit: 'thousand_characters',
});

/** Two answers of a call to the US; after the first, the fallback of the synthesizer took over. */
const PIPELINE_CALL: UsageItem[] = [
  second('transcription_seconds', 'deepgram:nova-3', 20.25),
  tokens('input_text_tokens', 'anthropic:claude-haiku-4-5', 1.234),
  tokens('output_text_tokens', 'anthropic:claude-haiku-4-5', 0.077),
  characters('elevenlabs:eleven_flash_v2_5', 0.311),
  second('transcription_seconds', 'deepgram:nova-3', 22.333),
  tokens('input_text_tokens', 'anthropic:claude-haiku-4-5', 0.4),
  tokens('cached_text_tokens', 'anthropic:claude-haiku-4-5', 1.3),
  tokens('output_text_tokens', 'anthropic:claude-haiku-4-5', 0.053),
  characters('cartesia:sonic-3', 0.219),
  second('carrier_seconds', 'carrier:+1', 42.583),
];

it('the bill of a pipeline has a line for each leg, and its lines add up exactly to the cost', async () => {
  const bill = costOf(PIPELINE_CALL, await readPriceBook('docs/price-book.yaml'));
  expect(bill.lines.map(({ source, kind, amount_micro_usd: amount }) => [source, kind, amount])).toEqual([
    // 42.583 s x 128
    ['deepgram:nova-3', 'transcription_seconds', 5_451],
    // 1.634 x 1,000
    ['anthropic:claude-haiku-4-5', 'input_text_tokens', 1_634],
    // 0.13 x 5,000
    ['anthropic:claude-haiku-4-5', 'output_text_tokens', 650],
    // 0.311 x 50,000
    ['elevenlabs:eleven_flash_v2_5', 'synthesis_characters', 15_550],
    // 1.3 x 100
    ['anthropic:claude-haiku-4-5', 'cached_text_tokens', 130],
    // 0.219 x 39,000
    ['cartesia:sonic-3', 'synthesis_characters', 8_541],
    // 42.583 s x 150
    ['carrier:+1', 'carrier_seconds', 6_387],
  ]);
  expect(bill).toMatchObject({ cost_micros: 38_343, realtime_cost_micros: 31_956, unpriced: [] });
});

it('a bill names the legs that the price book has no price for, and bills them with 0', async () => {
  const book = await readPriceBook('docs/price-book.yaml');
  const prices = book.prices.filter(({ source }) => !/^(?:anthropic|cartesia):/.test(source));
  const bill = costOf(PIPELINE_CALL, { ...book, prices });
  expect(bill.unpriced).toEqual([
    'input_text_tokens anthropic:claude-haiku-4-5',
    'output_text_tokens anthropic:claude-haiku-4-5',
    'cached_text_tokens anthropic:claude-haiku-4-5',
    'synthesis_characters cartesia:sonic-3',
  ]);
  expect(bill.cost_micros).toBe(38_343 - 1_634 - 650 - 130 - 8_541);
});

it.each<[string, readonly string[], readonly UsageItem['kind'][]]>([
  ['transcriber', TRANSCRIBER_NAMES, ['transcription_seconds']],
  ['language model', MODEL_NAMES, ['input_text_tokens', 'cached_text_tokens', 'output_text_tokens']],
  ['synthesizer', SYNTHESIZER_NAMES.filter((name) => name !== 'program'), ['synthesis_characters']],
])('the price book of the documentation has a price for each vendor as a %s', async (_leg, vendors, kinds) => {
  const book = await readPriceBook('docs/price-book.yaml');
  const sources = vendors.filter((vendor) => vendor !== 'sandbox').map((vendor) => `${vendor}:any-model`);
  const missing = sources.flatMap((source) =>
    kinds.filter((kind) => unitPrice(book, kind, source) === undefined).map((kind) => `${kind} ${source}`),
  );
  expect(sources.length).toBeGreaterThan(2);
  expect(missing).toEqual([]);
});

it('the sandbox legs of a pipeline have a price in the built-in book and in that of the documentation', async () => {
  const kinds = ['transcription_seconds', 'input_text_tokens', 'output_text_tokens', 'synthesis_characters'] as const;
  for (const path of [undefined, 'docs/price-book.yaml']) {
    const book = await readPriceBook(path);
    expect(kinds.filter((kind) => unitPrice(book, kind, 'sandbox') === undefined)).toEqual([]);
  }
});

it('example prices apply without a price book', async () => {
  expect((await readPriceBook(undefined)).prices.length).toBeGreaterThan(0);
});
