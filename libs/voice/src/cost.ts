import { unitPrice, type PriceBook } from './price-book.js';
import { thousandths, totalUsage, type UsageItem, type UsageKind } from './usage.js';

const NOT_THE_AI: ReadonlySet<UsageKind> = new Set(['carrier_seconds', 'tool_calls']);

/** One line of a call's bill: quantity x unit price, in whole micro-USD. */
interface CostLine extends UsageItem {
  unit_price_micro_usd: number;
  amount_micro_usd: number;
}

interface Cost {
  lines: CostLine[];
  /** The exact sum of all lines. */
  cost_micros: number;
  /** The sum of the AI's lines: all but carrier and tools. */
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

function costLine(item: UsageItem, price: number): CostLine {
  // BigInt: a month of seconds in thousandths times a price may leave the integers a double holds exactly.
  const thousandfold = BigInt(thousandths(item.quantity)) * BigInt(price);
  const amount = Number((thousandfold + 500n) / 1000n);
  return { ...item, unit_price_micro_usd: price, amount_micro_usd: amount };
}

const sum = (lines: CostLine[]): number => lines.reduce((total, line) => total + line.amount_micro_usd, 0);
