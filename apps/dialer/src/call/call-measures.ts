import { answerParts, type CallMeasures, type ConversationMeasures } from '@app/calls';
import { remoteLossRate, type RtpStats } from '@app/telephony';
import { KNOWLEDGE_TOOL, type SessionEvent } from '@app/voice';

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;
type Turn = EventOf<'turn'>;

/** A call of several hours keeps as many, so that its row stays small. */
const MAX_ANSWERS = 1_000;
/** Words of an interruption began at most this long before the agent stopped. */
const BEFORE_STOP_MS = 3_000;

/** The numbers of an answered call; `conversation`: absent for a call without an agent. */
export function callMeasures(
  stats: RtpStats,
  conversation?: { events: readonly SessionEvent[]; joinedMs: number; durationMs: number },
): CallMeasures {
  return {
    quality: qualityOf(stats),
    conversation: conversation ? conversationOf(conversation) : null,
  };
}

function qualityOf(stats: RtpStats): CallMeasures['quality'] {
  if (stats.received === 0) return null;
  const remoteLoss = remoteLossRate(stats);
  const received = { mos: round(stats.mos), loss_rate: round(stats.lossRate), jitter_ms: round(stats.jitterMs) };
  const sent = {
    mos: round(stats.remoteMos),
    loss_rate: round(remoteLoss),
    jitter_ms: round(stats.remoteJitterMs),
  };
  const isReported = remoteLoss !== undefined || stats.remoteJitterMs !== undefined;
  return {
    codec: stats.codec ?? null,
    received,
    sent: isReported ? sent : null,
    round_trip_ms: round(stats.rttMs),
  };
}

const round = (value: number | undefined): number | null =>
  value === undefined ? null : Math.round(value * 10_000) / 10_000;

type Conversation = NonNullable<Parameters<typeof callMeasures>[1]>;

function conversationOf({ events, joinedMs, durationMs }: Conversation): ConversationMeasures {
  const of = <T extends SessionEvent['type']>(type: T) =>
    events.filter((event): event is EventOf<T> => event.type === type);
  const turns = of('turn');
  const tools = of('tool_call');
  const searches = tools.filter(({ name }) => name === KNOWLEDGE_TOOL);
  // The user may go on talking to another party without the agent.
  const lastedMs = Math.min(durationMs, of('ended').at(-1)?.at_ms ?? durationMs);
  return {
    answers: turns.flatMap(({ latency }) => (latency ? [answerParts(latency)] : [])).slice(0, MAX_ANSWERS),
    turns: { agent: count(turns, 'agent'), user: count(turns, 'callee') },
    interruptions: interruptionsOf(of('interrupted'), of('turn_decision'), turns),
    // A wait in the queue is not silence of the conversation.
    talk: talkOf(turns, lastedMs - joinedMs),
    tools: { calls: tools.length, failed: tools.filter(({ ok }) => !ok).length },
    knowledge: { searches: searches.length, found: searches.filter(hasPassages).length },
  };
}

const count = (turns: readonly Turn[], role: Turn['role']): number => turns.filter((turn) => turn.role === role).length;

function hasPassages({ result }: EventOf<'tool_call'>): boolean {
  const { results } = (typeof result === 'object' && result !== null ? result : {}) as { results?: unknown };
  return Array.isArray(results) && results.length > 0;
}

function interruptionsOf(
  stops: readonly EventOf<'interrupted'>[],
  decisions: readonly EventOf<'turn_decision'>[],
  turns: readonly Turn[],
): ConversationMeasures['interruptions'] {
  const noise = new Set(decisions.filter(({ outcome }) => outcome === 'noise').map(({ turn }) => turn));
  const spoken = turns.filter(({ role, turn, text }) => role === 'callee' && !noise.has(turn) && text !== '');
  const agent = turns.filter(({ role }) => role === 'agent');
  const byVoice = stops.filter(({ by }) => by === 'speech' || by === 'provider');
  const hasWords = ({ at_ms: at }: EventOf<'interrupted'>): boolean => {
    const next = Math.min(...agent.map(({ started_ms }) => started_ms).filter((started) => started > at));
    return spoken.some(({ started_ms, ended_ms }) => ended_ms >= at - BEFORE_STOP_MS && started_ms <= next);
  };
  const isIgnored = ({ outcome, at_ms: at }: EventOf<'turn_decision'>): boolean =>
    (outcome === 'acknowledgement' || outcome === 'noise') &&
    agent.some(({ started_ms, ended_ms }) => started_ms <= at && at <= ended_ms);
  return {
    by_user: byVoice.length + stops.filter(({ by }) => by === 'dtmf').length,
    false: byVoice.filter((stop) => !hasWords(stop)).length,
    ignored: decisions.filter(isIgnored).length,
  };
}

function talkOf(turns: readonly Turn[], durationMs: number): ConversationMeasures['talk'] {
  const agent = spokenMs(turns.filter(({ role }) => role === 'agent'));
  const user = spokenMs(turns.filter(({ role }) => role === 'callee'));
  return { agent_ms: agent, user_ms: user, silence_ms: Math.max(0, Math.round(durationMs) - spokenMs(turns)) };
}

/** The time in which at least one of the turns is spoken. */
function spokenMs(turns: readonly Turn[]): number {
  let [total, until] = [0, 0];
  for (const { started_ms, ended_ms } of turns.toSorted((a, b) => a.started_ms - b.started_ms)) {
    total += Math.max(0, ended_ms - Math.max(started_ms, until));
    until = Math.max(until, ended_ms);
  }
  return total;
}
