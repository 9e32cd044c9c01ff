import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { ApiError, ask, type FieldErrors } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { Talk } from '../../api/talk.js';
import type { AgentVersion, WholeAgent } from '../../api/types.js';
import { Choice, Field, Form, numberOf, textOf } from '../../components/forms.js';
import { HeaderRows, headerListOf } from '../../components/header-rows.js';
import { JsonField, jsonOf, useJsonText } from '../../components/json-field.js';
import { announce, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { RedactionFields, redactionOf } from '../../components/redaction-fields.js';
import { TemplateField } from '../../components/template-field.js';
import { TimeZoneInput } from '../../components/time-zone.js';
import { useFormEdits } from '../../components/unsaved-edits.js';
import { ModelField, VoiceField } from '../../components/vendor-field.js';
import {
  moreSettings,
  rowsOf,
  type VariableRow,
  variablesOf,
  webhookOf,
  withRemoved,
  withVariable,
} from '../../logic/agent-body.js';
import { flowBody, type FlowEdits, flowEdits } from '../../logic/flow-form.js';
import { talkSettings } from '../../logic/talk-settings.js';
import { Analysis } from './agent-analysis.js';
import { AnsweringFields, answeringIn } from './agent-answering.js';
import { PipelineFields, pipelineIn } from './agent-pipeline.js';
import { GuardrailFields, guardrailsIn } from './agent-guardrails.js';
import { FlowSettings } from './agent-flow.js';
import { RecordingFields, recordingIn } from './agent-recording.js';
import { TalkCard } from './agent-talk.js';
import { Transfers } from './agent-transfer.js';
import { type Drafted, Preview, TestConversation } from './agent-trial.js';
import { VariableTable } from './agent-variables.js';
import { CallMe } from './call-me.js';

const PROVIDERS = [
  ['sandbox', 'Sandbox (no provider)'],
  ['openai-realtime', 'OpenAI Realtime'],
  ['openai-live', 'OpenAI Live'],
  ['gemini-live', 'Gemini Live'],
  ['pipeline', 'Pipeline (transcriber, LLM, synthesizer)'],
] as const;

interface EditorParts {
  agent?: WholeAgent;
  onSaved: (agent: WholeAgent) => void;
}

/** What the form has now. */
interface FormNow {
  /** Names of the edited fields. */
  changed: readonly string[];
  body: Record<string, unknown>;
}

interface WholeEditorParts extends EditorParts {
  /** Absent for an agent that does not exist yet. */
  talk?: Talk;
  onDrafted?: () => void;
}

/** The form of an agent, beside it a talk with it, what it would say, and a written test conversation. */
export function AgentEditor({ agent, talk, onSaved, onDrafted }: WholeEditorParts): VNode {
  const now = useRef<() => FormNow>(NOTHING_EDITED);
  const texts: Drafted = {
    greeting: useSignal(agent?.greeting ?? ''),
    instructions: useSignal(agent?.instructions ?? ''),
    machineMessage: useSignal(agent?.answering_machine?.message ?? ''),
    variables: useSignal<readonly VariableRow[]>(rowsOf(agent?.variables)),
    timezone: useSignal(agent?.timezone ?? ''),
    values: useSignal<Readonly<Record<string, string>>>({}),
  };
  return (
    <div class="with-aside editor">
      <div class="main-column">
        <AgentForm agent={agent} texts={texts} now={now} onSaved={onSaved} />
      </div>
      <aside class="stack" aria-label="Try the agent">
        {agent ? (
          <>
            {talk && (
              <TalkCard
                agent={agent}
                talk={talk}
                values={texts.values}
                draft={{
                  declared: variablesOf(texts.variables.value),
                  settings: () => {
                    const { changed, body } = now.current();
                    return { settings: talkSettings(changed, body), body };
                  },
                  onStored: () => onDrafted?.(),
                }}
              />
            )}
            <CallMe agent={agent} />
            <Preview agentId={agent.id} texts={texts} />
            <TestConversation agent={agent} texts={texts} />
          </>
        ) : (
          <section class="card">
            <p class="muted">Create the agent to talk to it, preview it and chat with it here.</p>
          </section>
        )}
      </aside>
    </div>
  );
}

interface FormParts extends EditorParts {
  texts: Drafted;
  /** Receives a function for what the form has now. */
  now: { current: () => FormNow };
}

const NOTHING_EDITED = (): FormNow => ({ changed: [], body: {} });

const NEW_AGENT = { key: 'agents/new', name: 'a new agent' };

function AgentForm({ agent, texts, now, onSaved }: FormParts): VNode {
  const more = useJsonText(moreSettings(agent));
  const flow = useSignal(flowEdits(agent));
  const { run, isBusy, said } = useAct();
  const save = async (values: FormData): Promise<void> => {
    const body = bodyOf(values, { ...texts, flow }, agent);
    const { data } = await (agent
      ? ask<{ data: WholeAgent }>('PATCH', apiPath`agents/${agent.id}`, { body })
      : ask<{ data: WholeAgent }>('POST', apiPath`agents`, { body }));
    announce(agent ? `Version ${data.version} is published.` : `${data.name} was created.`);
    onSaved(data);
  };
  const saveDraft = (form: HTMLFormElement | null, onStored: () => void): void => {
    if (!form || !agent) return;
    run(async () => {
      const body = settingsIn(bodyOf(new FormData(form), { ...texts, flow }, agent));
      const { data } = await ask<{ data: AgentVersion }>('POST', apiPath`agents/${agent.id}/versions`, { body });
      onStored();
      onSaved(agent);
      return `Version ${data.version} is a draft. Publish it to use it for calls.`;
    });
  };
  return (
    <Form
      scope="agents:write"
      record={agent ? { key: `agents/${agent.id}`, name: `the agent ${agent.name}` } : NEW_AGENT}
      label={agent ? `Edit ${agent.name}` : 'New agent'}
      class="stack agent-form"
      submit={agent ? 'Save and publish' : 'Create'}
      busy="Saving…"
      send={save}
      cancel="#/agents"
      buttons={agent && <DraftButton isBusy={isBusy} onPress={saveDraft} />}
    >
      <Basics agent={agent} />
      <Words texts={texts} />
      <FlowSettings agent={agent} edits={flow} />
      <Calls agent={agent} texts={texts} />
      <GuardrailFields agent={agent} />
      <RecordingFields agent={agent} />
      <Webhooks agent={agent} />
      <Analysis agent={agent} />
      <More text={more} />
      <ReadForm now={now} read={(form) => settingsIn(bodyOf(new FormData(form), { ...texts, flow }, agent))} />
      {said}
    </Form>
  );
}

/** What a version has: an agent has its name, state and tests outside of its versions. */
function settingsIn(body: ReturnType<typeof bodyOf>): Record<string, unknown> {
  const { name: _name, active: _active, ...all } = body;
  const { scenarios: _scenarios, publish_requires: _required, ...settings } = all as Record<string, unknown>;
  return settings;
}

interface ReadFormParts {
  now: FormParts['now'];
  read: (form: HTMLFormElement) => FormNow['body'];
}

/** Lets the talk beside the form use its unsaved edits. */
function ReadForm({ now, read }: ReadFormParts): VNode {
  const place = useRef<HTMLSpanElement>(null);
  const edits = useFormEdits();
  now.current = () => {
    const form = place.current?.closest('form');
    const { changed = [] } = edits ?? {};
    return form && changed.length > 0 ? { changed, body: read(form) } : NOTHING_EDITED();
  };
  return <span ref={place} hidden />;
}

interface DraftButtonParts {
  isBusy: boolean;
  onPress: (form: HTMLFormElement | null, onStored: () => void) => void;
}

function DraftButton({ isBusy, onPress }: DraftButtonParts): VNode {
  const edits = useFormEdits();
  return (
    <ActButton
      scope="agents:write"
      data-act="draft"
      isBusy={isBusy}
      onClick={(event) => onPress(event.currentTarget.closest('form'), () => edits?.saved())}
    >
      Save draft
    </ActButton>
  );
}

const More = ({ text }: { text: Signal<string> }): VNode => (
  <details class="card">
    <summary>More settings as JSON</summary>
    <JsonField
      name="more"
      label="More settings"
      hint="transcription_model, turn_detection, pipeline, fallbacks, script, conversation, digit_inputs, scenarios, publish_requires"
      rows={10}
      text={text}
    />
  </details>
);

/** The body of a request that creates or changes an agent. Throws ApiError when a JSON field is not JSON. */
function bodyOf(values: FormData, texts: Drafted & { flow: Signal<FlowEdits> }, agent: WholeAgent | undefined) {
  const errors: FieldErrors = {};
  const more = jsonOf(values, 'more', errors);
  const transferOptions = jsonOf(values, 'call_transfer.options', errors);
  const analysis = jsonOf(values, 'analysis', errors);
  const webhook = (name: WebhookName) =>
    webhookOf(textOf(values, `${name}.url`), agent?.[name], headerListOf(values, `${name}.headers`, errors));
  const flow = flowBody(texts.flow.value, (field, sentence) => (errors[field] = [sentence]));
  const webhooks = Object.fromEntries(WEBHOOKS.map(([name]) => [name, webhook(name)]));
  if (Object.keys(errors).length > 0) throw new ApiError(422, 'Some fields are invalid.', errors);
  const orNull = (name: string): string | null => textOf(values, name) || null;
  const provider = textOf(values, 'provider');
  const all = withRemoved(more);
  return {
    name: textOf(values, 'name'),
    active: values.has('active'),
    provider,
    model: orNull('model'),
    voice: orNull('voice'),
    greeting: texts.greeting.value,
    instructions: texts.instructions.value,
    variables: variablesOf(texts.variables.value),
    timezone: texts.timezone.value.trim() || null,
    max_call_seconds: numberOf(values, 'max_call_seconds'),
    ring_timeout_seconds: numberOf(values, 'ring_timeout_seconds'),
    call_transfer: {
      enabled: values.has('call_transfer.enabled'),
      phone_number: orNull('call_transfer.phone_number'),
      ...transferOptions,
      mode: textOf(values, 'call_transfer.mode'),
    },
    do_not_call_tool: values.has('do_not_call_tool'),
    ...recordingIn(values, agent),
    ...guardrailsIn(values),
    analysis,
    redaction: redactionOf(values, agent?.redaction ?? null),
    answering_machine: answeringIn(values, agent?.answering_machine, texts.machineMessage.value),
    ...webhooks,
    ...flow,
    ...all,
    ...(provider === 'pipeline' && { pipeline: pipelineIn(values, all.pipeline) }),
  };
}

function Basics({ agent }: { agent: WholeAgent | undefined }): VNode {
  const provider = useSignal<string>(agent?.provider ?? 'sandbox');
  const isPipeline = provider.value === 'pipeline';
  return (
    <div class="card stack">
      <Field name="name" label="Name">
        <input defaultValue={agent?.name ?? ''} maxLength={255} autocomplete="off" />
      </Field>
      <div class="pair">
        <Field name="provider" label="Voice provider">
          <Choice options={PROVIDERS} selected={provider.value} onChange={(value) => (provider.value = value)} />
        </Field>
        {!isPipeline && <VoiceField name="voice" label="Voice" vendor={provider.value} value={agent?.voice ?? ''} />}
      </div>
      {isPipeline ? (
        <PipelineFields pipeline={agent?.pipeline} />
      ) : (
        <ModelField name="model" label="Model" vendor={provider.value} value={agent?.model ?? ''} use="conversation" />
      )}
      <Field name="active" label="Active">
        <input type="checkbox" defaultChecked={agent?.active ?? true} />
      </Field>
    </div>
  );
}

const declaredIn = ({ variables }: Drafted): string[] => variables.value.map(({ name }) => name.trim());

const declare = ({ variables }: Drafted, name: string): void => {
  variables.value = withVariable(variables.value, name);
  announce(`The variable ${name} was declared.`);
};

function Words({ texts }: { texts: Drafted }): VNode {
  const declared = declaredIn(texts);
  const onDeclare = (name: string): void => declare(texts, name);
  return (
    <div class="card stack">
      <TemplateField
        name="greeting"
        label="Greeting"
        hint="Spoken when the call is answered. Leave empty to let the user speak first."
        rows={2}
        text={texts.greeting}
        declared={declared}
        onDeclare={onDeclare}
      />
      <TemplateField
        name="instructions"
        label="Instructions"
        hint="Insert values of the call with placeholders such as {{customer_name | there}}."
        rows={14}
        text={texts.instructions}
        declared={declared}
        onDeclare={onDeclare}
      />
      <VariableTable rows={texts.variables} />
    </div>
  );
}

function Calls({ agent, texts }: { agent: WholeAgent | undefined; texts: Drafted }): VNode {
  return (
    <div class="card stack">
      <h2>Calls</h2>
      <div class="pair">
        <Field name="max_call_seconds" label="Maximum duration (seconds)">
          <input inputMode="numeric" defaultValue={String(agent?.max_call_seconds ?? 600)} />
        </Field>
        <Field name="ring_timeout_seconds" label="Ring timeout (seconds)">
          <input inputMode="numeric" defaultValue={String(agent?.ring_timeout_seconds ?? 60)} />
        </Field>
      </div>
      <Transfers agent={agent} />
      <div class="pair">
        <Field name="timezone" label="Time zone" hint="Used by {{now}}.">
          <TimeZoneInput
            value={texts.timezone.value}
            onInput={(event) => (texts.timezone.value = event.currentTarget.value)}
          />
        </Field>
      </div>
      <Field name="call_transfer.enabled" label="Allow the agent to transfer calls">
        <input type="checkbox" defaultChecked={agent?.call_transfer.enabled ?? false} />
      </Field>
      <Field name="do_not_call_tool" label="Allow the agent to add numbers to the do-not-call list">
        <input type="checkbox" defaultChecked={agent?.do_not_call_tool ?? false} />
      </Field>
      <RedactionFields redaction={agent?.redaction ?? null} />
      <AnsweringFields
        agent={agent}
        message={texts.machineMessage}
        declared={declaredIn(texts)}
        onDeclare={(name) => declare(texts, name)}
      />
    </div>
  );
}

const WEBHOOKS = [
  ['call_status_webhook', 'Call status URL'],
  ['post_call_webhook', 'Post-call URL'],
  ['pre_call_webhook', 'Pre-call URL (can set variables or skip the call)'],
] as const;

type WebhookName = (typeof WEBHOOKS)[number][0];

const headersByName = (webhook: WholeAgent[WebhookName] | undefined): Record<string, string> =>
  Object.fromEntries((webhook?.headers ?? []).map(({ key, value }) => [key, value]));

const Webhooks = ({ agent }: { agent: WholeAgent | undefined }): VNode => (
  <div class="card stack">
    <h2>Webhooks</h2>
    {WEBHOOKS.map(([name, label]) => (
      <div key={name} class="stack tight-stack">
        <Field name={`${name}.url`} label={label}>
          <input
            type="url"
            defaultValue={agent?.[name]?.url ?? ''}
            placeholder="https://example.com/hooks"
            autocomplete="off"
          />
        </Field>
        <HeaderRows name={`${name}.headers`} headers={headersByName(agent?.[name])} areSecret />
      </div>
    ))}
  </div>
);
