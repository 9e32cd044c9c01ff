import { thousandths, totalUsage, type UsageItem, type UsageKind } from '@app/voice';

const NOT_THE_AI: ReadonlySet<UsageKind> = new Set(['carrier_seconds', 'tool_calls']);

/** Usage with its price: quantity x unit price, in whole micro-USD. */
interface PricedUsage extends UsageItem {
  unit_price_micro_usd: number;
  amount_micro_usd: number;
}

interface Cost {
  lines: PricedUsage[];
  /** The exact sum of all lines. */
  cost_micros: number;
  /** The sum of the AI lines: all except carrier and tools. */
  realtime_cost_micros: number;
  price_book_version: string;
  /** `kind source` of usage without a price; such lines have price 0. */
  unpriced: string[];
}

/**
 * Prices the usage of a call. Equal kinds of one source become one line; each line is rounded once, half up, to a whole
 * micro-USD, and the totals add the rounded lines, so that they always agree.
 */
export function costOf(usage: UsageItem[], book: PriceBook): Cost {
  const unpriced: string[] = [];
  const lines = totalUsage(usage).map((item) => {
    const price = unitPrice(book, item.kind, item.source);
    if (price === undefined) unpriced.push(`${item.kind} ${item.source}`);
    return costLine(item, price ?? 0);
  });
  const realtime = lines.filter((line) => !NOT_THE_AI.has(line.kind));
  return {
    lines,
    cost_micros: sum(lines),
    realtime_cost_micros: sum(realtime),
    price_book_version: book.version,
    unpriced,
  };
}

function costLine(item: UsageItem, price: number): PricedUsage {
  // BigInt: a month of seconds in thousandths times a price may leave the integers a double holds exactly.
  const thousandfold = BigInt(thousandths(item.quantity)) * BigInt(price);
  const amount = Number((thousandfold + 500n) / 1000n);
  return { ...item, unit_price_micro_usd: price, amount_micro_usd: amount };
}

const sum = (lines: PricedUsage[]): number => lines.reduce((total, line) => total + line.amount_micro_usd, 0);

/** Prices in whole micro-USD (1 USD = 1,000,000) per unit. A changed price gets a new version; old calls keep theirs. */
export interface PriceBook {
  version: string;
  prices: { kind: UsageKind; source: string; unit_price_micro_usd: number }[];
}

const CARRIER = 'carrier:';
/** The price of a destination without a matching prefix. */
const DEFAULT_PREFIX = 'default';
/** A SIP URI is called over the Internet, without carrier minutes. */
const SIP_PREFIX = 'sip';

/** The destination of inbound calls, which have one price. */
export const INBOUND = 'inbound';

/** Example prices, to be replaced by the carrier's. */
export const DEFAULT_PRICE_BOOK: PriceBook = {
  version: '2026-11-23',
  prices: [
    { kind: 'agent_seconds', source: 'sandbox', unit_price_micro_usd: 100 },
    // The sandbox legs of a pipeline.
    { kind: 'transcription_seconds', source: 'sandbox', unit_price_micro_usd: 50 },
    { kind: 'input_text_tokens', source: 'sandbox', unit_price_micro_usd: 100 },
    { kind: 'cached_text_tokens', source: 'sandbox', unit_price_micro_usd: 10 },
    { kind: 'output_text_tokens', source: 'sandbox', unit_price_micro_usd: 400 },
    { kind: 'synthesis_characters', source: 'sandbox', unit_price_micro_usd: 5_000 },
    { kind: 'carrier_seconds', source: 'carrier:default', unit_price_micro_usd: 500 },
    { kind: 'carrier_seconds', source: 'carrier:inbound', unit_price_micro_usd: 75 },
    { kind: 'carrier_seconds', source: 'carrier:sip', unit_price_micro_usd: 50 },
    { kind: 'carrier_seconds', source: 'carrier:+1', unit_price_micro_usd: 150 },
    { kind: 'carrier_seconds', source: 'carrier:+44', unit_price_micro_usd: 250 },
    { kind: 'carrier_seconds', source: 'carrier:+49', unit_price_micro_usd: 250 },
  ],
};

/** The price of exactly this source, else of the longest matching prefix with a star (`openai-realtime:gpt-*`). */
export function unitPrice(book: PriceBook, kind: UsageKind, source: string): number | undefined {
  const prices = book.prices.filter((price) => price.kind === kind);
  const exact = prices.find((price) => price.source === source);
  return (exact ?? longest(prices.filter((price) => covers(price.source, source))))?.unit_price_micro_usd;
}

const covers = (pattern: string, source: string): boolean =>
  pattern.endsWith('*') && source.startsWith(pattern.slice(0, -1));

const longest = (prices: PriceBook['prices']) => prices.toSorted((a, b) => b.source.length - a.source.length)[0];

/**
 * The carrier's usage of an answered call. `destination` is an E.164 number, a SIP URI or `INBOUND`; the longest matching prefix
 * of the book prices it. The usage has the prefix only, never the number.
 */
export function carrierUsage(book: PriceBook, destination: string, connectedMs: number): UsageItem {
  const quantity = Math.round(connectedMs) / 1000;
  return { kind: 'carrier_seconds', quantity, unit: 'second', source: CARRIER + prefixOf(book, destination) };
}

function prefixOf(book: PriceBook, destination: string): string {
  if (destination === INBOUND)
    return unitPrice(book, 'carrier_seconds', CARRIER + INBOUND) === undefined ? DEFAULT_PREFIX : INBOUND;
  if (!destination.startsWith('+')) return SIP_PREFIX;
  const prefixes = book.prices
    .filter((price) => price.kind === 'carrier_seconds')
    .map((price) => price.source.slice(CARRIER.length))
    .filter((prefix) => destination.startsWith(prefix));
  return prefixes.sort((a, b) => b.length - a.length)[0] ?? DEFAULT_PREFIX;
}
