import type { AudioFormat, SessionFields, TurnDetection } from './client-events.js';

/** The settings that a client may change, complete. */
export interface SessionConfig {
  instructions: string;
  modality: 'audio' | 'text';
  inputFormat: AudioFormat;
  outputFormat: AudioFormat;
  /** Null: the client says when a turn is over. */
  turns: TurnRules | null;
  /** BCP 47, from the client's transcription settings. */
  language: string | undefined;
  wantsTranscription: boolean;
  tools: string[];
}

/** When a turn of the user ends, and what follows. */
export interface TurnRules {
  silenceMs: number;
  prefixMs: number;
  createResponse: boolean;
  interruptResponse: boolean;
}

const PCM: AudioFormat = { type: 'audio/pcm', rate: 24_000 };

/** The defaults of the protocol, except `silence_duration_ms` (500 there): speech over the phone has longer pauses. */
const DEFAULT_TURN_DETECTION = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 700,
  create_response: true,
  interrupt_response: true,
} as const satisfies TurnDetection;

export const firstFields = (model: string): SessionFields => ({
  type: 'realtime',
  model,
  instructions: '',
  output_modalities: ['audio'],
  audio: {
    input: { format: PCM, transcription: null, noise_reduction: null, turn_detection: DEFAULT_TURN_DETECTION },
    output: { format: PCM, voice: 'sandbox', speed: 1 },
  },
  tools: [],
  tool_choice: 'auto',
  max_output_tokens: 'inf',
  tracing: null,
  truncation: 'auto',
});

/** Fields that are absent from the update stay; the model of a conversation never changes. */
export function merged(current: SessionFields, update: SessionFields): SessionFields {
  const audio = {
    input: { ...current.audio?.input, ...update.audio?.input },
    output: { ...current.audio?.output, ...update.audio?.output },
  };
  const { turn_detection: detection } = audio.input;
  // The session that the client receives names the defaults, too.
  if (detection?.type === 'server_vad') audio.input.turn_detection = { ...DEFAULT_TURN_DETECTION, ...detection };
  return { ...current, ...update, audio, model: current.model };
}

export function configOf({ instructions, output_modalities: modalities, audio, tools }: SessionFields): SessionConfig {
  return {
    instructions: instructions ?? '',
    modality: modalities?.[0] ?? 'audio',
    inputFormat: audio?.input?.format ?? PCM,
    outputFormat: audio?.output?.format ?? PCM,
    turns: turnRules(audio?.input?.turn_detection ?? null),
    language: audio?.input?.transcription?.language,
    wantsTranscription: audio?.input?.transcription != null,
    tools: (tools ?? []).map(({ name }) => name),
  };
}

/** `semantic_vad` needs recognised words; here it behaves as `server_vad`. */
function turnRules(detection: TurnDetection | null): TurnRules | null {
  if (!detection) return null;
  const given = { ...DEFAULT_TURN_DETECTION, ...detection };
  return {
    silenceMs: given.silence_duration_ms,
    prefixMs: given.prefix_padding_ms,
    createResponse: given.create_response,
    interruptResponse: given.interrupt_response,
  };
}
