import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../clock.js';
import { vendorProblem, vendorServer, type VendorServer } from '../../provider-settings.js';
import type { SynthesizerKind } from '../leg-registry.js';
import type { SynthesizerChoice } from '../pipeline-options.js';
import type { LegAudio, SynthesisEvent, SynthesisRequest, Synthesizer } from '../ports.js';
import { charactersOf, SentenceAudio } from './sentence-audio.js';
import { rawAudio, SentenceRequests } from './sentence-requests.js';

const FAMILY = 'aura-2';
/** A voice per language; the vendor's models are voices with a language. */
const VOICES: Record<string, string> = {
  en: 'thalia',
  de: 'viktoria',
  es: 'celeste',
  fr: 'agathe',
  it: 'livia',
  ja: 'izanami',
  nl: 'rhea',
};
/** The range of the vendor; other speeds become the nearest one. */
const SPEED = [0.7, 1.5] as const;

export const deepgram: SynthesizerKind = {
  problem: (_choice, { settings }) => vendorProblem('synthesizer', 'deepgram', settings),
  open: (choice, { settings, clock }) => new Deepgram(choice, vendorServer('deepgram', settings)!, clock),
};

/**
 * Each sentence is one request: the vendor's WebSocket has one queue for all texts, so that it can neither speak two sentences at the
 * same time nor cancel one of them. See docs/decisions/0044-synthesizers.md.
 */
class Deepgram implements Synthesizer {
  readonly name: string;
  private readonly requests: SentenceRequests;
  /** Absent: the voice of the language. */
  private readonly model: string | undefined;

  constructor(
    private readonly choice: SynthesizerChoice,
    server: VendorServer,
    clock: Clock,
  ) {
    this.model = modelOf(choice);
    this.name = `deepgram:${this.model ?? FAMILY}`;
    const authorization: Record<string, string> = server.key ? { authorization: `Token ${server.key}` } : {};
    this.requests = new SentenceRequests({ name: 'Deepgram', server, authorization, clock });
  }

  speak(request: SynthesisRequest, signal: AbortSignal): AsyncIterable<SynthesisEvent> {
    const { text, audio } = request;
    const read = (response: IncomingMessage) => rawAudio('Deepgram', response, new SentenceAudio('Deepgram', audio));
    const path = `/v1/speak?${this.parameters(request)}`;
    return this.requests.speak({ path, body: { text }, read, usage: charactersOf(this.name, request) }, signal);
  }

  prepare(signal: AbortSignal): Promise<void> {
    return this.requests.prepare(signal);
  }

  close(): void {
    this.requests.close();
  }

  private parameters({ audio, language }: SynthesisRequest): string {
    const { speed } = this.choice;
    return new URLSearchParams({
      model: this.model ?? voiceFor(language),
      encoding: ENCODINGS[audio.codec],
      sample_rate: String(audio.rate),
      container: 'none',
      ...(speed !== undefined && { speed: String(Math.min(SPEED[1], Math.max(SPEED[0], speed))) }),
    }).toString();
  }
}

const ENCODINGS: Record<LegAudio['codec'], string> = { PCMU: 'mulaw', PCMA: 'alaw', L16: 'linear16' };

/** A voice is a complete model (`aura-2-thalia-en`) or the name of an English one (`thalia`), of the model `aura` or `aura-2`. */
function modelOf({ model, voice }: SynthesizerChoice): string | undefined {
  const isFamily = model === undefined || /^aura(?:-2)?$/.test(model);
  if (!isFamily) return model;
  if (voice === undefined) return model === 'aura' ? 'aura-asteria-en' : undefined;
  return voice.startsWith('aura') ? voice : `${model ?? FAMILY}-${voice}-en`;
}

function voiceFor(language = 'en'): string {
  const primary = language.split('-')[0]!.toLowerCase();
  const spoken = primary in VOICES ? primary : 'en';
  return `${FAMILY}-${VOICES[spoken]}-${spoken}`;
}
