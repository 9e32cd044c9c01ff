import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { WholeAgent } from '../../api/types.js';
import { Choice, Field, textOf } from '../../components/forms.js';
import { TemplateField } from '../../components/template-field.js';

const ON_MACHINE = [
  ['', 'Detection off'],
  ['hang_up', 'Hang up'],
  ['leave_message', 'Leave a voicemail'],
  ['go_on', 'Continue the conversation'],
] as const;

const ON_SCREENING = [
  ['', 'Same as for answering machines'],
  ['answer', 'Say who is calling and wait'],
  ['hang_up', 'Hang up'],
  ['go_on', 'Continue the conversation'],
] as const;

const ON_IVR = [
  ['', 'Same as for answering machines'],
  ['hang_up', 'Hang up'],
  ['go_on', 'Continue the conversation'],
] as const;

interface AnsweringParts {
  agent: WholeAgent | undefined;
  /** The text after the beep. */
  message: Signal<string>;
  declared: readonly string[];
  onDeclare: (name: string) => void;
}

/** Reactions to machines that pick up. */
export function AnsweringFields({ agent, message, declared, onDeclare }: AnsweringParts): VNode {
  const stored = agent?.answering_machine;
  const machine = useSignal<string>(stored?.on_machine ?? '');
  const screening = useSignal<string>(stored?.on_screening ?? '');
  const screeningMessage = useSignal(stored?.screening_message ?? '');
  return (
    <>
      <Field name="answering_machine.on_machine" label="Answering machines">
        <Choice options={ON_MACHINE} selected={machine.value} onChange={(value) => (machine.value = value)} />
      </Field>
      {machine.value === 'leave_message' && (
        <TemplateField
          name="answering_machine.message"
          label="Voicemail message"
          rows={2}
          text={message}
          declared={declared}
          onDeclare={onDeclare}
        />
      )}
      {machine.value !== '' && (
        <div class="pair">
          <Field name="answering_machine.on_screening" label="Call screening">
            <Choice options={ON_SCREENING} selected={screening.value} onChange={(value) => (screening.value = value)} />
          </Field>
          <Field name="answering_machine.on_ivr" label="Phone menus (IVR)">
            <Choice options={ON_IVR} selected={stored?.on_ivr ?? ''} />
          </Field>
        </div>
      )}
      {machine.value !== '' && screening.value === 'answer' && (
        <TemplateField
          name="answering_machine.screening_message"
          label="Call screening message"
          rows={2}
          text={screeningMessage}
          declared={declared}
          onDeclare={onDeclare}
        />
      )}
    </>
  );
}

/** The reactions of the form; null: answering machines are not detected. */
export function answeringIn(values: FormData, stored: WholeAgent['answering_machine'] | undefined, message: string) {
  const text = (name: string): string => textOf(values, `answering_machine.${name}`);
  if (text('on_machine') === '') return null;
  const { on_screening: _screening, screening_message: _message, on_ivr: _ivr, ...kept } = stored ?? {};
  return {
    ...kept,
    detect: true,
    on_machine: text('on_machine'),
    message,
    ...(text('on_screening') !== '' && { on_screening: text('on_screening') }),
    ...(text('on_screening') === 'answer' && { screening_message: text('screening_message') }),
    ...(text('on_ivr') !== '' && { on_ivr: text('on_ivr') }),
  };
}
