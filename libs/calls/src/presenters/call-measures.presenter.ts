import {
  answerMs,
  type AnswerParts,
  type CallMeasures,
  type ConversationMeasures,
  percentile,
} from '../domain/call-measures.js';

/** `quality`, `latency`, `interruptions`, `turns` and `talk` of a call in the API and in webhooks; null: unknown. */
export function measuresView(measures: CallMeasures | null) {
  const conversation = measures?.conversation ?? null;
  return {
    quality: qualityView(measures),
    latency: conversation && latencyView(conversation, measures?.quality?.round_trip_ms ?? null),
    interruptions: conversation && conversation.interruptions,
    turns: conversation && conversation.turns,
    talk: conversation && talkView(conversation.talk),
  };
}

export type MeasuresView = ReturnType<typeof measuresView>;

/** The worse direction decides how a call sounds. */
function qualityView(measures: CallMeasures | null) {
  if (!measures?.quality) return null;
  const { codec, received, sent, round_trip_ms } = measures.quality;
  const scores = [received.mos, sent?.mos].filter((mos) => typeof mos === 'number');
  return { mos: scores.length === 0 ? null : Math.min(...scores), codec, received, sent, round_trip_ms };
}

/** null: no answer was measured. */
function latencyView({ answers }: ConversationMeasures, roundTripMs: number | null) {
  if (answers.length === 0) return null;
  const of = (part: keyof AnswerParts) => summaryOf(answers.map((answer) => answer[part]));
  return {
    answers: answers.length,
    total: spread(answers.map(answerMs)),
    endpointing: of('endpointing_ms'),
    model: of('model_ms'),
    tools: of('tools_ms'),
    synthesis: of('synthesis_ms'),
    playout: of('playout_ms'),
    network_ms: roundTripMs === null ? null : Math.round(roundTripMs),
  };
}

const summaryOf = (values: readonly (number | null)[]) => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : spread(known);
};

function spread(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    mean_ms: Math.round(sorted.reduce((sum, value) => sum + value, 0) / sorted.length),
    p50_ms: percentile(sorted, 0.5),
    p90_ms: percentile(sorted, 0.9),
    max_ms: percentile(sorted, 1),
  };
}

/** The agent's share of all speech; null: silence only. */
function talkView(talk: ConversationMeasures['talk']) {
  const spoken = talk.agent_ms + talk.user_ms;
  return { ...talk, agent_share: spoken === 0 ? null : Math.round((talk.agent_ms / spoken) * 1_000) / 1_000 };
}
