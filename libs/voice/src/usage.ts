export const USAGE_KINDS = [
  'carrier_seconds',
  'agent_seconds',
  'input_text_tokens',
  'input_audio_tokens',
  'cached_text_tokens',
  'cached_audio_tokens',
  'output_text_tokens',
  'output_audio_tokens',
  'transcription_text_tokens',
  'transcription_audio_tokens',
  'transcription_output_tokens',
  'transcription_seconds',
  'tool_calls',
] as const;

export type UsageKind = (typeof USAGE_KINDS)[number];

/** Tokens are counted in thousands: one token is then the smallest quantity, and its price a whole number of micro-USD. */
type UsageUnit = 'second' | 'thousand_tokens' | 'call';

/** A measured quantity that costs money. `quantity` has at most 3 decimals. */
export interface UsageItem {
  kind: UsageKind;
  quantity: number;
  unit: UsageUnit;
  /**
   * The party that charges: `carrier:` and the destination prefix that sets the price, or a provider's name, with the model
   * where that sets the price (`openai-realtime:<model>`).
   */
  source: string;
}

/** Adds up equal usage, in the order of first appearance. Exact: counted in thousandths. */
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
