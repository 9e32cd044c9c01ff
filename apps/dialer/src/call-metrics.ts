import { metrics } from '@app/metrics';
import { answerParts, type CallMeasures, type CallRow, type ConversationMeasures } from '@app/calls';
import { type CallLeg, remoteLossRate, type RtpStats } from '@app/telephony';
import type { SessionEvent, TurnLatency } from '@app/voice';

const seconds = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime()) / 1_000;

/** With `completed`, a call that a deploy cut off would count as a success. */
const countedStatus = ({ status, hangup_cause: cause }: Pick<CallRow, 'status' | 'hangup_cause'>): string =>
  status === 'completed' && cause === 'drained' ? 'cut_off' : status;

/** Counts a call at its last row. Every label has a closed list of values. */
export function countEnd(call: CallRow, measures?: CallMeasures): void {
  if (measures?.conversation) countInterruptions(measures.conversation);
  const { direction, hangup_cause: cause, created_at, released_at, started_at, answered_at, ended_at } = call;
  metrics.callsEnded.inc({ direction, status: countedStatus(call), cause: cause ?? 'none' });
  for (const { status: outcome } of call.transfers) metrics.transfers.inc({ outcome });
  if (answered_at && ended_at) metrics.callSeconds.observe({ direction }, seconds(answered_at, ended_at));
  if (direction === 'inbound' || !started_at) return;
  metrics.callWaitSeconds.observe(seconds(released_at ?? created_at, started_at));
  if (answered_at) metrics.callAnswerSeconds.observe(seconds(started_at, answered_at));
}

/** Counts the media of an ended leg, as its media thread measured it. */
export function countMedia(stats: RtpStats): void {
  if (stats.received === 0) return;
  metrics.rtpLossRatio.observe({ direction: 'received' }, stats.lossRate);
  metrics.rtpJitterSeconds.observe({ direction: 'received' }, stats.jitterMs / 1_000);
  if (stats.mos !== undefined) metrics.callMos.observe(stats.mos);
  if (stats.remoteMos !== undefined) metrics.callSentMos.observe(stats.remoteMos);
  if (stats.rttMs !== undefined) metrics.rtpRoundTripSeconds.observe(stats.rttMs / 1_000);
  const remoteLoss = remoteLossRate(stats);
  if (remoteLoss !== undefined) metrics.rtpLossRatio.observe({ direction: 'sent' }, remoteLoss);
  if (stats.remoteJitterMs !== undefined)
    metrics.rtpJitterSeconds.observe({ direction: 'sent' }, stats.remoteJitterMs / 1_000);
}

/** Counts an ended conversation. */
export function countConversation(provider: string, events: readonly SessionEvent[]): void {
  for (const ms of answerDelays(events)) metrics.providerFirstAudioSeconds.observe({ provider }, ms / 1_000);
  for (const { latency } of events.filter((event) => event.type === 'turn'))
    if (latency) countLatency(provider, latency);
  const losses = events.filter(({ type }) => type === 'provider_lost').length;
  if (losses > 0) metrics.providerLosses.inc({ provider }, losses);
}

const STAGES = [
  ['endpoint', 'endpoint_ms'],
  ['first_token', 'first_token_ms'],
  ['first_audio', 'first_audio_ms'],
  ['heard', 'heard_ms'],
] as const;

const PARTS = [
  ['endpointing', 'endpointing_ms'],
  ['model', 'model_ms'],
  ['tools', 'tools_ms'],
  ['synthesis', 'synthesis_ms'],
  ['playout', 'playout_ms'],
] as const;

function countLatency(provider: string, latency: TurnLatency): void {
  for (const [stage, field] of STAGES) {
    const ms = latency[field];
    if (ms !== undefined) metrics.turnLatencySeconds.observe({ provider, stage }, ms / 1_000);
  }
  const parts = answerParts(latency);
  for (const [part, field] of PARTS) {
    const ms = parts[field];
    if (ms !== null) metrics.turnLatencyPartSeconds.observe({ provider, part }, ms / 1_000);
  }
}

function countInterruptions({ interruptions }: ConversationMeasures): void {
  const { by_user: byUser, false: withoutWords, ignored } = interruptions;
  metrics.interruptions.inc({ kind: 'words' }, byUser - withoutWords);
  metrics.interruptions.inc({ kind: 'false' }, withoutWords);
  metrics.interruptions.inc({ kind: 'ignored' }, ignored);
}

/** Milliseconds from each end of the user's speech to the first audio of the agent, when no other input came in between. */
export function answerDelays(events: readonly SessionEvent[]): number[] {
  const delays: number[] = [];
  let stoppedAt: number | undefined;
  for (const event of events) {
    if (event.type === 'speech_stopped') stoppedAt = event.at_ms;
    else if (event.type === 'speech_started' || event.type === 'dtmf_input') stoppedAt = undefined;
    else if (event.type === 'turn_started' && event.role === 'agent' && stoppedAt !== undefined) {
      if (event.started_ms >= stoppedAt) delays.push(event.started_ms - stoppedAt);
      stoppedAt = undefined;
    }
  }
  return delays;
}

/** From the INVITE to the first ringing. */
export function countRinging(leg: CallLeg): void {
  const dialledAt = performance.now();
  let counted = false;
  leg.on('ringing', () => {
    if (!counted) metrics.callRingSeconds.observe((performance.now() - dialledAt) / 1_000);
    counted = true;
  });
}
