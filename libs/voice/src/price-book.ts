import type { UsageItem, UsageKind } from './usage.js';

/** Prices in whole micro-USD (1 USD = 1,000,000) per unit. A changed price gets a new version; old calls keep theirs. */
export interface PriceBook {
  version: string;
  prices: { kind: UsageKind; source: string; unit_price_micro_usd: number }[];
}

const CARRIER = 'carrier:';
/** A destination without a matching prefix. */
const DEFAULT_PREFIX = 'default';
/** A SIP URI is reached over the internet, without a carrier's minutes. */
const SIP_PREFIX = 'sip';

/** The destination of inbound calls, which have one price. */
export const INBOUND = 'inbound';

/** Example prices, to be replaced by the carrier's. */
export const DEFAULT_PRICE_BOOK: PriceBook = {
  version: '2026-11-01',
  prices: [
    { kind: 'agent_seconds', source: 'sandbox', unit_price_micro_usd: 100 },
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
