import type { VNode } from 'preact';
import { ApiError, ask, type FieldErrors, request } from '../../api/client.js';
import { type ApiPath, apiPath } from '../../api/path.js';
import type { Agent, McpServer } from '../../api/types.js';
import { Field, Form, numberOf, textOf } from '../../components/forms.js';
import { HeaderRows, headersOf } from '../../components/header-rows.js';
import { AgentPage, Loaded, Rows, Steps, usePaged } from '../../components/lists.js';
import { announce, Card, ConfirmButton, Pill, Time, useAct } from '../../components/parts.js';
import { ActButton, May } from '../../components/permissions.js';
import type { Params } from '../../components/router.js';
import { plural, words } from '../../logic/format.js';

interface ServersParts {
  agent: Agent;
  /** The tools of the agent have changed. */
  onChange: () => void;
}

/** The MCP servers of an agent, whose tools it uses as they were pinned. */
export function McpServers({ agent, onChange }: ServersParts): VNode {
  const path = apiPath`agents/${agent.id}/mcp-servers`;
  const servers = usePaged<McpServer>(path);
  const changed = (): void => {
    servers.again();
    onChange();
  };
  return (
    <Card
      title="MCP servers"
      name="mcp-servers"
      aside={
        <May scope="tools:write">
          <a class="button" href={`#/tools/${agent.id}/mcp`}>
            Add server
          </a>
        </May>
      }
    >
      <Loaded of={servers} what="MCP servers">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(one) => <ServerRow server={one} path={apiPath`${path}/${one.id}`} onChange={changed} />}
            empty={<p class="muted">No MCP servers yet. The tools of a server become tools of the agent.</p>}
            class="rows"
            label="MCP servers"
          />
        )}
      </Loaded>
      <Steps of={servers} label="Pages of MCP servers" />
    </Card>
  );
}

interface RowParts {
  server: McpServer;
  path: ApiPath;
  onChange: () => void;
}

const ServerRow = ({ server, path, onChange }: RowParts): VNode => (
  <div class="record" data-server={server.name}>
    <div class="split">
      <strong>{server.name}</strong>
      <Pill status={server.state} />
    </div>
    <p class="muted small">
      <code>{server.url}</code> · checked <Time iso={server.checked_at} />
    </p>
    {server.error !== null && <p class="field-error">{server.error}</p>}
    <Pinned server={server} />
    {server.changes.length > 0 && <Changes of={server} />}
    <ServerActions server={server} path={path} onChange={onChange} />
  </div>
);

function ServerActions({ server: { name, changes, pinned_tools: tools }, path, onChange }: RowParts): VNode {
  const { run, isBusy, said } = useAct();
  const post = (target: ApiPath, sentence: (server: McpServer) => string) => (): void =>
    run(async () => {
      const { data } = await ask<{ data: McpServer }>('POST', target);
      onChange();
      return sentence(data);
    });
  const accept = post(apiPath`${path}/accept`, () => `The changes of ${name} were accepted.`);
  const check = post(apiPath`${path}/refresh`, ({ state }) => `${name}: ${words(state).toLowerCase()}.`);
  const remove = (): void =>
    run(async () => {
      await request('DELETE', path);
      onChange();
    });
  const common = { scope: 'tools:write', isBusy } as const;
  return (
    <>
      {said}
      <div class="actions">
        {changes.length > 0 && (
          <ActButton
            {...common}
            class="primary"
            data-focus="accept"
            aria-label={`Accept changes of ${name}`}
            onClick={accept}
          >
            Accept changes
          </ActButton>
        )}
        <ActButton {...common} data-focus="check" aria-label={`Check now: ${name}`} onClick={check}>
          Check now
        </ActButton>
        <ConfirmButton scope="tools:write" verb="Delete" what={`the MCP server ${name}`} onSure={remove}>
          {tools.length > 0 && <p>The agent loses its tools: {tools.map((tool) => tool.name).join(', ')}.</p>}
        </ConfirmButton>
      </div>
    </>
  );
}

const Pinned = ({ server: { pinned_tools: tools, skipped_tools: skipped } }: { server: McpServer }): VNode => (
  <details>
    <summary>{plural(tools.length, 'pinned tool')}</summary>
    <ul class="actions-of">
      {tools.map((tool) => (
        <li key={tool.tool_id}>
          <code>{tool.name}</code>
          <span class="muted small">{tool.description}</span>
        </li>
      ))}
      {skipped.map((tool) => (
        <li key={tool.name}>
          <code>{tool.name}</code>
          <span class="muted small">{`Not usable: ${tool.reason}`}</span>
        </li>
      ))}
    </ul>
  </details>
);

const Changes = ({ of }: { of: McpServer }): VNode => (
  <div data-role="changes">
    <p class="hint">
      The server's tools differ from the pinned ones. Calls use the pinned tools until you accept the changes.
    </p>
    <ul class="actions-of">
      {of.changes.map(({ tool, change, differences }) => (
        <li key={tool}>
          <span class="split">
            <code>{tool}</code>
            <span class="small">{words(change)}</span>
          </span>
          {differences.map((difference) => (
            <span key={difference} class="muted small">
              {difference}
            </span>
          ))}
        </li>
      ))}
    </ul>
  </div>
);

export const NewMcpServerPage = ({ params }: { params: Params }): VNode => (
  <AgentPage
    title="New MCP server"
    lead="Its tools are pinned: changes on the server take effect only after you accept them here."
    place="tools"
    wanted={params['agent']}
  >
    {(agent) => <NewServer agent={agent} />}
  </AgentPage>
);

function NewServer({ agent }: { agent: Agent }): VNode {
  const back = `#/tools/${agent.id}`;
  const send = async (values: FormData): Promise<void> => {
    const errors: FieldErrors = {};
    const headers = headersOf(values, 'headers', errors);
    if (Object.keys(errors).length > 0) throw new ApiError(422, 'Some fields are invalid.', errors);
    const tools = textOf(values, 'tools')
      .split(/[\s,]+/)
      .filter(Boolean);
    const { data } = await ask<{ data: McpServer }>('POST', apiPath`agents/${agent.id}/mcp-servers`, {
      body: {
        name: textOf(values, 'name'),
        url: textOf(values, 'url'),
        headers,
        tools: tools.length > 0 ? tools : null,
        timeout_seconds: numberOf(values, 'timeout_seconds'),
      },
    });
    announce(`${data.name} was added with ${plural(data.pinned_tools.length, 'tool')}.`);
    location.hash = back;
  };
  return (
    <Form
      scope="tools:write"
      record={{ key: `tools/${agent.id}/mcp`, name: 'a new MCP server' }}
      label="New MCP server"
      class="stack card mcp-form"
      submit="Add"
      busy="Connecting…"
      send={send}
      cancel={back}
    >
      <Field name="name" label="Name" hint="In snake_case. Prefixed to tool names that are already taken.">
        <input maxLength={32} autocomplete="off" placeholder="shop" />
      </Field>
      <Field name="url" label="URL" hint="MCP over streamable HTTP.">
        <input type="url" autocomplete="off" placeholder="https://example.com/mcp" />
      </Field>
      <HeaderRows name="headers" headers={null} />
      <Field name="tools" label="Tools" hint="Comma-separated names. Leave empty for all tools.">
        <input autocomplete="off" />
      </Field>
      <Field name="timeout_seconds" label="Tool timeout (seconds)" hint="Leave empty for the default.">
        <input inputMode="numeric" autocomplete="off" />
      </Field>
    </Form>
  );
}
