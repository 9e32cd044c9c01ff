import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acceptedDifferences, differenceOf } from '../../contract/differences.js';
import { Exchange } from '../../contract/exchange.js';
import { Endpoints, makeFixtures } from '../../contract/fixtures.js';
import { readPairs } from '../../contract/pairs.js';
import { placed, type Values } from '../../contract/placeholders.js';
import { ContractService } from '../../contract/service.js';

/** More of them say the same. */
const MAX_SHOWN = 40;
/** As many as the stored pairs must at least be. */
const MIN_PAIRS = 5_000;

let service: ContractService;
let endpoints: Endpoints;
let exchange: Exchange;
let values: Values;

beforeAll(async () => {
  [service, endpoints] = await Promise.all([ContractService.start(), Endpoints.start()]);
  exchange = new Exchange(service.baseUrl);
  values = await makeFixtures(service, endpoints);
});

afterAll(async () => {
  exchange?.close();
  await Promise.all([endpoints?.close(), service?.stop()]);
});

describe('the stored answers to wrong requests', () => {
  it('are still the answers of the service, byte for byte, but for the differences in differences.json', async () => {
    const pairs = await readPairs();
    expect(pairs.length).toBeGreaterThanOrEqual(MIN_PAIRS);
    const accepted = acceptedDifferences();
    const answers = await exchange.sendAll(
      pairs.map(({ request }) => request),
      values,
    );
    // First those that succeeded: they change what other requests find.
    const order = [...pairs.keys()].toSorted(
      (a, b) => Number(answers[a]!.status >= 300) - Number(answers[b]!.status >= 300),
    );
    const differences = order.flatMap((index) => {
      const pair = pairs[index]!;
      const expected = { ...pair.answer, body: placed(pair.answer.body, values) };
      return differenceOf(pair, expected, answers[index]!, accepted) ?? [];
    });
    const shown = differences.slice(0, MAX_SHOWN).join('\n\n');
    if (differences.length > 0) throw new Error(`${differences.length} of ${pairs.length} answers differ:\n\n${shown}`);
  });
});
