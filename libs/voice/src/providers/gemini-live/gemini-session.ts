import { exactNumbers } from '@app/common';
import type { AutomaticActivityDetection, Content, LiveClientMessage, LiveClientSetup } from '@google/genai';
import { z } from 'zod';
import type { Clock } from '../../clock.js';
import type { Speech } from '../../speech/speech.js';
import { IMPLAUSIBLE_USAGE, isPlausible, type UsageItem, type UsageKind } from '../../usage.js';
import type { ProviderOptions, TurnDetection } from '../provider-settings.js';
import { systemNote } from '../realtime-wording.js';
import type { EventSocket } from '../socket/event-socket.js';
import { shorten } from '../socket/server-protocol.js';
import {
  type ConnectRequest,
  type HistoryTurn,
  ProviderBusy,
  type ProviderEvent,
  ProviderUnavailable,
} from '../voice-provider.js';
import { functionDeclaration } from './gemini-schema.js';

export interface GeminiProviderOptions extends Pick<ProviderOptions, 'voice' | 'turnDetection'> {
  /** The name in agents, logs and bills. */
  name: string;
  /** The address of the service, with or without the path of its method. */
  url: string;
  key?: string;
  model: string;
  clock: Clock;
  /** Speaks while the model waits for a tool and can say nothing. */
  speech: Speech;
}

export type GeminiSocket = EventSocket<LiveClientMessage, GeminiEvent>;

const METHOD_PATH = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';

/** The address of the method; one that names a method already (Vertex AI, a proxy) is used as it is. */
export function methodUrl(base: string): string {
  const url = new URL(base.replace(/^http/, 'ws'));
  if (!url.pathname.includes('BidiGenerateContent')) url.pathname = url.pathname.replace(/\/$/, '') + METHOD_PATH;
  return url.href;
}

/** Voices of these models follow the language of the instructions, and refuse a language setting. */
const OWN_LANGUAGE = /native-audio|gemini-(?:[3-9]|\d\d)/;

/**
 * The configuration of a session. The model answers with speech only, in text conversations as well: the current models refuse the text
 * modality, so the transcription of their speech is the text.
 */
export function setupOf(
  request: ConnectRequest,
  options: Pick<GeminiProviderOptions, 'model' | 'voice' | 'turnDetection'>,
  handle: string | undefined,
): LiveClientSetup {
  const { agent, modality, tools, history } = request;
  const { model, voice, turnDetection } = options;
  const languageCode = agent.language?.includes('-') && !OWN_LANGUAGE.test(model) ? agent.language : undefined;
  const speechConfig = {
    ...(voice ? { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } } : {}),
    ...(languageCode ? { languageCode } : {}),
  };
  const instructions = instructionsOf(request);
  const isResumed = handle !== undefined;
  return {
    model: model.includes('/') ? model : `models/${model}`,
    generationConfig: {
      responseModalities: ['AUDIO'] as never,
      ...(Object.keys(speechConfig).length > 0 ? { speechConfig } : {}),
    },
    ...(instructions ? { systemInstruction: { parts: [{ text: instructions }] } } : {}),
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(functionDeclaration) }] } : {}),
    realtimeInputConfig: {
      ...(modality === 'audio' ? { automaticActivityDetection: detectionOf(turnDetection) } : {}),
      activityHandling: 'START_OF_ACTIVITY_INTERRUPTS' as never,
    },
    ...(modality === 'audio' ? { inputAudioTranscription: {} } : {}),
    outputAudioTranscription: {},
    sessionResumption: isResumed ? { handle } : {},
    // Without it a session with audio ends after 15 minutes.
    contextWindowCompression: { slidingWindow: {} },
    ...(!isResumed && turnsOf(history).length > 0 ? { historyConfig: { initialHistoryInClientContent: true } } : {}),
  };
}

const instructionsOf = ({ agent: { instructions, language } }: ConnectRequest): string =>
  [instructions, language ? `Speak ${languageName(language)}, unless the caller speaks another language.` : '']
    .filter(Boolean)
    .join('\n\n');

function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Absent values are the service's. Its detector has two sensitivities instead of a threshold. */
export function detectionOf(chosen: TurnDetection = { type: 'server_vad' }): AutomaticActivityDetection {
  if (chosen.type === 'semantic_vad') {
    const { eagerness = 'auto' } = chosen;
    if (eagerness === 'auto' || eagerness === 'medium') return {};
    return { endOfSpeechSensitivity: (eagerness === 'high' ? 'END_SENSITIVITY_HIGH' : 'END_SENSITIVITY_LOW') as never };
  }
  const { threshold, prefixPaddingMs, silenceMs } = chosen;
  const sensitivity = threshold === undefined ? undefined : threshold > 0.5 ? 'LOW' : 'HIGH';
  return {
    ...(sensitivity ? { startOfSpeechSensitivity: `START_SENSITIVITY_${sensitivity}` as never } : {}),
    ...(prefixPaddingMs === undefined ? {} : { prefixPaddingMs }),
    ...(silenceMs === undefined ? {} : { silenceDurationMs: silenceMs }),
  };
}

/** Turns sent to a new session; older ones matter little, and the service reads all of them at once. */
const MAX_HISTORY = 200;

/** The conversation so far as text. */
export const turnsOf = (history: readonly HistoryTurn[]): Content[] =>
  history
    .filter(({ text }) => text !== '')
    .slice(-MAX_HISTORY)
    .map(({ role, text }) => ({
      role: role === 'agent' ? 'model' : 'user',
      parts: [{ text: role === 'system' ? systemNote(text) : text }],
    }));

const tokenCounts = z
  .array(z.object({ modality: z.string().optional(), tokenCount: z.number().optional() }))
  .optional();
const count = z.number().optional();
const transcription = z.object({ text: z.string().optional() }).optional();

/** The used fields of a server message; its unknown fields are dropped. Proto3 JSON may send null for an absent field. */
const serverMessage = z.object({
  setupComplete: z.object({}).optional(),
  serverContent: z
    .object({
      modelTurn: z
        .object({
          parts: z
            .array(
              z.object({
                text: z.string().optional(),
                thought: z.boolean().optional(),
                inlineData: z.object({ data: z.string().optional(), mimeType: z.string().optional() }).optional(),
              }),
            )
            .optional(),
        })
        .optional(),
      interrupted: z.boolean().optional(),
      generationComplete: z.boolean().optional(),
      turnComplete: z.boolean().optional(),
      turnCompleteReason: z.string().optional(),
      inputTranscription: transcription,
      outputTranscription: transcription,
    })
    .optional(),
  toolCall: z
    .object({
      functionCalls: z
        .array(
          z.object({
            id: z.string().optional(),
            name: z.string().optional(),
            args: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .optional(),
    })
    .optional(),
  toolCallCancellation: z.object({ ids: z.array(z.string()).optional() }).optional(),
  usageMetadata: z
    .object({
      promptTokenCount: count,
      promptTokensDetails: tokenCounts,
      cachedContentTokenCount: count,
      cacheTokensDetails: tokenCounts,
      toolUsePromptTokenCount: count,
      toolUsePromptTokensDetails: tokenCounts,
      responseTokenCount: count,
      responseTokensDetails: tokenCounts,
      thoughtsTokenCount: count,
    })
    .optional(),
  goAway: z.object({ timeLeft: z.string().optional() }).optional(),
  sessionResumptionUpdate: z.object({ newHandle: z.string().optional(), resumable: z.boolean().optional() }).optional(),
  error: z
    .object({ code: z.number().optional(), status: z.string().optional(), message: z.string().optional() })
    .optional(),
});

export type GeminiEvent = z.output<typeof serverMessage>;
export type GeminiContent = NonNullable<GeminiEvent['serverContent']>;
type GeminiUsage = NonNullable<GeminiEvent['usageMetadata']>;

/** Parses a server message. Undefined: a violation of the protocol. */
export function readGeminiEvent(message: string): GeminiEvent | undefined {
  try {
    return serverMessage.safeParse(
      JSON.parse(exactNumbers(message), (_, value: unknown) => (value === null ? undefined : value)),
    ).data;
  } catch {
    return undefined;
  }
}

/** A protobuf duration such as `9.5s`, in milliseconds. */
export function durationMs(text: string | undefined): number | undefined {
  const seconds = /^(\d{1,9}(?:\.\d+)?)s$/.exec(text ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/**
 * The usage of one generation. Cached tokens are part of the prompt and are listed separately; tokens of thoughts are charged as text.
 * Counts without a modality are text.
 */
export function usageEvents(usage: GeminiUsage, source: string): ProviderEvent[] {
  const items = geminiUsage(usage, source);
  const believed = items.filter(isPlausible);
  return [
    ...(believed.length > 0 ? [{ type: 'usage' as const, items: believed }] : []),
    ...(believed.length < items.length ? [IMPLAUSIBLE_USAGE] : []),
  ];
}

function geminiUsage(usage: GeminiUsage, source: string): UsageItem[] {
  const prompt = split(usage.promptTokenCount, usage.promptTokensDetails);
  const cached = split(usage.cachedContentTokenCount, usage.cacheTokensDetails);
  const tools = split(usage.toolUsePromptTokenCount, usage.toolUsePromptTokensDetails);
  const response = split(usage.responseTokenCount, usage.responseTokensDetails);
  // Without details of the cache, its tokens may be of either modality.
  const cachedAudio =
    Math.min(cached.audio, prompt.audio) + Math.max(0, Math.min(cached.text - prompt.text, prompt.audio));
  const cachedText = Math.min(cached.text, prompt.text);
  const counts: Partial<Record<UsageKind, number>> = {
    input_text_tokens: prompt.text - cachedText + tools.text,
    input_audio_tokens: prompt.audio - cachedAudio + tools.audio,
    cached_text_tokens: cachedText,
    cached_audio_tokens: cachedAudio,
    output_text_tokens: response.text + (usage.thoughtsTokenCount ?? 0),
    output_audio_tokens: response.audio,
  };
  return (Object.entries(counts) as [UsageKind, number][])
    .filter(([, tokens]) => tokens > 0)
    .map(([kind, tokens]) => ({ kind, quantity: tokens / 1000, unit: 'thousand_tokens', source }));
}

function split(total: number | undefined, details: z.output<typeof tokenCounts>): { text: number; audio: number } {
  const sum = (isWanted: (modality: string) => boolean): number =>
    (details ?? []).reduce(
      (all, one) => all + (isWanted(one.modality ?? 'TEXT') ? Math.max(0, one.tokenCount ?? 0) : 0),
      0,
    );
  const audio = sum((modality) => modality === 'AUDIO');
  const other = sum((modality) => modality !== 'AUDIO');
  return { audio, text: other + Math.max(0, (total ?? 0) - audio - other) };
}

/** After these a retry fails again: the key, the project or the model must change first. */
const FINAL =
  /API[ _]key|API_KEY_INVALID|UNAUTHENTICATED|PERMISSION_DENIED|permission|billing account|not found for API version|not supported for|location is not supported|has been suspended/i;
const QUOTA = /quota|RESOURCE_EXHAUSTED|rate limit|too many/i;
/** Google's quotas are per minute. */
const QUOTA_RETRY_MS = 60_000;
/** The service names its refusals by the close code and a sentence. 1007: invalid argument. */
const INVALID = /\(1007\)\.$/;

/** Whether the reason of an end says that the service will refuse this conversation again. */
export const isFinalReason = (reason: string): boolean => FINAL.test(reason) && !QUOTA.test(reason);

/** The error of a session that was refused before it began. */
export function refusalOf(name: string, reason: string): Error {
  const sentence = `The server of ${name} rejected the session: ${shorten(reason)}`;
  if (QUOTA.test(reason)) return new ProviderBusy(sentence, QUOTA_RETRY_MS);
  if (FINAL.test(reason) || INVALID.test(reason)) return new ProviderUnavailable(sentence);
  return new Error(sentence);
}
