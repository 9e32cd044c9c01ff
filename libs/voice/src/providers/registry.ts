import { PROVIDER_NAMES, type ProviderName } from '@app/common';
import { openAiLive } from './openai-live/live-provider.js';
import { openAiRealtime } from './openai-realtime/realtime-provider.js';
import { type UnusableLeg, unusableLegs } from './pipeline/leg-registry.js';
import {
  A_MODEL,
  type ProviderChoice,
  type ProviderKind,
  type ProviderParts,
  type ProviderProblem,
  type ProviderSettings,
} from './provider-settings.js';
import {
  type AgentProfile,
  type ConnectRequest,
  type ProviderCapabilities,
  type ProviderEvent,
  ProviderUnavailable,
  type VoiceConnection,
  type VoiceProvider,
  type WordsOfOther,
} from './voice-provider.js';

type LoadKind = () => ProviderKind | Promise<ProviderKind>;

/** The voice providers: a new one is a folder beside this file and a line here. Processes that may load the sandbox register it. */
const KINDS = new Map<string, LoadKind>(
  Object.entries({
    'openai-realtime': () => openAiRealtime,
    'openai-live': () => openAiLive,
    // Only threads with such an agent load its schema library.
    'gemini-live': async () => (await import('./gemini-live/gemini-provider.js')).geminiLive,
    pipeline: async () => (await import('./pipeline/pipeline-provider.js')).pipeline,
  } satisfies Record<Exclude<ProviderName, 'sandbox'>, LoadKind>),
);

/** Adds a provider of another library, which is loaded with its first agent. */
export function registerProvider(name: ProviderName, load: () => Promise<ProviderKind>): void {
  KINDS.set(name, load);
}

/** The first one speaks, the others take over in order. */
export interface AgentProviders {
  provider: VoiceProvider;
  fallbacks: VoiceProvider[];
  /** The choices behind `provider` and `fallbacks`, in the same order. */
  usable: [ProviderChoice, ...ProviderChoice[]];
  /** The providers of the list that cannot be used here, and why. */
  unavailable: ProviderUnavailable[];
}

/** The providers of an agent that can be used, in their order. Rejects with ProviderUnavailable when there is none. */
export async function providersFor(wanted: readonly ProviderChoice[], parts: ProviderParts): Promise<AgentProviders> {
  const unavailable: ProviderUnavailable[] = [];
  const opened: { choice: ProviderChoice; provider: VoiceProvider }[] = [];
  for (const choice of wanted) {
    try {
      opened.push({ choice, provider: await providerFor(choice, parts) });
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      unavailable.push(error);
    }
  }
  const [first, ...others] = opened;
  if (first)
    return {
      provider: first.provider,
      fallbacks: others.map(({ provider }) => provider),
      usable: [first.choice, ...others.map(({ choice }) => choice)],
      unavailable,
    };
  throw unavailable[0] ?? new ProviderUnavailable('An agent needs a voice provider.');
}

async function problemOf(wanted: ProviderChoice, settings: ProviderSettings): Promise<ProviderProblem | undefined> {
  const kind = await KINDS.get(wanted.name)?.();
  return kind ? kind.problem(wanted, settings) : unknownProvider(wanted);
}

/** A provider of an agent, or an entry of a leg of its pipeline, that cannot be used. */
interface UnusableProvider {
  /** Its place in the settings of an agent: `provider`, `fallbacks.0.model`, `pipeline.transcriber.provider`. */
  field: string;
  problem: ProviderProblem;
  /** Another entry of its list takes its place. */
  isReplaced: boolean;
}

/** What dialers with these settings cannot use of the providers of an agent. */
export async function unusableProviders(
  chain: readonly ProviderChoice[],
  settings: ProviderSettings,
): Promise<UnusableProvider[]> {
  const found: UnusableLeg[][] = [];
  for (const wanted of chain) found.push(await unusableIn(wanted, settings));
  const works = found.some((all) => all.every(({ isReplaced }) => isReplaced));
  return found.flatMap((all, index) => {
    const place = index === 0 ? '' : `fallbacks.${index - 1}.`;
    return all.map(({ path, problem, isReplaced }) => {
      const field = `${place}${path}${problem.missing === A_MODEL ? 'model' : 'provider'}`;
      return { field, problem, isReplaced: isReplaced || works };
    });
  });
}

/** Every dialer has it, and it needs no settings. */
const SANDBOX: ReadonlySet<string> = new Set(['sandbox']);

async function unusableIn(wanted: ProviderChoice, settings: ProviderSettings): Promise<UnusableLeg[]> {
  if (SANDBOX.has(wanted.name)) return [];
  if (wanted.name === 'pipeline') {
    const legs = await unusableLegs(wanted.options.pipeline ?? {}, settings, SANDBOX);
    return legs.map((leg) => ({ ...leg, path: `pipeline.${leg.path}.` }));
  }
  const problem = await problemOf(wanted, settings);
  return problem ? [{ path: '', problem, isReplaced: false }] : [];
}

/** Rejects with ProviderUnavailable when the provider is unknown or not configured. */
export async function providerFor(wanted: ProviderChoice, parts: ProviderParts): Promise<VoiceProvider> {
  const kind = await KINDS.get(wanted.name)?.();
  const problem = await problemOf(wanted, parts.settings);
  if (!kind || problem !== undefined) throw new ProviderUnavailable(problem?.message);
  return kind.open(wanted, parts);
}

const unknownProvider = ({ name }: ProviderChoice): ProviderProblem => ({
  message: `The voice provider "${name}" is not available here. Available: ${PROVIDER_NAMES.join(', ')}.`,
});

/** Before its first connection a provider has no response to cancel, and no item to truncate. */
const NOT_CONNECTED: ProviderCapabilities = { cancel: false, truncate: false, transcribesUser: false };

/**
 * Loads and opens the chosen provider when a conversation first needs it. The session listens at once: speech and keys of the user
 * during the loading reach the first connection.
 */
export class LazyProvider implements VoiceProvider {
  private opening: Promise<VoiceProvider> | undefined;
  private opened: VoiceProvider | undefined;

  constructor(
    private readonly wanted: ProviderChoice,
    private readonly parts: ProviderParts,
  ) {}

  get name(): string {
    return this.wanted.name;
  }

  get capabilities(): ProviderCapabilities {
    return this.opened?.capabilities ?? NOT_CONNECTED;
  }

  async load(): Promise<void> {
    await this.open();
  }

  async prepare(agent: AgentProfile, signal: AbortSignal): Promise<void> {
    await (await this.open()).prepare(agent, signal);
  }

  /** Rejects with ProviderUnavailable also when the provider is unknown or not configured. */
  async connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection> {
    return (await this.open()).connect(request, onEvent, signal);
  }

  async recogniseOther(
    ...given: Parameters<NonNullable<VoiceProvider['recogniseOther']>>
  ): Promise<WordsOfOther | undefined> {
    return (await this.open()).recogniseOther?.(...given);
  }

  private async open(): Promise<VoiceProvider> {
    this.opening ??= providerFor(this.wanted, this.parts);
    return (this.opened = await this.opening);
  }
}
