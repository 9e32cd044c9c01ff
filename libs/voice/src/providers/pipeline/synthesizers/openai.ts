import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../clock.js';
import type { UsageItem } from '../../../usage.js';
import { vendorProblem, vendorServer, type VendorServer } from '../../provider-settings.js';
import type { SynthesizerKind } from '../leg-registry.js';
import type { SynthesizerChoice } from '../pipeline-options.js';
import type { SynthesisEvent, SynthesisRequest, Synthesizer } from '../ports.js';
import { charactersOf, SentenceAudio } from './sentence-audio.js';
import { rawAudio, SentenceRequests } from './sentence-requests.js';

const MODEL = 'gpt-4o-mini-tts';
/** All models have it. */
const VOICE = 'coral';
/** The vendor's only raw format. */
const PCM = { rate: 24_000 } as const;
/** These models are charged by characters, and take no instructions. */
const BY_CHARACTERS = /^tts-1/;

export const openAi: SynthesizerKind = {
  problem: (_choice, { settings }) => vendorProblem('synthesizer', 'openai', settings),
  open: (choice, { settings, clock }) => new OpenAi(choice, vendorServer('openai', settings)!, clock),
};

/** `/audio/speech` with raw audio, which servers with OpenAI's protocol offer as well. */
class OpenAi implements Synthesizer {
  readonly name: string;
  private readonly model: string;
  private readonly requests: SentenceRequests;

  constructor(
    private readonly choice: SynthesizerChoice,
    server: VendorServer,
    clock: Clock,
  ) {
    this.model = choice.model ?? MODEL;
    this.name = `openai:${this.model}`;
    this.requests = new SentenceRequests({ name: 'OpenAI', server, clock });
  }

  speak(request: SynthesisRequest, signal: AbortSignal): AsyncIterable<SynthesisEvent> {
    const audio = new SentenceAudio('OpenAI', request.audio, PCM);
    const read = (response: IncomingMessage) => rawAudio('OpenAI', response, audio);
    const sentence = { path: '/audio/speech', body: this.body(request), read };
    return BY_CHARACTERS.test(this.model)
      ? this.requests.speak({ ...sentence, usage: charactersOf(this.name, request) }, signal)
      : this.requests.speak({ ...sentence, usage: [], audioUsage: () => this.secondsOf(audio) }, signal);
  }

  prepare(signal: AbortSignal): Promise<void> {
    return this.requests.prepare(signal);
  }

  close(): void {
    this.requests.close();
  }

  private body({ text }: SynthesisRequest): object {
    const { voice, speed, instructions } = this.choice;
    return {
      model: this.model,
      input: text,
      voice: voice ?? VOICE,
      response_format: 'pcm',
      ...(speed !== undefined && { speed }),
      ...(instructions && !BY_CHARACTERS.test(this.model) && { instructions }),
    };
  }

  /**
   * The vendor charges tokens of audio, and gives the price of a minute ($0.015, https://platform.openai.com/docs/pricing): the tokens are
   * proportional to the audio, and a response with raw audio does not name them.
   */
  private secondsOf(audio: SentenceAudio): UsageItem[] {
    const quantity = Math.round(audio.ms) / 1_000;
    return quantity > 0 ? [{ kind: 'synthesis_seconds', quantity, unit: 'second', source: this.name }] : [];
  }
}
