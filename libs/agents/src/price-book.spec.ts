import { afterEach, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnusableSetting } from '@app/common';
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

it('example prices apply without a price book', async () => {
  expect((await readPriceBook(undefined)).prices.length).toBeGreaterThan(0);
});
