import type { ModelName, ReasoningEffort, SynthesizerName, TranscriberName } from '@app/common';

/** The choice of one leg with its own options; absent options are the operator's choice, or the vendor's. */
interface LegChoice<Name extends string> {
  provider: Name;
  model?: string;
}

export interface TranscriberChoice extends LegChoice<TranscriberName> {
  keywords?: string[];
}

export interface ModelChoice extends LegChoice<ModelName> {
  /** 0 to 2. */
  temperature?: number;
  /** The longest answer in tokens. */
  maxTokens?: number;
  /** Absent: the least that the model is known to accept. */
  reasoningEffort?: ReasoningEffort;
}

export interface SynthesizerChoice extends LegChoice<SynthesizerName> {
  voice?: string;
  /** 0.5 to 2; 1 is the natural speed. */
  speed?: number;
  /** How to speak, for voices that take instructions: OpenAI's. */
  instructions?: string;
}

/** A leg and the legs of the same kind that take over in their order. */
export type Leg<Choice> = Choice & { fallbacks?: Choice[] };

export interface TurnTaking {
  /** Silence that ends a turn whose words end in a sentence. Default 300. */
  afterPunctuationMs?: number;
  /** Silence that ends any other turn. Default 700. */
  withoutPunctuationMs?: number;
  /** The longest silence, whatever the words are. Default 1500. */
  longestMs?: number;
  /** Additional words that do not interrupt the agent, besides those of the language. */
  acknowledgements?: string[];
  /** The model begins to answer while the user may still go on. Default true. */
  speculation?: boolean;
}

/** A written form and its spoken form, for the synthesizer. */
export interface Pronunciation {
  text: string;
  spoken: string;
}

/** The options of an agent with the provider `pipeline`. Plain data, for other threads as well. Absent legs are `sandbox`. */
export interface PipelineOptions {
  transcriber?: Leg<TranscriberChoice>;
  model?: Leg<ModelChoice>;
  synthesizer?: Leg<SynthesizerChoice>;
  turns?: TurnTaking;
  pronunciations?: Pronunciation[];
  /** Languages beside that of the agent; the agent answers in the language of the user. */
  languages?: string[];
}
