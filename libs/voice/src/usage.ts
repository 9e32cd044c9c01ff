import type { Clock } from './clock.js';

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
  'synthesis_characters',
  'synthesis_seconds',
  'tool_calls',
] as const;

export type UsageKind = (typeof USAGE_KINDS)[number];

/** Tokens and characters are counted in thousands: one is then the smallest quantity, and its price a whole number of micro-USD. */
type UsageUnit = 'second' | 'thousand_tokens' | 'thousand_characters' | 'call';

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

/** Meters the connected time, for a server that charges by it. */
export class ConnectionTimeMeter {
  private readonly connectedAt: number;
  private billedMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly source: string,
  ) {
    this.connectedAt = clock.now();
  }

  /** The time since the last call, in whole milliseconds, so that all parts add up to the total. */
  due(): UsageItem[] {
    const activeMs = Math.round(this.clock.now() - this.connectedAt);
    const quantity = (activeMs - this.billedMs) / 1000;
    this.billedMs = activeMs;
    return quantity > 0 ? [{ kind: 'agent_seconds', quantity, unit: 'second', source: this.source }] : [];
  }
}

/** A thousand million tokens, or eleven days: no call uses as much, and larger amounts overflow the bill. */
const MAX_QUANTITY = 1_000_000;

/** Whether the quantity may be billed. */
export const isPlausible = ({ quantity }: UsageItem): boolean => quantity <= MAX_QUANTITY;

export const IMPLAUSIBLE_USAGE = {
  type: 'error',
  code: 'usage_not_believed',
  message: 'The server reported an implausible usage, which is not billed.',
} as const;
