import type { VNode } from 'preact';
import { Choice, Field, numberOf, textOf } from '../../components/forms.js';
import { type Pipeline, pipelineOf } from '../../logic/agent-pipeline.js';

type Vendors<Leg extends 'transcriber' | 'model' | 'synthesizer'> = readonly (readonly [
  NonNullable<Pipeline[Leg]>['provider'],
  string,
])[];

const TRANSCRIBERS: Vendors<'transcriber'> = [
  ['sandbox', 'Sandbox (no transcript)'],
  ['deepgram', 'Deepgram'],
  ['assemblyai', 'AssemblyAI'],
  ['openai', 'OpenAI'],
];
const MODELS: Vendors<'model'> = [
  ['sandbox', 'Sandbox (script)'],
  ['openai', 'OpenAI'],
  ['openai-compatible', 'OpenAI-compatible server'],
  ['anthropic', 'Anthropic'],
  ['google', 'Google'],
];
const EFFORTS = [
  ['', 'Lowest the model supports'],
  ['none', 'None'],
  ['minimal', 'Minimal'],
  ['low', 'Low'],
  ['medium', 'Medium'],
  ['high', 'High'],
] as const;
const SYNTHESIZERS: Vendors<'synthesizer'> = [
  ['sandbox', 'Sandbox'],
  ['elevenlabs', 'ElevenLabs'],
  ['cartesia', 'Cartesia'],
  ['deepgram', 'Deepgram'],
  ['openai', 'OpenAI'],
  ['program', 'Local program'],
];

/** The three legs of a pipeline and its turn-taking. */
export const PipelineFields = ({ pipeline }: { pipeline: Pipeline | null | undefined }): VNode => {
  const { transcriber, model, synthesizer, turns } = pipeline ?? {};
  return (
    <fieldset class="stack" data-part="pipeline">
      <legend>Pipeline</legend>
      <div class="pair">
        <Field name="pipeline.transcriber.provider" label="Transcriber">
          <Choice options={TRANSCRIBERS} selected={transcriber?.provider ?? 'sandbox'} />
        </Field>
        <Word name="pipeline.transcriber.model" label="Transcriber model" value={transcriber?.model} />
      </div>
      <div class="pair">
        <Field name="pipeline.model.provider" label="LLM provider">
          <Choice options={MODELS} selected={model?.provider ?? 'sandbox'} />
        </Field>
        <Word name="pipeline.model.model" label="LLM model" value={model?.model} />
      </div>
      <Field name="pipeline.model.reasoning_effort" label="Reasoning effort">
        <Choice options={EFFORTS} selected={model?.reasoning_effort ?? ''} />
      </Field>
      <div class="pair">
        <Field name="pipeline.synthesizer.provider" label="Synthesizer">
          <Choice options={SYNTHESIZERS} selected={synthesizer?.provider ?? 'sandbox'} />
        </Field>
        <Word name="pipeline.synthesizer.voice" label="Voice" value={synthesizer?.voice} />
      </div>
      <Word name="pipeline.synthesizer.model" label="Synthesizer model" value={synthesizer?.model} />
      <div class="pair">
        <Silence
          name="after_punctuation_ms"
          label="End-of-turn delay after a sentence (ms)"
          usual={300}
          turns={turns}
        />
        <Silence name="without_punctuation_ms" label="End-of-turn delay otherwise (ms)" usual={700} turns={turns} />
      </div>
      <Silence name="longest_ms" label="Maximum end-of-turn delay (ms)" usual={1_500} turns={turns} />
      <Field
        name="pipeline.turns.speculation"
        label="Preemptive generation"
        hint="The LLM starts before the end of the turn is confirmed."
      >
        <input type="checkbox" defaultChecked={turns?.speculation ?? true} />
      </Field>
    </fieldset>
  );
};

interface WordParts {
  name: string;
  label: string;
  value: string | undefined;
}

const Word = ({ name, label, value }: WordParts): VNode => (
  <Field name={name} label={label}>
    <input defaultValue={value ?? ''} autocomplete="off" placeholder="Provider default" />
  </Field>
);

interface SilenceParts {
  name: 'after_punctuation_ms' | 'without_punctuation_ms' | 'longest_ms';
  label: string;
  usual: number;
  turns: Pipeline['turns'];
}

const Silence = ({ name, label, usual, turns }: SilenceParts): VNode => (
  <Field name={`pipeline.turns.${name}`} label={label}>
    <input inputMode="numeric" defaultValue={String(turns?.[name] ?? '')} placeholder={String(usual)} />
  </Field>
);

const SPECULATION = 'pipeline.turns.speculation';

/** The pipeline of the form; `others`: that of the JSON field. */
export const pipelineIn = (values: FormData, others: unknown): Record<string, unknown> =>
  pipelineOf((field) => {
    // On is the default.
    if (field === SPECULATION) return values.has(field) ? undefined : false;
    return field.endsWith('_ms') ? numberOf(values, field) : textOf(values, field) || undefined;
  }, others);
