import type { CostLine, TransferRecord } from '@app/calls';
import {
  BUILTIN_TOOLS,
  carrierUsage,
  costOf,
  INBOUND,
  KNOWLEDGE_TOOL,
  type PriceBook,
  unitPrice,
  type UsageItem,
  type UsageKind,
} from '@app/voice';
import type { CallContext } from './call-context.service.js';
import { connectedMs as transferredMs } from './transfer-record.js';

const DESCRIPTIONS: Record<UsageKind, string> = {
  carrier_seconds: 'Carrier, seconds from the answer',
  agent_seconds: 'Voice agent, seconds of conversation',
  input_text_tokens: 'Voice agent, text it read',
  input_audio_tokens: 'Voice agent, speech it heard',
  cached_text_tokens: 'Voice agent, text it read again',
  cached_audio_tokens: 'Voice agent, speech it heard again',
  output_text_tokens: 'Voice agent, text it wrote',
  output_audio_tokens: 'Voice agent, speech it made',
  transcription_text_tokens: 'Transcription, text it read',
  transcription_audio_tokens: 'Transcription, speech it heard',
  transcription_output_tokens: 'Transcription, words it wrote',
  transcription_seconds: 'Transcription, seconds of speech',
  tool_calls: 'Tools, calls',
};
const TOOLS = 'tools';
const INCLUDED = new Set([...BUILTIN_TOOLS.map(({ name }) => name), KNOWLEDGE_TOOL, 'call_transfer']);

/** Who charges per model: the model is part of what is paid for. */
const modelOf = (source: string): string => (source.startsWith('carrier:') ? '' : (source.split(':', 2)[1] ?? ''));

const describe = ({ kind, source }: UsageItem): string => {
  const model = modelOf(source);
  const what = source.startsWith('summary:')
    ? DESCRIPTIONS[kind].replace('Voice agent', 'Summary')
    : DESCRIPTIONS[kind];
  return model ? `${what} (${model})` : what;
};

export interface Bill {
  lines: CostLine[];
  costMicros: number;
  realtimeCostMicros: number;
  /** `kind source` of what the price book does not know: it costs nothing. */
  unpriced: string[];
}

/** A leg that the carrier charges for. */
export interface ChargedLeg {
  destination: string;
  connectedMs: number;
}

/** The leg of the call itself, and our second legs that were answered; what the far end places (REFER) it pays itself. */
export function chargedLegs(
  { direction, to_number }: Pick<CallContext, 'direction' | 'to_number'>,
  connectedMs: number,
  transfers: readonly TransferRecord[],
): ChargedLeg[] {
  const seconds = transfers
    .filter((one) => one.method === 'bridge')
    .map((one) => ({ destination: one.to_number, connectedMs: transferredMs(one) }));
  const own = { destination: direction === 'inbound' ? INBOUND : to_number, connectedMs };
  return [own, ...seconds.filter((leg) => leg.connectedMs > 0)];
}

/** Calls of the agent's own tools, where the price book charges for them; what comes with every agent costs nothing. */
export function toolUsage(prices: PriceBook, names: readonly string[]): UsageItem[] {
  const quantity = names.filter((name) => !INCLUDED.has(name)).length;
  if (quantity === 0 || unitPrice(prices, 'tool_calls', TOOLS) === undefined) return [];
  return [{ kind: 'tool_calls', quantity, unit: 'call', source: TOOLS }];
}

/** What an answered call costs: its legs' time on the line, and what the agent's provider used. */
export function billOf(prices: PriceBook, legs: ChargedLeg[], agent: UsageItem[]): Bill {
  const carrier = legs.map(({ destination, connectedMs }) => carrierUsage(prices, destination, connectedMs));
  const cost = costOf([...carrier, ...agent], prices);
  return {
    lines: cost.lines.map((line) => ({
      kind: line.kind,
      description: describe(line),
      quantity: line.quantity,
      unit: line.unit,
      unit_price_micros: line.unit_price_micro_usd,
      amount_micros: line.amount_micro_usd,
      price_book: cost.price_book_version,
    })),
    costMicros: cost.cost_micros,
    realtimeCostMicros: cost.realtime_cost_micros,
    unpriced: cost.unpriced,
  };
}

const SECONDS = 1_000;

/**
 * What the time of a call can cost, in micro-USD per second: its carrier, the carrier of the leg it may be transferred to, and an
 * agent that is paid by the second. What models charge by the token is not in it; it does not run by itself.
 */
export function microsPerSecond(
  prices: PriceBook,
  context: Pick<CallContext, 'direction' | 'to_number' | 'settings' | 'provider' | 'provider_options'>,
): number {
  const connectedMs = SECONDS * 1_000;
  const transfer = context.settings.transfer;
  const legs = chargedLegs(context, connectedMs, []);
  if (transfer) legs.push({ destination: transfer.phone_number, connectedMs });
  const { provider, provider_options: options } = context;
  const agent =
    unitPrice(prices, 'agent_seconds', provider) ??
    unitPrice(prices, 'agent_seconds', `${provider}:${options.model ?? ''}`);
  return billOf(prices, legs, []).costMicros / SECONDS + (agent ?? 0);
}
