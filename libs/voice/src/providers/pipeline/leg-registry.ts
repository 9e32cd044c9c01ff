import type { ModelName, SynthesizerName, TranscriberName } from '@app/common';
import type { ProviderParts, ProviderProblem, ProviderSettings } from '../provider-settings.js';
import { type AgentProfile, type ConnectRequest, ProviderUnavailable } from '../voice-provider.js';
import type { Leg, ModelChoice, PipelineOptions, SynthesizerChoice, TranscriberChoice } from './pipeline-options.js';
import type { LanguageModel, Synthesizer, Transcriber } from './ports.js';

/** The agent and the call that sandbox legs play. */
export interface PlayedRole {
  agent: AgentProfile;
  metadata?: ConnectRequest['metadata'];
}

/** The dependencies of a leg. */
export interface LegParts extends ProviderParts {
  /** The script of a sandbox agent, which the sandbox legs play. */
  script?: unknown;
  /** Sandbox legs read it with each request. */
  role?: PlayedRole;
}

/** A text model needs no voice; the sandbox's belongs to a call and has one. */
export type ModelParts = Omit<LegParts, 'speech'> & Partial<Pick<LegParts, 'speech'>>;

/** Opens one vendor's leg for an agent. */
interface LegKind<Choice, Opened, Parts = LegParts> {
  /** Why it cannot be used with these settings; undefined: it can. */
  problem(choice: Choice, parts: Pick<LegParts, 'settings'>): ProviderProblem | undefined;
  /** Called only without a problem. */
  open(choice: Choice, parts: Parts): Opened;
}

export type TranscriberKind = LegKind<TranscriberChoice, Transcriber>;
export type ModelKind = LegKind<ModelChoice, LanguageModel, ModelParts>;
export type SynthesizerKind = LegKind<SynthesizerChoice, Synthesizer>;

type Loaders<Name extends string, Kind> = Map<Name, () => Promise<Kind>>;

/** The legs of each kind: a new vendor is a file beside this one and a line here. A thread loads the code of a vendor with its first agent. */
const TRANSCRIBERS: Loaders<TranscriberName, TranscriberKind> = new Map<
  TranscriberName,
  () => Promise<TranscriberKind>
>([
  ['deepgram', async () => (await import('./transcribers/deepgram-transcriber.js')).deepgram],
  ['assemblyai', async () => (await import('./transcribers/assemblyai-transcriber.js')).assemblyAi],
  ['openai', async () => (await import('./transcribers/openai-transcriber.js')).openAi],
]);
const MODELS: Loaders<ModelName, ModelKind> = new Map([
  ['openai', async () => (await import('./models/compatible-models.js')).openAi],
  ['openai-compatible', async () => (await import('./models/compatible-models.js')).openAiCompatible],
  ['anthropic', async () => (await import('./models/anthropic-model.js')).anthropic],
  ['google', async () => (await import('./models/google-model.js')).google],
]);
const SYNTHESIZERS: Loaders<SynthesizerName, SynthesizerKind> = new Map<
  SynthesizerName,
  () => Promise<SynthesizerKind>
>([
  ['cartesia', async () => (await import('./synthesizers/cartesia.js')).cartesia],
  ['deepgram', async () => (await import('./synthesizers/deepgram.js')).deepgram],
  ['elevenlabs', async () => (await import('./synthesizers/elevenlabs.js')).elevenLabs],
  ['openai', async () => (await import('./synthesizers/openai.js')).openAi],
  ['program', async () => (await import('./synthesizers/program.js')).program],
]);

/** The legs that sandbox agents use. */
interface SandboxLegs {
  transcriber: TranscriberKind;
  model: ModelKind;
  synthesizer: SynthesizerKind;
}

/** The sandbox legs belong to another library, which is loaded with the first agent that uses one of them. */
export function registerSandboxLegs(load: () => Promise<SandboxLegs>): void {
  TRANSCRIBERS.set('sandbox', async () => (await load()).transcriber);
  MODELS.set('sandbox', async () => (await load()).model);
  SYNTHESIZERS.set('sandbox', async () => (await load()).synthesizer);
}

type LegSettings = Pick<LegParts, 'settings'>;
type LegProblem = ProviderProblem | undefined;

/** Reject with ProviderUnavailable when the leg is unknown or not configured. */
export const openTranscriber = (choice: TranscriberChoice, parts: LegParts): Promise<Transcriber> =>
  openLeg(TRANSCRIBERS, 'transcriber', choice, parts);
export const openModel = (choice: ModelChoice, parts: ModelParts): Promise<LanguageModel> =>
  openLeg(MODELS, 'language model', choice, parts);
export const openSynthesizer = (choice: SynthesizerChoice, parts: LegParts): Promise<Synthesizer> =>
  openLeg(SYNTHESIZERS, 'synthesizer', choice, parts);

/** Why a leg cannot be used with these settings; undefined: it can. */
const transcriberProblem = (choice: TranscriberChoice, parts: LegSettings): Promise<LegProblem> =>
  problemOf(TRANSCRIBERS, 'transcriber', choice, parts);
export const modelProblem = (choice: ModelChoice, parts: LegSettings): Promise<LegProblem> =>
  problemOf(MODELS, 'language model', choice, parts);
const synthesizerProblem = (choice: SynthesizerChoice, parts: LegSettings): Promise<LegProblem> =>
  problemOf(SYNTHESIZERS, 'synthesizer', choice, parts);

async function openLeg<Name extends string, Choice extends { provider: Name }, Opened, Parts extends LegSettings>(
  loaders: Loaders<Name, LegKind<Choice, Opened, Parts>>,
  kind: string,
  choice: Choice,
  parts: Parts,
): Promise<Opened> {
  const leg = await loaders.get(choice.provider)?.();
  const problem = leg ? leg.problem(choice, parts) : unknownLeg(kind, choice);
  if (!leg || problem !== undefined) throw new ProviderUnavailable(problem?.message);
  return leg.open(choice, parts);
}

async function problemOf<Name extends string, Choice extends { provider: Name }, Opened, Parts>(
  loaders: Loaders<Name, LegKind<Choice, Opened, Parts>>,
  kind: string,
  choice: Choice,
  parts: LegSettings,
): Promise<LegProblem> {
  const leg = await loaders.get(choice.provider)?.();
  return leg ? leg.problem(choice, parts) : unknownLeg(kind, choice);
}

const unknownLeg = (kind: string, { provider }: { provider: string }): ProviderProblem => ({
  message: `The ${kind} "${provider}" is not available here.`,
});

/** One entry of a leg that cannot be used. */
export interface UnusableLeg {
  /** Its place in the settings of a pipeline: `transcriber`, `model.fallbacks.0`. */
  path: string;
  problem: ProviderProblem;
  /** Another entry of the leg takes its place. */
  isReplaced: boolean;
}

const SANDBOX = { provider: 'sandbox' } as const;

/** The entries of the legs, those of fallbacks included, that cannot be used here. `known`: vendors that need no check. */
export async function unusableLegs(
  { transcriber = SANDBOX, model = SANDBOX, synthesizer = SANDBOX }: PipelineOptions,
  settings: ProviderSettings,
  known: ReadonlySet<string> = new Set(),
): Promise<UnusableLeg[]> {
  const parts = { settings };
  return [
    ...(await unusableOf('transcriber', transcriber, known, (choice) => transcriberProblem(choice, parts))),
    ...(await unusableOf('model', model, known, (choice) => modelProblem(choice, parts))),
    ...(await unusableOf('synthesizer', synthesizer, known, (choice) => synthesizerProblem(choice, parts))),
  ];
}

async function unusableOf<Choice extends { provider: string }>(
  name: string,
  leg: Leg<Choice>,
  known: ReadonlySet<string>,
  problemIn: (choice: Choice) => Promise<LegProblem>,
): Promise<UnusableLeg[]> {
  const problems: LegProblem[] = [];
  for (const entry of [leg, ...(leg.fallbacks ?? [])])
    problems.push(known.has(entry.provider) ? undefined : await problemIn(entry));
  const isReplaced = problems.includes(undefined);
  return problems.flatMap((problem, index) => {
    const path = index === 0 ? name : `${name}.fallbacks.${index - 1}`;
    return problem ? [{ path, problem, isReplaced }] : [];
  });
}
