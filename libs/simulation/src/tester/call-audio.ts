/** A stretch of speech, in milliseconds since the answer. */
export interface SpeechSpan {
  startMs: number;
  endMs: number;
}

/** What the caller's phone heard; times in milliseconds. */
export interface CallAudio {
  /** From the caller's last sound to the agent's first, for each turn of the caller that the agent answered. */
  responses: number[];
  /** The longest time in which neither spoke, without the silences of the scenario. */
  longest_silence_ms: number;
  /** Both spoke at once. */
  overlap_ms: number;
  /** From the caller's first sound to the agent's last, each time that the caller spoke over the agent. */
  interruptions: number[];
  /** How often the agent began to speak over the caller. */
  talked_over: number;
  /** From the answer to the agent's first sound; null: it said nothing. */
  first_sound_ms: number | null;
  agent_speech_ms: number;
  caller_speech_ms: number;
}

/** Quality of the agent's audio at the caller's phone. */
export interface LineQuality {
  /** Mean opinion score, from 1 to 4.5; null: no audio arrived. */
  mos: number | null;
  /** Share of the packets that were lost. */
  loss: number;
  jitter_ms: number;
  codec: string | null;
}

export type HeardLine = CallAudio & Partial<LineQuality>;

/** Shorter overlaps are not interruptions: the speech of both has soft edges. */
const TOUCH_MS = 200;

interface HeardCall {
  agent: readonly SpeechSpan[];
  caller: readonly SpeechSpan[];
  /** Silences that the scenario wants. */
  intended: readonly SpeechSpan[];
  endMs: number;
}

/** Facts of the conversation from the speech of both, in order of time. */
export function callAudioOf({ agent, caller, intended, endMs }: HeardCall): CallAudio {
  return {
    responses: responsesOf(agent, caller),
    longest_silence_ms: longestSilence({ agent, caller, intended, endMs }),
    overlap_ms: overlaps(agent, caller).reduce((sum, { startMs, endMs: end }) => sum + end - startMs, 0),
    interruptions: caller.flatMap((span) => {
      const cut = agent.find(({ startMs, endMs: end }) => startMs + TOUCH_MS <= span.startMs && span.startMs < end);
      return cut ? [cut.endMs - span.startMs] : [];
    }),
    talked_over: agent.filter(({ startMs }) =>
      caller.some((span) => span.startMs + TOUCH_MS <= startMs && startMs + TOUCH_MS < span.endMs),
    ).length,
    first_sound_ms: agent[0]?.startMs ?? null,
    agent_speech_ms: lengthOf(agent),
    caller_speech_ms: lengthOf(caller),
  };
}

const lengthOf = (spans: readonly SpeechSpan[]): number =>
  spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);

/** A turn of the caller ends where the agent speaks next; turns that the agent spoke over are not answered. */
function responsesOf(agent: readonly SpeechSpan[], caller: readonly SpeechSpan[]): number[] {
  return caller.flatMap(({ endMs }, index) => {
    const isSpeaking = agent.some((span) => span.startMs < endMs && endMs < span.endMs);
    const next = agent.find(({ startMs }) => startMs >= endMs);
    const goesOn = caller[index + 1];
    if (isSpeaking || !next || (goesOn && goesOn.startMs < next.startMs)) return [];
    return [next.startMs - endMs];
  });
}

function overlaps(one: readonly SpeechSpan[], other: readonly SpeechSpan[]): SpeechSpan[] {
  return one.flatMap((a) =>
    other
      .map((b) => ({ startMs: Math.max(a.startMs, b.startMs), endMs: Math.min(a.endMs, b.endMs) }))
      .filter(({ startMs, endMs }) => endMs > startMs),
  );
}

function longestSilence({ agent, caller, intended, endMs }: HeardCall): number {
  const sounds = [...agent, ...caller, ...intended, { startMs: endMs, endMs }].toSorted(
    (a, b) => a.startMs - b.startMs,
  );
  let [longest, quietFrom] = [0, 0];
  for (const sound of sounds) {
    longest = Math.max(longest, sound.startMs - quietFrom);
    quietFrom = Math.max(quietFrom, sound.endMs);
  }
  return longest;
}
