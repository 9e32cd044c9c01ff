import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { CallData } from '../../api/call-data.js';
import { ask } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { CallCommand, WholeCall } from '../../api/types.js';
import { Chips, Field, Form, textOf } from '../../components/forms.js';
import { Icon } from '../../components/icons.js';
import { NumberInput } from '../../components/number-input.js';
import { Card, Pill, Trouble, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { clock, words } from '../../logic/format.js';
import { startOf } from '../../logic/story.js';
import { randomKey } from './dial-box.js';

type Send = (type: string, input?: object) => Promise<void>;

/** Steers a call that is in progress. Each command is listed with its state until it took effect. */
export function LiveControl({ call, data }: { call: WholeCall; data: CallData }): VNode {
  const commands = data.commands.value;
  const last = (...types: string[]): string | undefined =>
    commands.findLast(({ type, status }) => types.includes(type) && status === 'done')?.type;
  // A retry of the same command keeps its idempotency key, so that nothing is said twice.
  const sent = useRef({ body: '', key: '' });
  const send: Send = async (type, input = {}) => {
    const body = JSON.stringify({ type, ...input });
    if (sent.current.body !== body) sent.current = { body, key: randomKey() };
    await ask('POST', apiPath`calls/${call.call_id}/commands`, {
      headers: { 'Idempotency-Key': sent.current.key },
      body: { type, ...input },
    });
    sent.current = { body: '', key: '' };
    void data.readCommands();
  };
  return (
    <Card title="Live control" name="control">
      <Trouble error={data.trouble.value.commands} />
      <div class="control">
        <Speak send={send} />
        <div class="stack">
          <Switches
            isMuted={last('mute_agent', 'unmute_agent') === 'mute_agent'}
            isPaused={last('pause_recording', 'resume_recording') === 'pause_recording'}
            send={send}
          />
          <OneField type="send_dtmf" field="digits" label="DTMF keys" submit="Send" send={send} placeholder="12#" />
          <OneField
            type="transfer"
            field="phone_number"
            label="Transfer to"
            submit="Transfer"
            send={send}
            placeholder="Default number, or +15550002222"
          />
        </div>
      </div>
      {commands.length > 0 && <Commands all={commands} call={call} />}
    </Card>
  );
}

const WAYS = [
  ['say', 'Say verbatim'],
  ['inject', 'Instruct the agent'],
] as const;

/** A sentence that the agent speaks, or a note for its model. */
function Speak({ send }: { send: Send }): VNode {
  const way = useSignal<'say' | 'inject'>('say');
  const isSay = way.value === 'say';
  const submit = async (values: FormData, form: HTMLFormElement): Promise<void> => {
    const text = textOf(values, isSay ? 'text' : 'note');
    await (isSay
      ? send('say', { text, when: values.has('now') ? 'now' : 'next_pause' })
      : send('inject', { note: text, respond: values.has('respond') }));
    form.reset();
  };
  return (
    <div>
      <Chips label="Type" data="way" options={WAYS} chosen={way.value} onChoose={(one) => (way.value = one)} />
      <Form scope="calls:write" label="Speak" submit={isSay ? 'Say' : 'Send'} busy="Sending…" send={submit}>
        {isSay ? (
          <Field key="text" name="text" label="Text" hint="Spoken word for word.">
            <textarea rows={2} maxLength={2_000} />
          </Field>
        ) : (
          <Field key="note" name="note" label="Note" hint="A fact or instruction for the agent. It is not spoken.">
            <textarea rows={2} maxLength={4_000} />
          </Field>
        )}
        {isSay ? (
          <Field key="now" name="now" label="Interrupt ongoing speech">
            <input type="checkbox" />
          </Field>
        ) : (
          <Field key="respond" name="respond" label="Respond immediately">
            <input type="checkbox" />
          </Field>
        )}
      </Form>
    </div>
  );
}

interface SwitchesParts {
  isMuted: boolean;
  isPaused: boolean;
  send: Send;
}

function Switches({ isMuted, isPaused, send }: SwitchesParts): VNode {
  const { run, isBusy, said } = useAct();
  const toggle = (name: string, label: ComponentChildren, isOn: boolean, on: string, off: string): VNode => (
    <ActButton
      scope="calls:write"
      role="switch"
      class="switch"
      data-switch={name}
      aria-checked={isOn}
      isBusy={isBusy}
      onClick={() => run(() => send(isOn ? off : on))}
    >
      {label}
    </ActButton>
  );
  return (
    <div>
      <div class="actions">
        {toggle('mute', 'Mute agent', isMuted, 'mute_agent', 'unmute_agent')}
        {toggle('pause', 'Pause recording', isPaused, 'pause_recording', 'resume_recording')}
      </div>
      {said}
    </div>
  );
}

interface OneFieldParts {
  type: string;
  field: string;
  label: string;
  submit: string;
  placeholder: string;
  send: Send;
}

const OneField = ({ type, field, label, submit, placeholder, send }: OneFieldParts): VNode => (
  <Form
    scope="calls:write"
    label={label}
    class="inline-form"
    submit={submit}
    busy="Sending…"
    send={async (values, form) => {
      const text = textOf(values, field);
      await send(type, text === '' ? {} : { [field]: text });
      form.reset();
    }}
  >
    <Field name={field} label={label}>
      {field === 'phone_number' ? (
        <NumberInput placeholder={placeholder} />
      ) : (
        <input autocomplete="off" inputMode="tel" placeholder={placeholder} />
      )}
    </Field>
  </Form>
);

const STATES: Readonly<Record<CallCommand['status'], readonly [tone: string, label: string]>> = {
  pending: ['pending', 'Waiting'],
  running: ['processing', 'Running'],
  done: ['succeeded', 'Done'],
  failed: ['failed', 'Failed'],
  not_executed: ['cancelled', 'Not executed'],
};

/** The commands of the call with their states, newest first. Screen readers announce a change. */
export const Commands = ({ all, call }: { all: readonly CallCommand[]; call: WholeCall }): VNode => (
  <ol class="plain commands" aria-label="Commands" aria-live="polite">
    {all.toReversed().map(({ command_id: id, type, status, input, error, effective_at: effective }) => {
      const [tone, label] = STATES[status];
      const detail = Object.values(input).find((value) => typeof value === 'string' && value !== 'next_pause');
      return (
        <li key={id} class="command-row" data-command={type}>
          <Pill status={tone} label={label} />
          <span>
            <strong>{words(type)}</strong>
            {typeof detail === 'string' && ` “${detail}”`}
            {error && (
              <span class="bad-text">
                {' '}
                <Icon name="warn" />
                {error.message}
              </span>
            )}
          </span>
          <span class="muted small">
            {effective !== null && `at ${clock((Date.parse(effective) - startOf(call)) / 1_000)}`}
          </span>
        </li>
      );
    })}
  </ol>
);
