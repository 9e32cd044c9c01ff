import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ask } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { AgentPreview, Simulation, WholeAgent } from '../../api/types.js';
import { WarningsOfAgent } from '../../components/agent-warnings.js';
import { Field, Form, textOf } from '../../components/forms.js';
import { Icon } from '../../components/icons.js';
import { announce, Card, Pre, Trouble } from '../../components/parts.js';
import { typedValues, VariableFields } from '../../components/variable-fields.js';
import { shownValue } from '../../logic/flow-path.js';
import { words } from '../../logic/format.js';
import { type VariableRow, variablesOf } from '../../logic/agent-body.js';

/** The texts of the form, which the preview shows before they are saved. */
export interface Drafted {
  greeting: Signal<string>;
  instructions: Signal<string>;
  machineMessage: Signal<string>;
  variables: Signal<readonly VariableRow[]>;
  timezone: Signal<string>;
  /** Values of the variables for the preview and the test conversation. */
  values: Signal<Readonly<Record<string, string>>>;
}

const TYPING_MS = 400;

/** What the agent would say and read for given values, while its texts are typed. */
export function Preview({ agentId, texts }: { agentId: number; texts: Drafted }): VNode {
  const { values } = texts;
  const preview = useSignal<{ data?: AgentPreview; error?: unknown }>({});
  const declared = variablesOf(texts.variables.value);
  const body = {
    variables: typedValues(declared, (name) => values.value[name]) ?? {},
    greeting: texts.greeting.value,
    instructions: texts.instructions.value,
    declared_variables: declared,
    ...(texts.timezone.value !== '' && { timezone: texts.timezone.value }),
    ...(texts.machineMessage.value !== '' && { answering_machine: { message: texts.machineMessage.value } }),
  };
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const typing = setTimeout(() => {
      ask<{ data: AgentPreview }>('POST', apiPath`agents/${agentId}/preview`, { body, signal })
        .then(({ data }) => (preview.value = { data }))
        .catch((error: unknown) => {
          if (!signal.aborted) preview.value = { ...preview.value, error };
        });
    }, TYPING_MS);
    return () => {
      clearTimeout(typing);
      leaving.abort();
    };
  }, [agentId, JSON.stringify(body)]);
  const { data, error } = preview.value;
  return (
    <Card title="Preview" name="preview">
      <Trouble error={error} />
      <div class="values">
        <VariableFields declared={declared} group="value" label="Preview values" values={values} />
      </div>
      {data && <Rendered preview={data} />}
    </Card>
  );
}

const Rendered = ({
  preview: { greeting, instructions, voicemail, missing, unused, problems },
}: {
  preview: AgentPreview;
}): VNode => (
  <div class="stack rendered">
    <div role="status">
      {problems.map(({ field, message }) => (
        <p key={`${field}${message}`} class="field-error">
          {message}
        </p>
      ))}
      {missing.length > 0 && (
        <p class="hint">
          <Icon name="warn" />
          Missing values: {missing.join(', ')}
        </p>
      )}
      {unused.length > 0 && <p class="hint">Unused variables: {unused.join(', ')}</p>}
    </div>
    <div>
      <h3 class="minor">Greeting</h3>
      <p class="bubble" data-role="greeting">
        {greeting === '' ? 'The agent waits for the user to speak.' : greeting}
      </p>
    </div>
    {voicemail !== '' && (
      <div>
        <h3 class="minor">Voicemail message</h3>
        <p class="bubble">{voicemail}</p>
      </div>
    )}
    <div>
      <h3 class="minor">Instructions</h3>
      <Pre label="Instructions as sent" text={instructions} />
    </div>
  </div>
);

/** A conversation in writing with the saved agent. Each sentence plays the whole conversation again, as the service keeps none. */
export function TestConversation({ agent, texts }: { agent: WholeAgent; texts: Drafted }): VNode {
  const said = useSignal<readonly string[]>([]);
  const outcome = useSignal<Simulation | undefined>(undefined);
  const play = async (all: readonly string[], values: FormData): Promise<void> => {
    const variables = typedValues(agent.variables, (name) => texts.values.value[name]);
    const { data } = await ask<{ data: Simulation }>('POST', apiPath`agents/${agent.id}/simulations`, {
      body: {
        name: 'console',
        tools: values.has('live') ? 'live' : 'mock',
        ...(variables && { variables }),
        // A step needs an input or an expectation; without words of the user, the greeting is awaited.
        steps: all.length === 0 ? [{ expects: { matches: '.' } }] : all.map((says) => ({ says })),
      },
    });
    said.value = all;
    outcome.value = data;
    announce(data.transcript.at(-1)?.text ?? 'The agent did not reply.');
  };
  const send = async (values: FormData, form: HTMLFormElement): Promise<void> => {
    const text = textOf(values, 'says');
    await play(text === '' ? said.value : [...said.value, text], values);
    const input = form.querySelector<HTMLInputElement>('[name=says]');
    if (input) input.value = '';
    input?.focus();
  };
  const again = (): void => {
    said.value = [];
    outcome.value = undefined;
  };
  return (
    <Card
      title="Test conversation"
      name="trial"
      aside={
        outcome.value && (
          <button type="button" class="quiet" onClick={again}>
            Restart
          </button>
        )
      }
    >
      <div class="stack">
        <p class="hint">A text chat with the published version.</p>
        <WarningsOfAgent agentId={agent.id} />
        {outcome.value && <Talk outcome={outcome.value} />}
        {outcome.value && <Collected outcome={outcome.value} />}
        <SayForm submit={outcome.value ? 'Send' : 'Start'} send={send}>
          <TrialValues agent={agent} values={texts.values} />
        </SayForm>
      </div>
    </Card>
  );
}

/** The values of the preview, in the form whose errors may be about them. */
function TrialValues({ agent: { variables }, values }: { agent: WholeAgent; values: Drafted['values'] }): VNode | null {
  if (variables.length === 0) return null;
  return (
    <details>
      <summary>Values of variables</summary>
      <VariableFields declared={variables} values={values} />
    </details>
  );
}

interface SayFormParts {
  children: ComponentChildren;
  submit: string;
  send: (values: FormData, form: HTMLFormElement) => Promise<void>;
}

const SayForm = ({ children, submit, send }: SayFormParts): VNode => (
  <Form scope="calls:write" label="Test conversation" submit={submit} busy="Waiting for the agent…" send={send}>
    <Field name="says" label="Your message" hint="Leave empty to let the agent start.">
      <input autocomplete="off" />
    </Field>
    <Field
      name="live"
      label="Call real tools"
      hint="Otherwise requests of tools are not sent, and the agent gets an error."
    >
      <input type="checkbox" />
    </Field>
    {children}
  </Form>
);

/** The steps that the conversation has entered, and what it has collected so far. */
function Collected({ outcome: { path, values } }: { outcome: Simulation }): VNode | null {
  if (path.length === 0) return null;
  return (
    <div data-part="trial-flow" role="group" aria-label="Flow" aria-live="polite">
      <p>
        Step: <code>{path.at(-1)}</code>
        {path.length > 1 && <span class="muted"> after {path.slice(0, -1).join(', ')}</span>}
      </p>
      <dl class="flow-values">
        {Object.entries(values).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{shownValue(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Why a tool failed: its result has an error then, of its own or of the service. */
function reasonOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !('error' in result)) return undefined;
  const { error } = result;
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return typeof message === 'string' ? message : 'Failed.';
}

const Talk = ({ outcome: { transcript, tool_calls: tools, error, end } }: { outcome: Simulation }): VNode => (
  <div>
    <ol class="talk trial" aria-live="polite" aria-label="Test conversation">
      {transcript.map((turn, index) => (
        <li key={index} class={`entry turn ${turn.role === 'agent' ? 'agent' : 'far'}`}>
          <div class="entry-head">
            <strong>{turn.role === 'agent' ? 'Agent' : 'You'}</strong>
          </div>
          <p class="bubble">{turn.text}</p>
        </li>
      ))}
      {tools.map((call, index) => (
        <li key={`tool-${index}`} class="entry between">
          <p class="between-line">
            <Icon name="tool" />
            <span>{words(typeof call['name'] === 'string' ? call['name'] : 'A tool')}</span>
            {reasonOf(call['result']) !== undefined && <span class="bad-text small">{reasonOf(call['result'])}</span>}
          </p>
        </li>
      ))}
    </ol>
    {error !== null && <p class="field-error">{error}</p>}
    {end && <p class="hint">The conversation ended: {words(end.cause).toLowerCase()}.</p>}
  </div>
);
