import type {
  RealtimeAudioConfig,
  RealtimeAudioFormats,
  RealtimeAudioInputTurnDetection,
  RealtimeSessionCreateRequest,
} from 'openai/resources/realtime/realtime';
import type { ProviderOptions, TurnDetection } from '../provider-options.js';
import type { ConnectRequest } from '../voice-provider.js';

/** Only what differs from call to call; everything else is the server's default. */
export function sessionConfig(request: ConnectRequest, options: ProviderOptions): RealtimeSessionCreateRequest {
  const { agent, modality, tools } = request;
  return {
    type: 'realtime',
    output_modalities: [modality],
    ...(agent.instructions ? { instructions: agent.instructions } : {}),
    tools: tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters })),
    tool_choice: 'auto',
    // Without audio there are no turns to detect.
    audio: modality === 'text' ? { input: { turn_detection: null } } : audioConfig(request, options),
  };
}

function audioConfig({ agent, codec }: ConnectRequest, options: ProviderOptions): RealtimeAudioConfig {
  const { voice, transcriptionModel, turnDetection = { type: 'server_vad' } } = options;
  const format: RealtimeAudioFormats = { type: codec === 'PCMU' ? 'audio/pcmu' : 'audio/pcma' };
  const language = agent.language?.split('-')[0]?.toLowerCase();
  const transcription = transcriptionModel && { model: transcriptionModel, ...(language ? { language } : {}) };
  return {
    input: { format, turn_detection: detection(turnDetection), ...(transcription ? { transcription } : {}) },
    output: { format, ...(voice ? { voice } : {}) },
  };
}

/**
 * The server answers by itself when somebody has spoken. It never stops its own speech: the session does, because only
 * it knows what was played, and when the agent must not be interrupted (its first words, a goodbye).
 */
function detection(chosen: TurnDetection): RealtimeAudioInputTurnDetection {
  const answers = { create_response: true, interrupt_response: false };
  if (chosen.type === 'semantic_vad') {
    const { type, eagerness } = chosen;
    return { type, ...(eagerness ? { eagerness } : {}), ...answers };
  }
  const { type, threshold, prefixPaddingMs, silenceMs } = chosen;
  return {
    type,
    ...(threshold === undefined ? {} : { threshold }),
    ...(prefixPaddingMs === undefined ? {} : { prefix_padding_ms: prefixPaddingMs }),
    ...(silenceMs === undefined ? {} : { silence_duration_ms: silenceMs }),
    ...answers,
  };
}
