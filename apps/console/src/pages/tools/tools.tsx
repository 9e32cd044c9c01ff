import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ApiError, ask } from '../../api/client.js';
import { type ApiPath, apiPath } from '../../api/path.js';
import type { Agent, JsonSchema, Tool, ToolRun } from '../../api/types.js';
import { Choice, Field, Form } from '../../components/forms.js';
import { Icon } from '../../components/icons.js';
import { AgentPage, Loaded, RecordActions, Rows, Steps, usePaged } from '../../components/lists.js';
import { announce, Empty, Activity, Json, Pill } from '../../components/parts.js';
import { May } from '../../components/permissions.js';
import type { Params } from '../../components/router.js';
import { plural, span } from '../../logic/format.js';
import { McpServers } from './mcp-servers.js';

export const ToolsPage = ({ params }: { params: Params }): VNode => (
  <AgentPage
    title="Tools"
    lead="Requests to your systems that agents make during calls, and tools of MCP servers."
    place="tools"
    wanted={params['agent']}
  >
    {(agent) => <Tools agent={agent} />}
  </AgentPage>
);

function Tools({ agent }: { agent: Agent }): VNode {
  const path = apiPath`agents/${agent.id}/tools`;
  const tools = usePaged<Tool>(path);
  return (
    <div class="stack">
      <div class="split">
        <span class="muted">{tools.data && plural(tools.data.meta.total, 'tool')}</span>
        <May scope="tools:write">
          <a class="button primary" href={`#/tools/${agent.id}/new`}>
            New tool
          </a>
        </May>
      </div>
      <Loaded of={tools} what="tools">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(tool) => (
              <ToolCard
                tool={tool}
                path={path}
                edit={`#/tools/${agent.id}/${tool.id}`}
                isOwn={tool.agent_id === agent.id}
                onChange={tools.again}
              />
            )}
            empty={
              <div class="card">
                <NoTools agent={agent} />
              </div>
            }
            class="plain stack"
            label="Tools"
          />
        )}
      </Loaded>
      <Steps of={tools} label="Pages of tools" />
      <McpServers agent={agent} onChange={tools.again} />
    </div>
  );
}

const NoTools = ({ agent: { id } }: { agent: Agent }): VNode => (
  <Empty icon="tool" title="This agent has no tools yet">
    <May scope="tools:write">
      <p>
        A tool has a name, arguments and the requests that it makes to your systems, such as the one that looks up an
        order.
      </p>
      <a class="button primary" href={`#/tools/${id}/new`}>
        New tool
      </a>
    </May>
  </Empty>
);

interface ToolParts {
  tool: Tool;
  /** Path of the agent's tools in the API. */
  path: ApiPath;
  /** Address of the page that edits it. */
  edit: string;
  /** False: another agent owns it, and shares it. */
  isOwn: boolean;
  onChange: () => void;
}

/** A tool with its requests, and a form to try it. */
const ToolCard = ({ tool, path, edit, isOwn, onChange }: ToolParts): VNode => (
  <article class="card tool" data-tool={tool.name}>
    <header class="split">
      <h2>
        <Icon name="tool" />
        <code>{tool.name}</code>
      </h2>
      <Activity active={tool.is_active} />
    </header>
    <p>{tool.description}</p>
    <ul class="actions-of">
      {tool.webhook_actions.map(({ name, method, url, wait_response: waits }, index) => (
        <li key={index}>
          <span>
            {name}
            <span class="muted small">{waits ? ' · waits for the response' : ' · in the background'}</span>
          </span>
          <code class="small">{`${method} ${url}`}</code>
        </li>
      ))}
    </ul>
    <TryTool tool={tool} path={apiPath`${path}/${tool.id}/invoke`} />
    {isOwn ? (
      <RecordActions
        scope="tools:write"
        path={apiPath`${path}/${tool.id}`}
        edit={edit}
        title={tool.name}
        kind="the tool"
        deletion={{ says: <p>The agent can no longer use it.</p> }}
        active={['is_active', tool.is_active]}
        onChange={onChange}
      />
    ) : (
      <p class="hint">
        Shared by <a href={`#/tools/${tool.agent_id}`}>another agent</a>, whose page changes it.
      </p>
    )}
  </article>
);

/** An input for each property of the tool's schema. Values other than text, number and boolean are entered as JSON. */
function TryTool({ tool, path }: { tool: Tool; path: ApiPath }): VNode {
  const run = useSignal<ToolRun | undefined>(undefined);
  const { properties = {}, required = [] } = tool.parameters as JsonSchema;
  const all = Object.entries(properties);
  const send = async (values: FormData): Promise<void> => {
    run.value = undefined;
    const given = all.map(([name, schema]) => [name, valueOf(name, schema, values)] as const);
    const body = { arguments: Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
    const { data } = await ask<{ data: ToolRun }>('POST', path, { body });
    announce(data.ok ? `${tool.name} succeeded.` : `${tool.name} failed.`);
    run.value = data;
  };
  return (
    <details class="try">
      <summary>Test</summary>
      <p class="hint">
        <Icon name="warn" />
        Sends real requests, as in a call.
      </p>
      <Form scope="tools:write" label={`Test ${tool.name}`} submit="Run" busy="Running…" send={send}>
        {all.map(([name, schema]) => (
          <Field
            key={name}
            name={`arguments.${name}`}
            label={required.includes(name) ? name : `${name} (optional)`}
            hint={hintOf(schema)}
          >
            {inputFor(schema)}
          </Field>
        ))}
      </Form>
      <div class="outcome">{run.value && <Run run={run.value} />}</div>
    </details>
  );
}

const Run = ({ run: { ok, actions, result, invocation_id: id } }: { run: ToolRun }): VNode => (
  <div class="card tight" data-role="run">
    <div class="split">
      <strong>{ok ? 'Succeeded' : 'Failed'}</strong>
      <Pill status={ok ? 'succeeded' : 'failed'} />
    </div>
    <ul class="actions-of">
      {actions.map((action, index) => (
        <li key={index}>
          <span class="split">
            <span>{action.name}</span>
            <Pill status={action.outcome} />
          </span>
          <span class="muted small">{action.error?.message ?? answerOf(action)}</span>
        </li>
      ))}
    </ul>
    <Json title="Result for the agent" value={result} />
    <p class="muted small">
      Invocation <code>{id}</code>
    </p>
  </div>
);

const answerOf = ({ method, status, latency_ms: latency, outcome }: ToolRun['actions'][number]): string =>
  outcome === 'queued'
    ? 'Delivered in the background, with retries'
    : `${method}: ${status ?? 'no answer'}${latency === null ? '' : ` in ${span(latency)}`}`;

function inputFor(schema: JsonSchema): VNode {
  if (schema.enum)
    return <Choice options={[['', '–'], ...schema.enum.map((one) => [JSON.stringify(one), String(one)] as const)]} />;
  switch (schema.type) {
    case 'boolean':
      return (
        <Choice
          options={[
            ['', '–'],
            ['true', 'Yes'],
            ['false', 'No'],
          ]}
        />
      );
    case 'integer':
    case 'number':
      return <input inputMode="decimal" autocomplete="off" />;
    case 'string':
      return <input autocomplete="off" />;
    default:
      return <textarea rows={3} spellcheck={false} placeholder={schema.type === 'array' ? '[]' : '{}'} />;
  }
}

function hintOf({ description, minimum, maximum, type }: JsonSchema): string {
  const range = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}.` : '';
  const isJson = !['string', 'integer', 'number', 'boolean'].includes(type ?? '');
  return [description, range, isJson && 'As JSON.'].filter(Boolean).join(' ');
}

/** As typed: the API validates it. What was left empty is absent. Throws ApiError where JSON was asked for and something else was given. */
function valueOf(name: string, schema: JsonSchema, values: FormData): unknown {
  const value = values.get(`arguments.${name}`);
  if (typeof value !== 'string' || value === '') return undefined;
  if (schema.type === 'string' && !schema.enum) return value;
  if ((schema.type === 'integer' || schema.type === 'number') && !schema.enum)
    return Number.isNaN(Number(value)) ? value : Number(value);
  try {
    return JSON.parse(value) as unknown;
  } catch {
    const sentence = 'This is not JSON.';
    throw new ApiError(422, sentence, { [`arguments.${name}`]: [sentence] });
  }
}
