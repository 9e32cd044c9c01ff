import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { ApiError, ask, type FieldErrors } from '../../api/client.js';
import { may } from '../../api/me.js';
import { type ApiPath, apiPath } from '../../api/path.js';
import { agentsOf } from '../../api/records.js';
import type { NewTool, NewToolAction, Tool, ToolAction } from '../../api/types.js';
import { Choice, Field, Form, numberOf, textOf, useErrors } from '../../components/forms.js';
import { JsonField, jsonOf, useJsonText } from '../../components/json-field.js';
import { HeaderRows, headersOf } from '../../components/header-rows.js';
import { Loaded, useRead, useRecord } from '../../components/lists.js';
import { announce, Page } from '../../components/parts.js';
import type { Params } from '../../components/router.js';
import { SchemaEditor } from '../../components/schema-fields.js';
import { useEditedPart } from '../../components/unsaved-edits.js';
import { nextKey } from '../../logic/form-or-json.js';
import { behaviourIn, ToolBehaviour } from './tool-behaviour.js';

const NO_ARGUMENTS = { type: 'object', properties: {}, required: [] };
const MAX_ACTIONS = 10;
const METHODS: readonly ToolAction['method'][] = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];
const DEFAULT_SECONDS = 10;

const placeOf = (agent: string): string => `#/tools/${agent}`;

/** The page that creates a tool. */
export function NewToolPage({ params: { agent = '' } }: { params: Params }): VNode {
  const name = useNameOf(agent);
  return (
    <Page title="New tool" lead={name && `For the agent ${name}.`} back={[placeOf(agent), 'Tools']}>
      <ToolForm agent={agent} method="POST" path={apiPath`agents/${agent}/tools`} back={placeOf(agent)} />
    </Page>
  );
}

/** The name of an agent; undefined while it is read, and for sessions that may not read agents. */
function useNameOf(agent: string): string | undefined {
  const { data } = useRead('agents', async (signal) => (may('agents:read') ? agentsOf(signal) : []));
  return data?.find(({ id }) => String(id) === agent)?.name;
}

/** The page that edits a tool. */
export function ToolPage({ params: { agent = '', id = '' } }: { params: Params }): VNode {
  const path = apiPath`agents/${agent}/tools/${id}`;
  const tool = useRecord<Tool>(path);
  const name = useNameOf(agent);
  return (
    <Page title="Edit tool" lead={name && `Of the agent ${name}.`} back={[placeOf(agent), 'Tools']}>
      <Loaded of={tool} what="the tool">
        {(one) => <ToolForm agent={agent} tool={one} method="PATCH" path={path} back={placeOf(agent)} />}
      </Loaded>
    </Page>
  );
}

interface FormParts {
  /** ID of the agent. */
  agent: string;
  tool?: Tool;
  method: 'POST' | 'PATCH';
  path: ApiPath;
  /** Address of the tool list, shown after saving. */
  back: string;
}

/** The form for a new tool, or for `tool`. */
function ToolForm({ agent, tool, method, path, back }: FormParts): VNode {
  const schema = useJsonText(tool?.parameters ?? NO_ARGUMENTS);
  const actions = useActions(tool?.webhook_actions);
  const send = async (values: FormData): Promise<void> => {
    const errors: FieldErrors = {};
    const body: NewTool = {
      name: textOf(values, 'name'),
      description: textOf(values, 'description'),
      is_active: values.has('is_active'),
      parameters: jsonOf(values, 'parameters', errors) ?? NO_ARGUMENTS,
      webhook_actions: actions.all.map((_, index) => actionOf(values, `webhook_actions.${index}`, errors)),
      ...behaviourIn(values, errors),
      ...(values.has('agent_ids.shown') && { agent_ids: values.getAll('agent_ids').map(Number) }),
    };
    if (Object.keys(errors).length > 0) throw new ApiError(422, 'Some fields are invalid.', errors);
    await ask(method, path, { body });
    announce(`The tool ${body.name} was saved.`);
    location.hash = back;
  };
  return (
    <Form
      scope="tools:write"
      record={{
        key: back.slice(2) + (tool ? `/${tool.id}` : '/new'),
        name: tool ? `the tool ${tool.name}` : 'a new tool',
      }}
      label={tool ? `Edit ${tool.name}` : 'New tool'}
      class="stack tool-form"
      submit={tool ? 'Save' : 'Create'}
      busy="Saving…"
      send={send}
      cancel={back}
    >
      <ToolBasics tool={tool} />
      <div class="card">
        <SchemaEditor text={schema} />
      </div>
      <ActionList {...actions} />
      <ToolBehaviour tool={tool} />
      {tool?.mcp ? null : <SharedWith tool={tool} owner={agent} />}
    </Form>
  );
}

/** The other agents that use the tool. */
function SharedWith({ tool, owner }: { tool: Tool | undefined; owner: string }): VNode | null {
  const { data } = useRead('agents', async (signal) => (may('agents:read') ? agentsOf(signal) : []));
  const error = useErrors('agent_ids');
  const others = data?.filter(({ id }) => String(id) !== owner) ?? [];
  if (others.length === 0) return null;
  return (
    <details class="card stack" open={(tool?.agent_ids.length ?? 0) > 1}>
      <summary>Also used by</summary>
      <fieldset class="plain stack" data-field="agent_ids">
        <legend class="hint">Other agents that use this tool. It is changed here only.</legend>
        <input type="hidden" name="agent_ids.shown" value="yes" />
        {others.map(({ id, name }) => (
          <label key={id} class="check">
            <input
              type="checkbox"
              name="agent_ids"
              value={String(id)}
              defaultChecked={tool?.agent_ids.includes(id) ?? false}
            />{' '}
            {name}
          </label>
        ))}
        <p class="field-error">{error}</p>
      </fieldset>
    </details>
  );
}

const ToolBasics = ({ tool }: { tool: Tool | undefined }): VNode => (
  <div class="card stack">
    <Field name="name" label="Name" hint="Lowercase letters, digits and underscores.">
      <input
        defaultValue={tool?.name ?? ''}
        maxLength={64}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder="find_order"
      />
    </Field>
    <Field name="description" label="Description" hint="Tells the agent when to use the tool and what to ask first.">
      <textarea rows={3} maxLength={4_000} defaultValue={tool?.description ?? ''} />
    </Field>
    <Field name="is_active" label="Active">
      <input type="checkbox" defaultChecked={tool?.is_active ?? true} />
    </Field>
  </div>
);

interface Row {
  key: number;
  action: ToolAction | undefined;
}

interface Actions {
  rows: Signal<readonly Row[]>;
  all: readonly Row[];
  append: () => void;
  remove: (row: Row) => void;
  moveUp: (row: Row) => void;
}

/** The requests of a tool, in their order. */
function useActions(given: readonly (ToolAction | undefined)[] = [undefined]): Actions {
  const rows = useSignal<readonly Row[]>(given.map((action, key) => ({ key, action })));
  return {
    rows,
    all: rows.value,
    append: () => (rows.value = [...rows.value, { key: nextKey(rows.value), action: undefined }]),
    remove: (row) => (rows.value = rows.value.filter((other) => other !== row)),
    moveUp: (row) => {
      const at = rows.value.indexOf(row);
      const before = rows.value[at - 1];
      rows.value = rows.value.map((one) => (one === row ? (before ?? one) : one === before ? row : one));
      announce(`Moved to position ${at}.`);
    },
  };
}

function ActionList({ rows, all, append, remove, moveUp }: Actions): VNode {
  useEditedPart('webhook_actions.rows', rows);
  const place = useRef<HTMLElement>(null);
  // Preact renders in a microtask; this one runs after it.
  const focus = (selector: string): void =>
    queueMicrotask(() => [...(place.current?.querySelectorAll<HTMLElement>(selector) ?? [])].at(-1)?.focus());
  const error = useErrors('webhook_actions');
  return (
    <section ref={place} class="card stack" data-field="webhook_actions" aria-label="Requests">
      <h2>Requests</h2>
      <p class="hint">Sent in this order when the agent uses the tool.</p>
      <p class="field-error">{error}</p>
      <div class="stack">
        {all.map((row, index) => (
          <ActionFields
            key={row.key}
            action={row.action}
            index={index}
            onRemove={() => {
              remove(row);
              focus(':scope > .actions button');
            }}
            onMoveUp={() => {
              moveUp(row);
              focus(`[name="webhook_actions.${index - 1}.name"]`);
            }}
          />
        ))}
      </div>
      <div class="actions">
        <button
          type="button"
          disabled={all.length >= MAX_ACTIONS}
          onClick={() => {
            append();
            focus('.action-form [name$=".name"]');
          }}
        >
          Add request
        </button>
      </div>
    </section>
  );
}

interface ActionParts {
  action: ToolAction | undefined;
  index: number;
  onRemove: () => void;
  onMoveUp: () => void;
}

/** One request that a tool makes. */
function ActionFields({ action, index, onRemove, onMoveUp }: ActionParts): VNode {
  const waits = useSignal(action?.wait_response ?? true);
  const name = (field: string): string => `webhook_actions.${index}.${field}`;
  const hasMore = useRef(Boolean(action?.headers ?? action?.query_params ?? action?.payload)).current;
  return (
    <fieldset class="card tight stack action-form">
      <legend>Request {index + 1}</legend>
      <Field name={name('name')} label="Name" hint="The agent receives the response under this name.">
        <input defaultValue={action?.name ?? ''} maxLength={255} autocomplete="off" placeholder="look_up" />
      </Field>
      <div class="method-url">
        <Field name={name('method')} label="Method">
          <Choice options={METHODS.map((one) => [one, one])} selected={action?.method ?? 'POST'} />
        </Field>
        <Field name={name('url')} label="URL">
          <input
            type="url"
            defaultValue={action?.url ?? ''}
            maxLength={2_048}
            autocomplete="off"
            spellcheck={false}
            placeholder="https://example.com/orders/{{args.order_id}}"
          />
        </Field>
      </div>
      <Field name={name('wait_response')} label="Wait for the response">
        <input
          type="checkbox"
          checked={waits.value}
          onChange={(event) => (waits.value = event.currentTarget.checked)}
        />
      </Field>
      <Field name={name('timeout_seconds')} label="Timeout (seconds)" hint="1 to 120." hidden={!waits.value}>
        <input inputMode="numeric" class="short" defaultValue={String(action?.timeout_seconds ?? DEFAULT_SECONDS)} />
      </Field>
      <details open={hasMore}>
        <summary>Headers, query and body</summary>
        <MoreOfAction action={action} name={name} />
      </details>
      <div class="actions">
        <button type="button" class="quiet" hidden={index === 0} onClick={onMoveUp}>
          Move up
        </button>
        <button type="button" class="quiet" onClick={onRemove}>
          Remove request
        </button>
      </div>
    </fieldset>
  );
}

function MoreOfAction({ action, name }: Pick<ActionParts, 'action'> & { name: (field: string) => string }): VNode {
  const query = useJsonText(action?.query_params ?? null);
  const payload = useJsonText(action?.payload ?? null);
  return (
    <div class="stack">
      <HeaderRows name={name('headers')} headers={action?.headers ?? null} />
      <JsonField
        name={name('query_params')}
        label="Query parameters"
        rows={3}
        text={query}
        placeholder={'{ "source": "phone" }'}
      />
      <JsonField
        name={name('payload')}
        label="Body"
        rows={5}
        text={payload}
        placeholder={'{ "order": "{{args.order_id}}" }'}
      />
    </div>
  );
}

function actionOf(values: FormData, name: string, errors: FieldErrors): NewToolAction {
  return {
    name: textOf(values, `${name}.name`),
    url: textOf(values, `${name}.url`),
    method: METHODS.find((one) => one === textOf(values, `${name}.method`)) ?? null,
    wait_response: values.has(`${name}.wait_response`),
    timeout_seconds: numberOf(values, `${name}.timeout_seconds`) ?? null,
    headers: headersOf(values, `${name}.headers`, errors),
    query_params: jsonOf(values, `${name}.query_params`, errors),
    payload: jsonOf(values, `${name}.payload`, errors),
  };
}
