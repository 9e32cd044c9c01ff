import type {
  ConversationItemInputAudioTranscriptionCompletedEvent,
  RealtimeResponseUsage,
} from 'openai/resources/realtime/realtime';
import type { UsageItem, UsageKind } from '../../usage.js';

type TranscriptionUsage = ConversationItemInputAudioTranscriptionCompletedEvent['usage'];

/**
 * The usage of a response. Cached tokens are part of the reported input and are listed separately; totals without details count as
 * tokens of `modality`.
 */
export function responseUsage(usage: RealtimeResponseUsage, source: string, modality: 'audio' | 'text'): UsageItem[] {
  const input = usage.input_token_details ?? whole(usage.input_tokens, modality);
  const output = usage.output_token_details ?? whole(usage.output_tokens, modality);
  const { text_tokens: text = 0, audio_tokens: audio = 0, cached_tokens: cached = 0 } = input;
  const {
    text_tokens: cachedText = Math.min(text, cached),
    audio_tokens: cachedAudio = Math.min(audio, cached - cachedText),
  } = input.cached_tokens_details ?? {};
  return tokens(source, {
    input_text_tokens: text - cachedText,
    input_audio_tokens: audio - cachedAudio,
    cached_text_tokens: cachedText,
    cached_audio_tokens: cachedAudio,
    output_text_tokens: output.text_tokens ?? 0,
    output_audio_tokens: output.audio_tokens ?? 0,
  });
}

/** The usage of one transcription: tokens or seconds, as the model is priced. */
export function transcriptionUsage(usage: TranscriptionUsage, source: string): UsageItem[] {
  if (usage.type === 'duration') {
    const quantity = Math.round(usage.seconds * 1000) / 1000;
    return quantity > 0 ? [{ kind: 'transcription_seconds', quantity, unit: 'second', source }] : [];
  }
  const { audio_tokens: audio = usage.input_tokens, text_tokens: text = 0 } = usage.input_token_details ?? {};
  return tokens(source, {
    transcription_text_tokens: text,
    transcription_audio_tokens: audio,
    transcription_output_tokens: usage.output_tokens,
  });
}

const whole = (tokens: number | undefined, modality: 'audio' | 'text') =>
  (modality === 'audio' ? { audio_tokens: tokens } : { text_tokens: tokens }) as {
    text_tokens?: number;
    audio_tokens?: number;
    cached_tokens?: number;
    cached_tokens_details?: { text_tokens?: number; audio_tokens?: number };
  };

const tokens = (source: string, counts: Partial<Record<UsageKind, number>>): UsageItem[] =>
  (Object.entries(counts) as [UsageKind, number][])
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => ({ kind, quantity: count / 1000, unit: 'thousand_tokens', source }));
