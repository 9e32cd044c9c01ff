import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { ApiError, ask, type FieldErrors } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import { agentsOf, numbersOf, trunksOf } from '../../api/records.js';
import type { Agent, AgentVariable, Campaign, PhoneNumber, Trunk } from '../../api/types.js';
import { Choice, Field, Form, numberOf, textOf, useErrors } from '../../components/forms.js';
import { TABLE_FILES } from '../../components/import-dialog.js';
import { JsonField, jsonOf, useJsonText } from '../../components/json-field.js';
import { Loaded, useRead } from '../../components/lists.js';
import { announce, Page } from '../../components/parts.js';
import type { Params } from '../../components/router.js';
import { useDeclared, VariableFields, variablesIn } from '../../components/variable-fields.js';
import { importOnNextPage } from './campaign-import.js';
import { Schedule, scheduleOf } from './campaign-schedule.js';

interface Choices {
  agents: readonly Agent[];
  numbers: readonly PhoneNumber[];
  trunks: readonly Trunk[];
}

async function choicesOf(signal: AbortSignal): Promise<Choices> {
  const [agents, numbers, trunks] = await Promise.all([agentsOf(signal), numbersOf(signal), trunksOf(signal)]);
  return { agents, numbers, trunks };
}

/** The page that creates a campaign; a file that is chosen is imported on the page of the campaign. */
export function NewCampaignPage(): VNode {
  const choices = useRead('campaign choices', choicesOf);
  return (
    <Page title="New campaign" back={['#/campaigns', 'Campaigns']}>
      <Loaded of={choices} what="agents and numbers">
        {(loaded) => <CampaignForm choices={loaded} />}
      </Loaded>
    </Page>
  );
}

/** The page that edits a campaign. */
export function EditCampaignPage({ params: { id = '' } }: { params: Params }): VNode {
  const both = useRead(`campaign ${id} and choices`, async (signal) => {
    const [{ data }, choices] = await Promise.all([
      ask<{ data: Campaign }>('GET', apiPath`campaigns/${id}`, { signal }),
      choicesOf(signal),
    ]);
    return { campaign: data, choices };
  });
  return (
    <Page title="Edit campaign" back={[`#/campaigns/${id}`, 'Campaign']}>
      <Loaded of={both} what="the campaign">
        {(loaded) => <CampaignForm {...loaded} />}
      </Loaded>
    </Page>
  );
}

const NEW_CAMPAIGN = { key: 'campaigns/new', name: 'a new campaign' };

function CampaignForm({ campaign, choices }: { campaign?: Campaign; choices: Choices }): VNode {
  const isRunning = campaign?.status === 'running';
  const created = useRef<Campaign | undefined>(campaign);
  const agentId = useSignal(campaign?.agent_id ?? (choices.agents.length === 1 ? choices.agents[0]?.id : undefined));
  const declared = useDeclared(isRunning ? undefined : agentId.value);
  const send = async (values: FormData): Promise<void> => {
    const body = bodyOf(values, declared, campaign);
    const { current: known } = created;
    const { data } = known
      ? await ask<{ data: Campaign }>('PATCH', apiPath`campaigns/${known.id}`, { body })
      : await ask<{ data: Campaign }>('POST', apiPath`campaigns`, { body });
    created.current = data;
    const file = values.get('file');
    if (file instanceof File && file.size > 0) importOnNextPage(file);
    announce(`The campaign ${data.name} was saved.`);
    location.hash = `#/campaigns/${data.id}`;
  };
  return (
    <Form
      scope="campaigns:write"
      record={campaign ? { key: `campaigns/${campaign.id}`, name: `the campaign ${campaign.name}` } : NEW_CAMPAIGN}
      label={campaign ? `Edit ${campaign.name}` : 'New campaign'}
      class="stack tool-form"
      submit={campaign ? 'Save' : 'Create'}
      busy="Saving…"
      send={send}
      cancel={campaign ? `#/campaigns/${campaign.id}` : '#/campaigns'}
    >
      {isRunning ? (
        <Running campaign={campaign} />
      ) : (
        <>
          <Basics campaign={campaign} choices={choices} agentId={agentId} />
          <Values campaign={campaign} declared={declared} />
        </>
      )}
      {!campaign && <FirstContacts />}
      <Schedule schedule={campaign?.schedule} />
      <Retry retry={campaign?.retry} />
      <Pacing pacing={campaign?.pacing} />
      {!isRunning && <More campaign={campaign} />}
    </Form>
  );
}

const NameField = ({ campaign }: { campaign: Campaign | undefined }): VNode => (
  <Field name="name" label="Name">
    <input defaultValue={campaign?.name ?? ''} maxLength={255} autocomplete="off" />
  </Field>
);

const Running = ({ campaign }: { campaign: Campaign | undefined }): VNode => (
  <div class="card stack">
    <NameField campaign={campaign} />
    <p class="hint">Pause the campaign to change its agent, caller IDs, trunk, variables, metadata or webhook.</p>
  </div>
);

interface ValuesParts {
  campaign: Campaign | undefined;
  declared: readonly AgentVariable[];
}

/** Values of the agent's variables for all contacts. */
const Values = ({ campaign, declared }: ValuesParts): VNode | null =>
  declared.length === 0 ? null : (
    <div class="card stack" data-part="variables">
      <h2>Values for all contacts</h2>
      <p class="hint">
        {`A contact can have its own values, in columns such as variables.${declared[0]?.name}.`}
        {declared.some(({ required }) => required) && ' A contact without a required value is not called.'}
      </p>
      <VariableFields declared={declared} given={campaign?.variables} isOptional />
    </div>
  );

const FirstContacts = (): VNode => (
  <div class="card stack">
    <h2>Contacts</h2>
    <Field
      name="file"
      label="CSV or Excel file"
      hint="After the campaign is created, you review the import before any contact is added. You can import more files later."
    >
      <input type="file" accept={TABLE_FILES} />
    </Field>
  </div>
);

function More({ campaign }: { campaign: Campaign | undefined }): VNode {
  const metadata = useJsonText(campaign?.metadata ?? null);
  return (
    <details class="card">
      <summary>Metadata and webhook</summary>
      <JsonField
        name="metadata"
        label="Call metadata"
        hint="A JSON object for every call. Contacts can override its values."
        rows={5}
        text={metadata}
      />
      <Field
        name="webhook.url"
        label="Webhook URL"
        hint="Receives campaign.started, campaign.paused and campaign.completed."
      >
        <input
          type="url"
          defaultValue={campaign?.webhook?.url ?? ''}
          placeholder="https://example.com/hook"
          autocomplete="off"
        />
      </Field>
    </details>
  );
}

/** The values for all contacts, with stored ones that have no field here; null: none. */
function valuesOf(values: FormData, declared: readonly AgentVariable[], campaign: Campaign | undefined) {
  const names = new Set(declared.map(({ name }) => name));
  const others = Object.entries(campaign?.variables ?? {}).filter(([name]) => !names.has(name));
  const all = { ...Object.fromEntries(others), ...variablesIn(values, declared) };
  return Object.keys(all).length === 0 ? null : all;
}

/** The body of a request that creates or changes a campaign. Throws ApiError when the metadata is not JSON. */
function bodyOf(values: FormData, declared: readonly AgentVariable[], campaign: Campaign | undefined) {
  const errors: FieldErrors = {};
  const metadata = jsonOf(values, 'metadata', errors);
  if (Object.keys(errors).length > 0) throw new ApiError(422, 'Some fields are invalid.', errors);
  const url = textOf(values, 'webhook.url');
  // Rules by cause have no field here.
  const retry = { ...campaign?.retry, ...retryOf(values) };
  const always = { name: textOf(values, 'name'), schedule: scheduleOf(values), retry, pacing: pacingOf(values) };
  if (campaign?.status === 'running') return always;
  return {
    ...always,
    agent_id: numberOf(values, 'agent_id'),
    number_ids: values.getAll('number_ids').map(Number),
    rotation: textOf(values, 'rotation'),
    trunk_id: numberOf(values, 'trunk_id') ?? null,
    record: values.has('record'),
    require_disclosure: values.has('require_disclosure'),
    metadata: metadata ?? null,
    variables: valuesOf(values, declared, campaign),
    ...(url !== (campaign?.webhook?.url ?? '') && { webhook: url === '' ? null : { url, method: 'POST' } }),
  };
}

const ROTATIONS = [
  ['round_robin', 'Round robin'],
  ['nearest_prefix', 'Closest prefix to the contact'],
] as const;

interface BasicsParts {
  campaign: Campaign | undefined;
  choices: Choices;
  /** Of the chosen agent. */
  agentId: Signal<number | undefined>;
}

function Basics({ campaign, choices, agentId }: BasicsParts): VNode {
  const { agents, trunks } = choices;
  return (
    <div class="card stack">
      <NameField campaign={campaign} />
      <div class="pair">
        <Field name="agent_id" label="Agent">
          <Choice
            options={[['', 'Select an agent'], ...agents.map(({ id, name }) => [id, name] as const)]}
            selected={agentId.value ?? ''}
            onChange={(id) => (agentId.value = id === '' ? undefined : Number(id))}
          />
        </Field>
        <Field name="trunk_id" label="Trunk">
          <Choice
            options={[['', 'None (SIP URIs only)'], ...trunks.map(({ id, name }) => [id, name] as const)]}
            selected={campaign?.trunk_id ?? (campaign ? '' : (trunks[0]?.id ?? ''))}
          />
        </Field>
      </div>
      <Numbers numbers={choices.numbers} chosen={campaign?.number_ids} />
      <Field name="rotation" label="Caller ID selection" hint="How a number is chosen for each contact.">
        <Choice options={ROTATIONS} selected={campaign?.rotation ?? 'round_robin'} />
      </Field>
      <Field name="record" label="Record the calls">
        <input type="checkbox" defaultChecked={campaign?.record ?? true} />
      </Field>
      <Field
        name="require_disclosure"
        label="Require a disclosure"
        hint="Contacts are refused when the agent has no disclosure in its language for their number."
      >
        <input type="checkbox" defaultChecked={campaign?.require_disclosure ?? false} />
      </Field>
    </div>
  );
}

interface NumbersParts {
  numbers: readonly PhoneNumber[];
  chosen: readonly number[] | undefined;
}

/** The pool of numbers from which contacts are called. */
function Numbers({ numbers, chosen }: NumbersParts): VNode {
  const error = useErrors('number_ids');
  return (
    <fieldset class="scopes" data-field="number_ids">
      <legend>Caller IDs</legend>
      {numbers.map(({ id, e164, name }) => (
        <label key={id} class="check-line">
          <input
            type="checkbox"
            name="number_ids"
            value={id}
            defaultChecked={chosen ? chosen.includes(id) : numbers.length === 1}
          />
          <span class="number-text">{e164}</span>
          {name !== e164 && <span class="muted">{name}</span>}
        </label>
      ))}
      <p class="field-error">{error}</p>
    </fieldset>
  );
}

const DELAYS = [
  ['busy', 'Busy', '15'],
  ['no_answer', 'No answer', '60'],
  ['failed', 'Failed', '60'],
  ['machine', 'Answering machine', ''],
] as const;

const Retry = ({ retry }: { retry: Campaign['retry'] | undefined }): VNode => (
  <div class="card stack">
    <h2>Retries</h2>
    <Field name="retry.max_attempts" label="Attempts per contact" hint="Including the first call.">
      <input class="short" inputMode="numeric" defaultValue={String(retry?.max_attempts ?? 3)} />
    </Field>
    <p class="hint">Retry interval in minutes, by outcome. Leave empty for no retry.</p>
    <div class="quads">
      {DELAYS.map(([name, label, usual]) => (
        <Field key={name} name={`retry.delay_minutes.${name}`} label={label}>
          <input
            inputMode="numeric"
            defaultValue={retry ? String(retry.delay_minutes[name] ?? '') : usual}
            placeholder="No retry"
          />
        </Field>
      ))}
    </div>
  </div>
);

function retryOf(values: FormData) {
  const given = DELAYS.map(([name]) => [name, numberOf(values, `retry.delay_minutes.${name}`)] as const);
  return {
    max_attempts: numberOf(values, 'retry.max_attempts'),
    delay_minutes: Object.fromEntries(given.filter(([, minutes]) => minutes !== undefined)),
  };
}

const Pacing = ({ pacing }: { pacing: Campaign['pacing'] | undefined }): VNode => (
  <div class="card stack">
    <h2>Pacing</h2>
    <div class="pair">
      <Field name="pacing.concurrent_calls" label="Concurrent calls">
        <input inputMode="numeric" defaultValue={String(pacing?.concurrent_calls ?? '')} placeholder="Account limit" />
      </Field>
      <Field name="pacing.calls_per_second" label="Calls per second">
        <input inputMode="decimal" defaultValue={String(pacing?.calls_per_second ?? '')} placeholder="Account limit" />
      </Field>
    </div>
    <div class="pair">
      <Field
        name="pacing.reserve_percent"
        label="Reserved capacity (%)"
        hint="Share of the account's concurrent calls kept free for other calls."
      >
        <input inputMode="numeric" defaultValue={String(pacing?.reserve_percent ?? 10)} />
      </Field>
      <Field name="pacing.ramp_up_seconds" label="Ramp-up (seconds)">
        <input inputMode="numeric" defaultValue={String(pacing?.ramp_up_seconds ?? 0)} />
      </Field>
    </div>
    <div class="pair">
      <Field
        name="pacing.breaker.failure_percent"
        label="Failure threshold (%)"
        hint="Pauses the campaign at this failure rate. Leave empty to never pause."
      >
        <input inputMode="numeric" defaultValue={pacing ? String(pacing.breaker?.failure_percent ?? '') : '50'} />
      </Field>
      <Field
        name="pacing.breaker.calls"
        label="Sample size (calls)"
        hint="Number of recent calls that the failure rate is computed from."
      >
        <input inputMode="numeric" defaultValue={String(pacing?.breaker?.calls ?? 50)} />
      </Field>
    </div>
  </div>
);

function pacingOf(values: FormData) {
  const failurePercent = numberOf(values, 'pacing.breaker.failure_percent');
  return {
    concurrent_calls: numberOf(values, 'pacing.concurrent_calls') ?? null,
    calls_per_second: numberOf(values, 'pacing.calls_per_second') ?? null,
    reserve_percent: numberOf(values, 'pacing.reserve_percent'),
    ramp_up_seconds: numberOf(values, 'pacing.ramp_up_seconds'),
    breaker:
      failurePercent === undefined
        ? null
        : { failure_percent: failurePercent, calls: numberOf(values, 'pacing.breaker.calls') },
  };
}
