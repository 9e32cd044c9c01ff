import type { VNode } from 'preact';
import { useSignal } from '@preact/signals';
import { Choice, Field, numberOf, textOf } from '../../components/forms.js';
import { ModelField, VoiceField } from '../../components/vendor-field.js';
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
export const MODELS: Vendors<'model'> = [
  ['sandbox', 'Sandbox (script)'],
  ['openai', 'OpenAI'],
  ['openai-compatible', 'OpenAI-compatible server'],
  ['anthropic', 'Anthropic'],
  ['google', 'Google'],
];
export const EFFORTS = [
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
  const hears = useSignal<string>(transcriber?.provider ?? 'sandbox');
  const thinks = useSignal<string>(model?.provider ?? 'sandbox');
  const speaks = useSignal<string>(synthesizer?.provider ?? 'sandbox');
  return (
    <fieldset class="stack" data-part="pipeline">
      <legend>Pipeline</legend>
      <div class="pair">
        <Field name="pipeline.transcriber.provider" label="Transcriber">
          <Choice options={TRANSCRIBERS} selected={hears.value} onChange={(value) => (hears.value = value)} />
        </Field>
        <ModelField
          name="pipeline.transcriber.model"
          label="Transcriber model"
          vendor={hears.value}
          value={transcriber?.model ?? ''}
          use="transcriber"
        />
      </div>
      <div class="pair">
        <Field name="pipeline.model.provider" label="LLM provider">
          <Choice options={MODELS} selected={thinks.value} onChange={(value) => (thinks.value = value)} />
        </Field>
        <ModelField
          name="pipeline.model.model"
          label="LLM model"
          vendor={thinks.value}
          value={model?.model ?? ''}
          use="model"
        />
      </div>
      <Field name="pipeline.model.reasoning_effort" label="Reasoning effort">
        <Choice options={EFFORTS} selected={model?.reasoning_effort ?? ''} />
      </Field>
      <div class="pair">
        <Field name="pipeline.synthesizer.provider" label="Synthesizer">
          <Choice options={SYNTHESIZERS} selected={speaks.value} onChange={(value) => (speaks.value = value)} />
        </Field>
        <VoiceField
          name="pipeline.synthesizer.voice"
          label="Voice"
          vendor={speaks.value}
          value={synthesizer?.voice ?? ''}
        />
      </div>
      <ModelField
        name="pipeline.synthesizer.model"
        label="Synthesizer model"
        vendor={speaks.value}
        value={synthesizer?.model ?? ''}
        use="synthesizer"
      />
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
