import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { WholeAgent } from '../../api/types.js';
import { Choice, Field, textOf } from '../../components/forms.js';

const MODES = [
  ['', 'Record without announcement'],
  ['announce', 'Announce the recording'],
  ['ask', 'Ask for consent'],
] as const;

const ON_REFUSAL = [
  ['continue_without_recording', 'Continue without recording'],
  ['hang_up', 'Hang up'],
] as const;

/** The fields of an agent about its recordings. */
export function RecordingFields({ agent }: { agent: WholeAgent | undefined }): VNode {
  const consent = agent?.recording_consent ?? null;
  const mode = useSignal<string>(consent?.mode ?? '');
  return (
    <div class="card stack">
      <h2>Recording</h2>
      <div class="pair">
        <Field name="recording_consent.mode" label="Recording consent">
          <Choice options={MODES} selected={mode.value} onChange={(value) => (mode.value = value)} />
        </Field>
        {mode.value === 'ask' && (
          <Field name="recording_consent.on_refusal" label="If consent is declined">
            <Choice options={ON_REFUSAL} selected={consent?.on_refusal ?? 'continue_without_recording'} />
          </Field>
        )}
      </div>
      {mode.value !== '' && (
        <>
          <Field name="recording_consent.message" label={mode.value === 'ask' ? 'Question' : 'Announcement'}>
            <textarea rows={2} defaultValue={consent?.message ?? ''} />
          </Field>
          <Field
            name="recording_consent.prefixes"
            label="Number prefixes"
            hint="Applies to these numbers only, such as +49 +1415. Leave empty for all numbers."
          >
            <input defaultValue={(consent?.prefixes ?? []).join(' ')} autocomplete="off" />
          </Field>
        </>
      )}
      <Field name="pause_recording_tool" label="Allow the agent to pause the recording">
        <input type="checkbox" defaultChecked={agent?.pause_recording_tool ?? false} />
      </Field>
    </div>
  );
}

/** The settings of these fields; other keys of the consent stay. */
export function recordingIn(values: FormData, agent: WholeAgent | undefined) {
  const mode = textOf(values, 'recording_consent.mode');
  const consent = mode !== '' && {
    ...agent?.recording_consent,
    mode: mode as 'announce' | 'ask',
    message: textOf(values, 'recording_consent.message'),
    prefixes: textOf(values, 'recording_consent.prefixes')
      .split(/[\s,]+/)
      .filter(Boolean),
    ...(values.has('recording_consent.on_refusal') && {
      on_refusal: textOf(values, 'recording_consent.on_refusal') as 'continue_without_recording' | 'hang_up',
    }),
  };
  return {
    pause_recording_tool: values.has('pause_recording_tool'),
    recording_consent: consent || null,
  };
}
