import { dialledNumber, StorageQuotaService } from '@app/accounts';
import { PRICE_BOOK } from '@app/agents';
import {
  type CallEndedBy,
  type CallEnding,
  type CostLine,
  effectiveTransfer,
  mediaQuality,
  RecordingsService,
  type TransferRecord,
} from '@app/calls';
import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { mergedRedaction } from '@app/privacy';
import { LOG } from '@app/common/settings';
import { Storage, StorageUnavailable } from '@app/storage';
import type { LegEnd } from '@app/telephony';
import {
  BUILTIN_TOOLS,
  carrierUsage,
  COLLECT_DIGITS,
  costOf,
  INBOUND,
  DO_NOT_CALL_TOOL,
  KNOWLEDGE_TOOL,
  type PriceBook,
  RECORDING_CONSENT_TOOL,
  type SessionEnd,
  type SessionEvent,
  unitPrice,
  type UsageItem,
  type UsageKind,
} from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from './call-context.service.js';
import { callMeasures } from './call-measures.js';
import { RECORDING_TOOLS } from './recording-control.js';
import { type Silence, silenceRecording } from './recording-silences.js';
import { connectedMs as transferredMs } from './transfer-record.js';

/** Delays between attempts to write to an unavailable storage; no attempt begins later than their sum. */
const STORAGE_WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** What the agent of a call leaves for its last row. */
interface ConversationResult {
  /** Undefined for an unanswered call. */
  end?: SessionEnd;
  /** Absent: no agent talked. */
  heard?: readonly SessionEvent[];
  /** Milliseconds from the answer until it joined. */
  joinedMs: number;
  usage: UsageItem[];
  toolCalls: string[];
  summary: string;
  transfer: { transfers: readonly TransferRecord[]; handedOver: boolean };
}

/** Ends a call: its cost, its recording and its last row. */
@Injectable()
export class CallEndingService {
  constructor(
    private readonly quota: StorageQuotaService,
    private readonly recordings: RecordingsService,
    private readonly storage: Storage,
    @Inject(PRICE_BOOK) private readonly prices: PriceBook,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The time-based cost of a call, in micro-USD per second. */
  microsPerSecond(context: CallContext): number {
    return microsPerSecond(this.prices, context);
  }

  /** The result of a call from the end of its leg. */
  endingOf(
    context: CallContext,
    end: LegEnd,
    agent: ConversationResult,
    times: { answeredAt?: Date; at: Date },
  ): CallEnding {
    const connectedMs = times.answeredAt ? times.at.getTime() - times.answeredAt.getTime() : 0;
    const legs = chargedLegs(context, connectedMs, agent.transfer.transfers);
    return {
      change: end.status,
      at: times.at,
      cause: causeOf(end, agent),
      // For the agent the remote party is the `callee` in both directions.
      endedBy:
        agent.end?.cause === end.cause && agent.end.endedBy !== 'callee' ? agent.end.endedBy : enderOf(context, end),
      sipCode: end.sipCode,
      costs: end.status === 'completed' ? this.pricedBill(context, legs, agent) : undefined,
      summary: times.answeredAt ? agent.summary : undefined,
      mediaQuality: times.answeredAt ? mediaQuality(end.stats) : undefined,
      measures: times.answeredAt
        ? callMeasures(
            end.stats,
            agent.heard && { events: agent.heard, joinedMs: agent.joinedMs, durationMs: connectedMs },
          )
        : undefined,
    };
  }

  /** The result of an inbound call without an agent: it was not answered, heard the closed message, waited in the queue or left it by a transfer. */
  endingWithoutAgent(
    context: CallContext,
    end: LegEnd,
    times: { answeredAt?: Date; at: Date },
    transfer = NO_AGENT.transfer,
  ): CallEnding {
    const ending = this.endingOf(context, end, { ...NO_AGENT, transfer }, times);
    const endedBy = end.cause === 'skipped_by_webhook' ? 'api' : ending.endedBy;
    const front = times.answeredAt ? frontCause(context, end) : end.cause;
    return { ...ending, cause: transfer.handedOver ? ending.cause : front, endedBy, summary: undefined };
  }

  private pricedBill(context: CallContext, legs: ChargedLeg[], agent: ConversationResult): Bill {
    const { prices, log } = this;
    const bill = billOf(prices, legs, [...agent.usage, ...toolUsage(prices, agent.toolCalls)]);
    if (bill.unpriced.length > 0)
      log.warn({ call_id: context.id, usage: bill.unpriced }, 'the price book has no price for a usage of a call');
    return bill;
  }

  /** The needed consent is missing: the recording is silent. */
  async droppedRecording({ id }: CallContext, { recording }: LegEnd): Promise<Pick<CallEnding, 'recording'>> {
    if (recording) await this.remove(recording.path, id);
    return {};
  }

  /**
   * Moves the recording to the storage when the account has room for it. The loss of a recording is noted on the call and does not stop
   * its end.
   */
  async keptRecording(
    context: CallContext,
    end: LegEnd,
    silences: readonly Silence[] = wholeIfRedacted(context),
  ): Promise<Pick<CallEnding, 'recording' | 'recordingError'>> {
    if (!end.recording) return { recordingError: end.recordingError };
    if (end.status !== 'completed') return this.droppedRecording(context, end);
    const { path, bytes, durationMs } = end.recording;
    const problem = await this.silenced(context, end.recording, silences);
    if (problem !== undefined) return { recordingError: problem };
    const full = await this.noRoom(context, bytes);
    if (full !== undefined) {
      metrics.recordingsLost.inc({ cause: 'quota' });
      await this.remove(path, context.id);
      return { recordingError: `The recording was not stored. ${full}` };
    }
    const key = RecordingsService.keyOf(context.account_id, context.id);
    try {
      await put(this.storage, key, path, end.cause === 'drained' ? [] : STORAGE_WAITS_MS);
      return { recording: { key, bytes, durationMs }, recordingError: end.recordingError };
    } catch (err) {
      this.log.error({ err, call_id: context.id }, 'a recording could not be stored');
      metrics.recordingsLost.inc({ cause: 'storage' });
      // No row would refer to the file, and deleting the call would not delete it.
      await this.remove(path, context.id);
      return { recordingError: 'The recording could not be stored.' };
    }
  }

  /** Silences the secrets in the local file, before it is stored. A sentence when that fails: then the file is deleted. */
  private async silenced(
    { id }: CallContext,
    recording: NonNullable<LegEnd['recording']>,
    silences: readonly Silence[],
  ): Promise<string | undefined> {
    try {
      await silenceRecording(recording, silences);
      return undefined;
    } catch (err) {
      this.log.error({ err, call_id: id }, 'the secrets in a recording could not be silenced; it was deleted');
      metrics.recordingsLost.inc({ cause: 'redaction' });
      await this.remove(recording.path, id);
      return 'The recording was deleted because the secrets in it could not be silenced.';
    }
  }

  /** A file that a broken disk keeps does not stop the end of its call; the dialer goes on trying to remove it. */
  private async remove(path: string, callId: string): Promise<void> {
    try {
      await rm(path, { force: true });
    } catch (err) {
      this.log.error({ err, call_id: callId }, 'the local file of a recording could not be removed');
    }
  }

  /**
   * A sentence when the recording would exceed the account's storage; undefined also when the limit cannot be read, so that no
   * recording is lost.
   */
  private async noRoom(context: CallContext, bytes: number): Promise<string | undefined> {
    const { log } = this;
    const ids = { call_id: context.id, account_id: context.account_id };
    try {
      const problem = await this.quota.problem(context.account_id, bytes);
      if (problem !== undefined) log.warn(ids, "a recording exceeds the account's storage and was not stored");
      return problem;
    } catch (err) {
      log.error({ err, ...ids }, "the account's storage limit could not be read; the recording is stored");
      return undefined;
    }
  }

  /**
   * Deletes a stored recording that no row refers to: another process has ended the call without it. The row is read first, because
   * the response to a successful write may have been lost.
   */
  async dropUnnamedRecording(callId: string, key: string): Promise<void> {
    try {
      if (!(await this.recordings.isReferenced(callId, key))) await this.storage.delete(key);
    } catch (err) {
      this.log.error({ err, call_id: callId }, 'a recording that no call refers to could not be deleted');
    }
  }
}

/** Without an agent nothing is transcribed, so that nothing could be found. */
function wholeIfRedacted(context: CallContext): Silence[] {
  const isRedacted = mergedRedaction(context.account_redaction, context.redaction)?.audio;
  return isRedacted ? [{ fromMs: 0, toMs: Infinity }] : [];
}

const NO_AGENT: ConversationResult = {
  joinedMs: 0,
  usage: [],
  toolCalls: [],
  summary: '',
  transfer: { transfers: [], handedOver: false },
};

/** A caller that hangs up during the closed message has heard that the number is closed. */
const frontCause = ({ settings }: CallContext, { endedBy, cause }: LegEnd): LegEnd['cause'] => {
  if (endedBy !== 'caller') return cause;
  return settings.closed ? 'closed' : settings.queue ? 'queue_abandoned' : cause;
};

/** On our side only the API hangs up, which counts as a cancellation; engines name our side by the direction of the call. */
const enderOf = ({ direction }: CallContext, { endedBy }: LegEnd): CallEndedBy =>
  endedBy === (direction === 'inbound' ? 'callee' : 'caller') ? 'api' : endedBy;

/** A hangup after the agent has left ends a call that was handed over, and one after its message leaves that message. */
function causeOf(end: LegEnd, agent: ConversationResult): LegEnd['cause'] {
  if (end.cause !== 'normal_clearing') return end.cause;
  if (agent.transfer.handedOver) return 'transferred';
  return agent.end?.cause === 'message_left' ? 'message_left' : end.cause;
}

/** A stopping process does not wait (no `waits`). */
async function put(storage: Storage, key: string, path: string, waits: readonly number[]): Promise<void> {
  const deadline = performance.now() + waits.reduce((sum, wait) => sum + wait, 0);
  for (const wait of waits) {
    try {
      return await storage.put(key, path);
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || performance.now() + wait > deadline) throw error;
      await delay(wait);
    }
  }
  await storage.put(key, path);
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
const INCLUDED = new Set([
  ...BUILTIN_TOOLS.map(({ name }) => name),
  KNOWLEDGE_TOOL,
  DO_NOT_CALL_TOOL.name,
  COLLECT_DIGITS,
  RECORDING_CONSENT_TOOL,
  ...RECORDING_TOOLS,
  'call_transfer',
]);

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

interface Bill {
  lines: CostLine[];
  costMicros: number;
  realtimeCostMicros: number;
  /** `kind source` of usage without a price in the price book; it costs nothing. */
  unpriced: string[];
}

/** A leg that the carrier charges for. */
interface ChargedLeg {
  destination: string;
  connectedMs: number;
}

/** The leg of the call itself, and our second legs that were answered. Calls that the remote party places (REFER) are at its own cost. */
export function chargedLegs(
  { direction, to_number }: Pick<CallContext, 'direction' | 'to_number'>,
  connectedMs: number,
  transfers: readonly TransferRecord[],
): ChargedLeg[] {
  const seconds = transfers
    .filter((one) => one.method === 'bridge')
    .map((one) => ({ destination: pricedAs(one.to_number), connectedMs: transferredMs(one) }));
  const own = { destination: direction === 'inbound' ? INBOUND : pricedAs(to_number), connectedMs };
  return [own, ...seconds.filter((leg) => leg.connectedMs > 0)];
}

/** A SIP URI with a number costs what the number does. */
const pricedAs = (destination: string): string => dialledNumber(destination) ?? destination;

/** Calls of the account's tools, when the price book charges for them; built-in tools cost nothing. */
export function toolUsage(prices: PriceBook, names: readonly string[]): UsageItem[] {
  const quantity = names.filter((name) => !INCLUDED.has(name)).length;
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
function transferTargets({ settings }: Pick<CallContext, 'settings'>): string[] {
  const transfer = effectiveTransfer(settings);
  if (!transfer) return [];
  return transfer.destinations?.map(({ to_number: to }) => to) ?? [transfer.phone_number];
}

/**
 * The highest time-based cost of a call, in micro-USD per second: its carrier, the carrier of a transfer's leg, and an agent that
 * charges by the second. Token costs of models are not part of it, because they do not grow with time.
 */
function microsPerSecond(
  prices: PriceBook,
  context: Pick<CallContext, 'direction' | 'to_number' | 'settings' | 'provider' | 'provider_options'>,
): number {
  const connectedMs = SECONDS * 1_000;
  const legs = chargedLegs(context, connectedMs, []);
  const dearest = transferTargets(context).reduce<ChargedLeg[]>((most, destination) => {
    const leg = [{ destination: pricedAs(destination), connectedMs }];
    return billOf(prices, leg, []).costMicros > billOf(prices, most, []).costMicros ? leg : most;
  }, []);
  legs.push(...dearest);
  const { provider, provider_options: options } = context;
  const agent =
    unitPrice(prices, 'agent_seconds', provider) ??
    unitPrice(prices, 'agent_seconds', `${provider}:${options.model ?? ''}`);
  return billOf(prices, legs, []).costMicros / SECONDS + (agent ?? 0);
}
