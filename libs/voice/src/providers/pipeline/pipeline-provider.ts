import type { Clock } from '../../clock.js';
import type { ProviderKind } from '../provider-settings.js';
import {
  type AgentProfile,
  type ConnectRequest,
  type OtherSpeechEvent,
  type ProviderCapabilities,
  type ProviderEvent,
  ProviderUnavailable,
  type VoiceConnection,
  type VoiceProvider,
  type WordsOfOther,
} from '../voice-provider.js';
import {
  type LegParts,
  openModel,
  openSynthesizer,
  openTranscriber,
  type PlayedRole,
  unusableLegs,
} from './leg-registry.js';
import { LegChain } from './legs.js';
import type { Phrases } from './speech/part-speaker.js';
import { recogniseBy } from './other-speech.js';
import { PipelineConnection, type PipelineLegs } from './pipeline-connection.js';
import type { Leg, PipelineOptions } from './pipeline-options.js';

/** Opens the legs of one connection. Rejects with ProviderUnavailable when a kind has none. */
export type OpenLegs = (modality: ConnectRequest['modality'], role: PlayedRole) => Promise<PipelineLegs>;

interface PipelineProviderOptions {
  name: string;
  options: PipelineOptions;
  clock: Clock;
  openLegs: OpenLegs;
}

/** Transcriber, language model and synthesizer, each of its own vendor. One object serves one conversation. */
export class PipelineProvider implements VoiceProvider {
  readonly name: string;
  readonly capabilities: ProviderCapabilities = {
    cancel: true,
    truncate: true,
    transcribesUser: true,
    judgesInterruptions: true,
    reportsDelays: true,
    wideband: true,
    listensOnly: true,
    screensSentences: true,
  };
  private readonly phrases: Phrases = new Map();
  /** Legs that no connection uses yet, and their role, which the connection completes. */
  private prepared: { legs: PipelineLegs; role: PlayedRole } | undefined;
  private latest: PipelineLegs | undefined;
  private count = 0;

  constructor(private readonly parts: PipelineProviderOptions) {
    this.name = parts.name;
  }

  /** Opens the connections of the model and the synthesizer. */
  async prepare(agent: AgentProfile, signal: AbortSignal): Promise<void> {
    const role = { agent };
    const legs = await this.parts.openLegs('audio', role);
    this.prepared = { legs, role };
    await Promise.all([legs.models.leg.prepare?.(signal), legs.synthesizers?.leg.prepare?.(signal)]);
  }

  async connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection> {
    const { options, clock } = this.parts;
    const nextId = (): number => ++this.count;
    const legs = await this.legsFor(request);
    signal.throwIfAborted();
    const connection = new PipelineConnection(
      { options, legs, clock, phrases: this.phrases, nextId },
      request,
      onEvent,
    );
    await connection.open(signal);
    return connection;
  }

  /** By the transcriber in use, in a stream of its own. */
  async recogniseOther(
    language: string | undefined,
    onEvent: (event: OtherSpeechEvent) => void,
    signal: AbortSignal,
  ): Promise<WordsOfOther | undefined> {
    const transcriber = this.latest?.transcribers?.leg;
    if (!transcriber) return undefined;
    return recogniseBy(transcriber, { language, keywords: this.parts.options.transcriber?.keywords }, onEvent, signal);
  }

  private async legsFor({ modality, agent, metadata }: ConnectRequest): Promise<PipelineLegs> {
    const { prepared, latest } = this;
    this.prepared = undefined;
    if (prepared && modality === 'audio') {
      Object.assign(prepared.role, { agent, metadata });
      return (this.latest = prepared.legs);
    }
    const legs = await this.parts.openLegs(modality, { agent, metadata });
    legs.models.resume(latest?.models);
    legs.transcribers?.resume(latest?.transcribers);
    legs.synthesizers?.resume(latest?.synthesizers);
    return (this.latest = legs);
  }
}

const SANDBOX = { provider: 'sandbox' } as const;

/** The legs that can be used, in their order. */
async function chainOf<Choice, Opened extends { readonly name: string }>(
  kind: string,
  leg: Leg<Choice>,
  clock: Clock,
  open: (choice: Choice) => Promise<Opened>,
): Promise<{ chain: LegChain<Opened>; problems: string[] }> {
  const opened: Opened[] = [];
  const problems: string[] = [];
  for (const choice of [leg, ...(leg.fallbacks ?? [])]) {
    try {
      opened.push(await open(choice));
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      problems.push(error.message);
    }
  }
  if (opened.length === 0) throw new ProviderUnavailable(problems[0]);
  return { chain: new LegChain(kind, opened, clock), problems };
}

/** The legs of an agent. `parts.role` is replaced. */
function openLegs(options: PipelineOptions, parts: LegParts): OpenLegs {
  const { transcriber = SANDBOX, model = SANDBOX, synthesizer = SANDBOX } = options;
  return async (modality, role) => {
    const own = { ...parts, role };
    const models = await chainOf('language model', model, parts.clock, (choice) => openModel(choice, own));
    if (modality === 'text') return { models: models.chain, problems: models.problems };
    const transcribers = await chainOf('transcriber', transcriber, parts.clock, (choice) =>
      openTranscriber(choice, own),
    );
    const synthesizers = await chainOf('synthesizer', synthesizer, parts.clock, (choice) =>
      openSynthesizer(choice, own),
    );
    return {
      models: models.chain,
      transcribers: transcribers.chain,
      synthesizers: synthesizers.chain,
      problems: [transcribers, models, synthesizers].flatMap(({ problems }) => problems),
    };
  };
}

export const pipeline: ProviderKind = {
  async problem({ options }, settings) {
    const unusable = await unusableLegs(options.pipeline ?? {}, settings);
    const [first, ...others] = unusable.filter(({ isReplaced, path }) => !isReplaced && !path.includes('.'));
    if (!first) return undefined;
    return { ...first.problem, message: [first, ...others].map(({ problem }) => problem.message).join(' ') };
  },

  open({ name, options }, parts) {
    const { pipeline: chosen = {}, script } = options;
    const { clock } = parts;
    return new PipelineProvider({ name, options: chosen, clock, openLegs: openLegs(chosen, { ...parts, script }) });
  },
};
