/** The parts of one answer of the agent: their sum is the time from the end of the user's input to the first audio sent to the phone. */
export interface AnswerParts {
  /** Until the end of the turn was recognised. */
  endpointing_ms: number;
  /** Until the first token, without tools. Speech-to-speech providers report no token: until the first audio. */
  model_ms: number;
  /** Running tools. */
  tools_ms: number;
  /** From the first token to the first audio; null: a part of `model_ms`. */
  synthesis_ms: number | null;
  /** From the first audio to its first packet on the wire. */
  playout_ms: number;
}

/** The audio of one direction at its receiver. */
interface StreamQuality {
  /** Mean opinion score 1-4.5 (G.107). */
  mos: number | null;
  /** 0-1. */
  loss_rate: number | null;
  jitter_ms: number | null;
}

/** How an answered call went, in numbers: without words, numbers and names, so that it stays when the transcript is deleted. Stored with the call. */
export interface CallMeasures {
  /** null: no audio was received. */
  quality: {
    codec: string | null;
    received: StreamQuality;
    /** As the remote party reports it (RTCP); null: it sends no reports. */
    sent: StreamQuality | null;
    round_trip_ms: number | null;
  } | null;
  /** null: no agent talked. */
  conversation: ConversationMeasures | null;
}

export interface ConversationMeasures {
  /** The first 1,000 answers. */
  answers: AnswerParts[];
  turns: { agent: number; user: number };
  interruptions: {
    /** The agent was stopped by speech or keys of the user. */
    by_user: number;
    /** Of these, stops by sound without words. */
    false: number;
    /** The user spoke over the agent, which went on: acknowledgements and noise. */
    ignored: number;
  };
  /** Talking at once counts for both. */
  talk: { agent_ms: number; user_ms: number; silence_ms: number };
  tools: { calls: number; failed: number };
  knowledge: { searches: number; found: number };
}

/** What a turn stores about its answer, in milliseconds since the end of the user's input. */
export interface StoredLatency {
  endpoint_ms: number;
  first_token_ms?: number;
  tools_ms?: number;
  first_audio_ms: number;
  heard_ms: number;
}

/** The times of an answer as parts. A model may begin before the end of the turn is certain: parts never overlap. */
export function answerParts(latency: StoredLatency): AnswerParts {
  const { heard_ms: heard, first_token_ms: token } = latency;
  const endpoint = Math.min(latency.endpoint_ms, heard);
  const audio = Math.min(Math.max(latency.first_audio_ms, endpoint), heard);
  const generated = token === undefined ? audio : Math.min(Math.max(token, endpoint), audio);
  const tools = Math.min(latency.tools_ms ?? 0, generated - endpoint);
  return {
    endpointing_ms: endpoint,
    model_ms: generated - endpoint - tools,
    tools_ms: tools,
    synthesis_ms: token === undefined ? null : audio - generated,
    playout_ms: heard - audio,
  };
}

/** From the end of the user's input to the first audio of the answer. */
export const answerMs = ({ endpointing_ms, model_ms, tools_ms, synthesis_ms, playout_ms }: AnswerParts): number =>
  endpointing_ms + model_ms + tools_ms + (synthesis_ms ?? 0) + playout_ms;

/** The value that this share of the values does not exceed (nearest rank). */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
