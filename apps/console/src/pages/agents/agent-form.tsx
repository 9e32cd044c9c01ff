import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ApiError, ask, type FieldErrors } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { AgentVersion, WholeAgent } from '../../api/types.js';
import { Choice, Field, Form, numberOf, textOf } from '../../components/forms.js';
import { HeaderRows, headerListOf } from '../../components/header-rows.js';
import { JsonField, jsonOf, useJsonText } from '../../components/json-field.js';
import { NumberInput } from '../../components/number-input.js';
import { announce, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { RedactionFields, redactionOf } from '../../components/redaction-fields.js';
import { TemplateField } from '../../components/template-field.js';
import { useFormEdits } from '../../components/unsaved-edits.js';
import { moreSettings, rowsOf, type VariableRow, variablesOf, webhookOf, withRemoved } from '../../logic/agent-body.js';
import { AnsweringFields, answeringIn } from './agent-answering.js';
import { PipelineFields, pipelineIn } from './agent-pipeline.js';
import { RecordingFields, recordingIn } from './agent-recording.js';
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

/** The form of an agent, beside it what the agent would say, and a written test conversation. */
export function AgentEditor({ agent, onSaved }: EditorParts): VNode {
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
        <AgentForm agent={agent} texts={texts} onSaved={onSaved} />
      </div>
      <aside class="stack" aria-label="Try the agent">
        {agent ? (
          <>
            <CallMe agent={agent} />
            <Preview agentId={agent.id} texts={texts} />
            <TestConversation agent={agent} texts={texts} />
          </>
        ) : (
          <section class="card">
            <p class="muted">Create the agent to preview it and chat with it here.</p>
          </section>
        )}
      </aside>
    </div>
  );
}

interface FormParts extends EditorParts {
  texts: Drafted;
}

const NEW_AGENT = { key: 'agents/new', name: 'a new agent' };

function AgentForm({ agent, texts, onSaved }: FormParts): VNode {
  const more = useJsonText(moreSettings(agent));
  const { run, isBusy, said } = useAct();
  const save = async (values: FormData): Promise<void> => {
    const body = bodyOf(values, texts, agent);
    const { data } = await (agent
      ? ask<{ data: WholeAgent }>('PATCH', apiPath`agents/${agent.id}`, { body })
      : ask<{ data: WholeAgent }>('POST', apiPath`agents`, { body }));
    announce(agent ? `Version ${data.version} is published.` : `${data.name} was created.`);
    onSaved(data);
  };
  const saveDraft = (form: HTMLFormElement | null, onStored: () => void): void => {
    if (!form || !agent) return;
    run(async () => {
      const { name: _name, active: _active, ...all } = bodyOf(new FormData(form), texts, agent);
      const { scenarios: _scenarios, publish_requires: _required, ...body } = all as Record<string, unknown>;
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
      <Calls agent={agent} texts={texts} />
      <RecordingFields agent={agent} />
      <Webhooks agent={agent} />
      <Analysis agent={agent} />
      <More text={more} />
      {said}
    </Form>
  );
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

const Analysis = ({ agent }: { agent: WholeAgent | undefined }): VNode => (
  <details class="card" open={agent?.analysis ? true : undefined}>
    <summary>Post-call analysis</summary>
    <p class="muted small">
      Values (a JSON Schema in <code>extract</code>), questions (<code>rubric</code>) and a <code>summary_prompt</code>.
      Each value needs evidence in the call.
    </p>
    <JsonField
      name="analysis"
      label="Analysis"
      hint="extract, rubric (name, question, type: boolean, score or enum, options), summary_prompt, model (provider, model)"
      rows={10}
      text={useJsonText(agent?.analysis ?? null)}
    />
  </details>
);

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

const TRANSFER_MODES = [
  ['cold', 'Cold: connect when answered'],
  ['warm', 'Warm: brief the person first'],
  ['conference', 'Conference: brief the person, then join the call'],
] as const;

function TransferOptions({ agent }: { agent: WholeAgent | undefined }): VNode {
  const { briefing, accept_prompt, accept_timeout_seconds, destinations } = agent?.call_transfer ?? {};
  const text = useJsonText(agent ? { briefing, accept_prompt, accept_timeout_seconds, destinations } : null);
  return (
    <details>
      <summary>Transfer destinations as JSON</summary>
      <JsonField
        name="call_transfer.options"
        label="Transfer destinations"
        hint="destinations (name, to_number, description, extension, headers, uui, ring_timeout_seconds), briefing, accept_prompt, accept_timeout_seconds"
        rows={6}
        text={text}
      />
    </details>
  );
}

/** The body of a request that creates or changes an agent. Throws ApiError when a JSON field is not JSON. */
function bodyOf(values: FormData, texts: Drafted, agent: WholeAgent | undefined) {
  const errors: FieldErrors = {};
  const more = jsonOf(values, 'more', errors);
  const transferOptions = jsonOf(values, 'call_transfer.options', errors);
  const analysis = jsonOf(values, 'analysis', errors);
  const webhook = (name: WebhookName) =>
    webhookOf(textOf(values, `${name}.url`), agent?.[name], headerListOf(values, `${name}.headers`, errors));
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
    analysis,
    redaction: redactionOf(values, agent?.redaction ?? null),
    answering_machine: answeringIn(values, agent?.answering_machine, texts.machineMessage.value),
    ...webhooks,
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
        {!isPipeline && (
          <Field name="voice" label="Voice">
            <input defaultValue={agent?.voice ?? ''} autocomplete="off" placeholder="Provider default" />
          </Field>
        )}
      </div>
      {isPipeline ? (
        <PipelineFields pipeline={agent?.pipeline} />
      ) : (
        <Field name="model" label="Model">
          <input defaultValue={agent?.model ?? ''} autocomplete="off" placeholder="Provider default" />
        </Field>
      )}
      <Field name="active" label="Active">
        <input type="checkbox" defaultChecked={agent?.active ?? true} />
      </Field>
    </div>
  );
}

function Words({ texts }: { texts: Drafted }): VNode {
  const declared = texts.variables.value.map(({ name }) => name.trim());
  return (
    <div class="card stack">
      <TemplateField
        name="greeting"
        label="Greeting"
        hint="Spoken when the call is answered. Leave empty to let the user speak first."
        rows={2}
        text={texts.greeting}
        declared={declared}
      />
      <TemplateField
        name="instructions"
        label="Instructions"
        hint="Insert values of the call with placeholders such as {{customer_name | there}}."
        rows={14}
        text={texts.instructions}
        declared={declared}
      />
      <VariableTable rows={texts.variables} />
    </div>
  );
}

const Transfers = ({ agent }: { agent: WholeAgent | undefined }): VNode => (
  <>
    <div class="pair">
      <Field name="call_transfer.phone_number" label="Transfer number">
        <NumberInput defaultValue={agent?.call_transfer.phone_number ?? ''} placeholder="+15550002222" />
      </Field>
      <Field name="call_transfer.mode" label="Transfer mode">
        <Choice options={TRANSFER_MODES} selected={agent?.call_transfer.mode ?? 'cold'} />
      </Field>
    </div>
    <TransferOptions agent={agent} />
  </>
);

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
          <input
            value={texts.timezone.value}
            onInput={(event) => (texts.timezone.value = event.currentTarget.value)}
            placeholder="Europe/Berlin"
            autocomplete="off"
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
        declared={texts.variables.value.map(({ name }) => name.trim())}
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
