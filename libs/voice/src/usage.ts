export type UsageKind = 'agent_seconds' | 'carrier_seconds';

/** Something consumed that costs money, as it was measured. `quantity` has at most 3 decimals. */
export interface UsageItem {
  kind: UsageKind;
  quantity: number;
  unit: 'second';
  /** Who charges: a provider's name, or `carrier:` and the destination prefix that sets the price. */
  source: string;
}

/** The same things added up, in the order of their first appearance. Exact: counted in thousandths. */
export function totalUsage(items: UsageItem[]): UsageItem[] {
  const totals = new Map<string, UsageItem & { milli: number }>();
  for (const item of items) {
    const key = `${item.kind} ${item.unit} ${item.source}`;
    const total = totals.get(key) ?? { ...item, milli: 0 };
    total.milli += thousandths(item.quantity);
    totals.set(key, total);
  }
  return [...totals.values()].map(({ milli, ...item }) => ({ ...item, quantity: milli / 1000 }));
}

/** A quantity as a whole number of thousandths; more decimals are rounded. */
export const thousandths = (quantity: number): number => Math.round(quantity * 1000);
