import type { ModelName, SynthesizerName, TranscriberName } from '@app/common';
import type { ProviderParts, ProviderSettings } from '../provider-settings.js';
import { ProviderUnavailable } from '../voice-provider.js';
import type { Leg, ModelChoice, PipelineOptions, SynthesizerChoice, TranscriberChoice } from './pipeline-options.js';
import type { LanguageModel, Synthesizer, Transcriber } from './ports.js';

/** The dependencies of a leg. */
export interface LegParts extends ProviderParts {
  /** The script of a sandbox agent, which the sandbox legs play. */
  script?: unknown;
}

/** Opens one vendor's leg for an agent. */
export interface LegKind<Choice, Opened> {
  /** Why it cannot be used with these settings, as a sentence; undefined: it can. */
  problem(choice: Choice, parts: Pick<LegParts, 'settings'>): string | undefined;
  /** Called only without a problem. */
  open(choice: Choice, parts: LegParts): Opened;
}

export type TranscriberKind = LegKind<TranscriberChoice, Transcriber>;
export type ModelKind = LegKind<ModelChoice, LanguageModel>;
export type SynthesizerKind = LegKind<SynthesizerChoice, Synthesizer>;

type Loaders<Name extends string, Kind> = Map<Name, () => Promise<Kind>>;

/** The legs of each kind: a new vendor is a file beside this one and a line here. A thread loads the code of a vendor with its first agent. */
const TRANSCRIBERS: Loaders<TranscriberName, TranscriberKind> = new Map();
const MODELS: Loaders<ModelName, ModelKind> = new Map();
const SYNTHESIZERS: Loaders<SynthesizerName, SynthesizerKind> = new Map();

/** The sandbox legs belong to another library, which adds them in processes that may load it. */
export interface SandboxLegs {
  transcriber: () => Promise<TranscriberKind>;
  model: () => Promise<ModelKind>;
  synthesizer: () => Promise<SynthesizerKind>;
}

export function registerSandboxLegs({ transcriber, model, synthesizer }: SandboxLegs): void {
  TRANSCRIBERS.set('sandbox', transcriber);
  MODELS.set('sandbox', model);
  SYNTHESIZERS.set('sandbox', synthesizer);
}

/** Reject with ProviderUnavailable when the leg is unknown or not configured. */
export const openTranscriber = (choice: TranscriberChoice, parts: LegParts): Promise<Transcriber> =>
  openLeg(TRANSCRIBERS, 'transcriber', choice, parts);
export const openModel = (choice: ModelChoice, parts: LegParts): Promise<LanguageModel> =>
  openLeg(MODELS, 'language model', choice, parts);
export const openSynthesizer = (choice: SynthesizerChoice, parts: LegParts): Promise<Synthesizer> =>
  openLeg(SYNTHESIZERS, 'synthesizer', choice, parts);

async function openLeg<Name extends string, Choice extends { provider: Name }, Opened>(
  loaders: Loaders<Name, LegKind<Choice, Opened>>,
  kind: string,
  choice: Choice,
  parts: LegParts,
): Promise<Opened> {
  const leg = await loaders.get(choice.provider)?.();
  if (!leg) throw new ProviderUnavailable(`The ${kind} "${choice.provider}" is not available here.`);
  const problem = leg.problem(choice, parts);
  if (problem !== undefined) throw new ProviderUnavailable(problem);
  return leg.open(choice, parts);
}

/** Why legs of an agent cannot be used with these settings, as sentences; those of fallbacks included. */
export async function legProblems(
  { transcriber, model, synthesizer }: PipelineOptions,
  settings: ProviderSettings,
): Promise<string[]> {
  const problems = [
    ...choicesOf(transcriber).map((choice) => legProblem(TRANSCRIBERS, 'transcriber', choice, settings)),
    ...choicesOf(model).map((choice) => legProblem(MODELS, 'language model', choice, settings)),
    ...choicesOf(synthesizer).map((choice) => legProblem(SYNTHESIZERS, 'synthesizer', choice, settings)),
  ];
  return (await Promise.all(problems)).filter((problem) => problem !== undefined);
}

const choicesOf = <Choice extends { provider: string }>(leg: Leg<Choice> | undefined): Choice[] =>
  leg ? [leg, ...(leg.fallbacks ?? [])] : [];

async function legProblem<Name extends string, Choice extends { provider: Name }, Opened>(
  loaders: Loaders<Name, LegKind<Choice, Opened>>,
  kind: string,
  choice: Choice,
  settings: ProviderSettings,
): Promise<string | undefined> {
  if (choice.provider === 'sandbox') return undefined;
  const leg = await loaders.get(choice.provider)?.();
  return leg ? leg.problem(choice, { settings }) : `The ${kind} "${choice.provider}" is not available here.`;
}
