import type { CostLine, TransferRecord } from '@app/calls';
import { carrierUsage, costOf, INBOUND, type PriceBook, type UsageItem } from '@app/voice';
import type { DialOrder } from './load-dial.js';
import { connectedMs as transferredMs } from './transfer-record.js';

const DESCRIPTIONS: Record<string, string> = {
  carrier_seconds: 'Carrier, seconds from the answer',
  agent_seconds: 'Voice agent, seconds of conversation',
};

export interface Bill {
  lines: CostLine[];
  costMicros: number;
  realtimeCostMicros: number;
}

/** A leg that the carrier charges for. */
export interface ChargedLeg {
  destination: string;
  connectedMs: number;
}

/** The leg of the call itself, and our second legs that were answered; what the far end places (REFER) it pays itself. */
export function chargedLegs(
  { direction, to_number }: Pick<DialOrder, 'direction' | 'to_number'>,
  connectedMs: number,
  transfers: readonly TransferRecord[],
): ChargedLeg[] {
  const seconds = transfers
    .filter((one) => one.method === 'bridge')
    .map((one) => ({ destination: one.to_number, connectedMs: transferredMs(one) }));
  const own = { destination: direction === 'inbound' ? INBOUND : to_number, connectedMs };
  return [own, ...seconds.filter((leg) => leg.connectedMs > 0)];
}

/** What an answered call costs: its legs' time on the line, and what the agent's provider used. */
export function billOf(prices: PriceBook, legs: ChargedLeg[], agent: UsageItem[]): Bill {
  const carrier = legs.map(({ destination, connectedMs }) => carrierUsage(prices, destination, connectedMs));
  const cost = costOf([...carrier, ...agent], prices);
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
