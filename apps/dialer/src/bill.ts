import type { CostLine } from '@app/calls';
import { carrierUsage, costOf, INBOUND, type PriceBook, type UsageItem } from '@app/voice';
import type { DialOrder } from './load-dial.js';

const DESCRIPTIONS: Record<string, string> = {
  carrier_seconds: 'Carrier, seconds from the answer',
  agent_seconds: 'Voice agent, seconds of conversation',
};

export interface Bill {
  lines: CostLine[];
  costMicros: number;
  realtimeCostMicros: number;
}

/** What an answered call costs: its time on the line, and what the agent's provider used. */
export function billOf(
  prices: PriceBook,
  { direction, to_number }: Pick<DialOrder, 'direction' | 'to_number'>,
  connectedMs: number,
  agent: UsageItem[],
): Bill {
  const destination = direction === 'inbound' ? INBOUND : to_number;
  const cost = costOf([carrierUsage(prices, destination, connectedMs), ...agent], prices);
  return {
    lines: cost.lines.map((line) => ({
      kind: line.kind,
      description: DESCRIPTIONS[line.kind] ?? line.kind,
      quantity: line.quantity,
      unit: line.unit,
      unit_price_micros: line.unit_price_micro_usd,
      amount_micros: line.amount_micro_usd,
      price_book: cost.price_book_version,
    })),
    costMicros: cost.cost_micros,
    realtimeCostMicros: cost.realtime_cost_micros,
  };
}
