import { dialledNumber } from '@app/accounts';
import type { UsageItem, UsageKind } from '@app/voice';
import type { CallChannel, CallDirection, CallSettings, CostLine, TransferRecord } from '../domain/call.js';
import { effectiveTransfer } from '../domain/call-settings.js';
import { carrierUsage, costOf, INBOUND, type PriceBook, unitPrice } from './bill.js';

/** What the price of a call depends on. */
interface BilledCall {
  direction: CallDirection;
  channel: CallChannel;
  to_number: string;
  settings: CallSettings;
  /** Of its agent. */
  provider: string;
  provider_options: { model?: string };
}

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
  synthesis_characters: 'Synthesis, text it spoke',
  synthesis_seconds: 'Synthesis, seconds of speech',
  tool_calls: 'Tools, calls',
};
const TOOLS = 'tools';

/** Sources that charge per model: the model is part of the billed item. */
const modelOf = (source: string): string =>
  source.startsWith('carrier:') || !source.includes(':') ? '' : source.slice(source.indexOf(':') + 1);

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
  /** `kind source` of usage without a price in the price book; it costs nothing. */
  unpriced: string[];
}

/** A leg that the carrier charges for. */
export interface ChargedLeg {
  destination: string;
  connectedMs: number;
}

/** The leg of a phone call itself, and our second legs that were answered. Calls that the remote party places (REFER) are at its own cost. */
export function chargedLegs(
  { direction, channel, to_number }: Pick<BilledCall, 'direction' | 'channel' | 'to_number'>,
  ownMs: number,
  transfers: readonly TransferRecord[],
): ChargedLeg[] {
  const seconds = transfers
    .filter((one) => one.method === 'bridge')
    .map((one) => ({ destination: pricedAs(one.to_number), connectedMs: connectedMs(one) }));
  const answered = seconds.filter((leg) => leg.connectedMs > 0);
  // No carrier carries the leg of a page.
  if (channel === 'web') return answered;
  return [{ destination: direction === 'inbound' ? INBOUND : pricedAs(to_number), connectedMs: ownMs }, ...answered];
}

/** The billed time of a second leg. */
export function connectedMs({ answered_at: from, ended_at: to }: TransferRecord): number {
  return from === null || to === null ? 0 : Math.max(0, Date.parse(to) - Date.parse(from));
}

/** A SIP URI with a number costs what the number does. */
const pricedAs = (destination: string): string => dialledNumber(destination) ?? destination;

/** Calls of the account's tools, when the price book charges for them. */
export function toolUsage(prices: PriceBook, quantity: number): UsageItem[] {
  if (quantity === 0 || unitPrice(prices, 'tool_calls', TOOLS) === undefined) return [];
  return [{ kind: 'tool_calls', quantity, unit: 'call', source: TOOLS }];
}

/** The cost of an answered call: the time of its legs and the usage of the agent's provider. */
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

/** Destinations that the call may be transferred to; one at a time is connected. */
function transferTargets({ settings }: Pick<BilledCall, 'settings'>): string[] {
  const transfer = effectiveTransfer(settings);
  if (!transfer) return [];
  return transfer.destinations?.map(({ to_number: to }) => to) ?? [transfer.phone_number];
}

/**
 * The highest time-based cost of a call, in micro-USD per second: its carrier, the carrier of a transfer's leg, and an agent that
 * charges by the second. Token costs of models are not part of it, because they do not grow with time.
 */
export function microsPerSecond(prices: PriceBook, call: BilledCall): number {
  const connectedMs = SECONDS * 1_000;
  const legs = chargedLegs(call, connectedMs, []);
  const dearest = transferTargets(call).reduce<ChargedLeg[]>((most, destination) => {
    const leg = [{ destination: pricedAs(destination), connectedMs }];
    return billOf(prices, leg, []).costMicros > billOf(prices, most, []).costMicros ? leg : most;
  }, []);
  legs.push(...dearest);
  const { provider, provider_options: options } = call;
  const agent =
    unitPrice(prices, 'agent_seconds', provider) ??
    unitPrice(prices, 'agent_seconds', `${provider}:${options.model ?? ''}`);
  return billOf(prices, legs, []).costMicros / SECONDS + (agent ?? 0);
}
