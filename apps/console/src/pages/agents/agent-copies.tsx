import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ask, messageOf, save } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import { agentsOf, mcpServersOf, toolsOf } from '../../api/records.js';
import { may } from '../../api/me.js';
import type { Agent, WholeAgent } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import { announce, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { type AgentFile, agentsIn, copyName, exportedAgent, portable } from '../../logic/agent-file.js';
import { plural } from '../../logic/format.js';
import { yamlOf } from '../../logic/yaml-text.js';

type Exported = ReturnType<typeof exportedAgent>;

/** An agent with its tools, as far as the session may read them. */
async function read(id: number, signal: AbortSignal): Promise<Exported> {
  const isReading = may('tools:read');
  const [{ data: agent }, tools, servers] = await Promise.all([
    ask<{ data: WholeAgent }>('GET', apiPath`agents/${id}`, { signal }),
    isReading ? toolsOf(id, signal) : [],
    isReading ? mcpServersOf(id, signal) : [],
  ]);
  return exportedAgent(agent, tools, servers);
}

/** The agents of a file, each with its tools. The sentences are about what could not be created. */
async function create({
  agents,
  agent_tools: tools,
}: AgentFile): Promise<{ created: WholeAgent[]; problems: string[] }> {
  const created: WholeAgent[] = [];
  const problems: string[] = [];
  for (const node of agents) {
    try {
      const { data } = await ask<{ data: WholeAgent }>('POST', apiPath`agents`, { body: node });
      created.push(data);
      for (const tool of tools[node.name] ?? [])
        await ask('POST', apiPath`agents/${data.id}/tools`, { body: tool }).catch((error: unknown) => {
          problems.push(`The tool ${tool.name} of ${node.name} was not created: ${messageOf(error)}`);
        });
    } catch (error) {
      problems.push(`${node.name} was not created: ${messageOf(error)}`);
    }
  }
  return { created, problems };
}

const secretsText = (omitted: readonly string[]): string =>
  omitted.length === 0 ? '' : ` Not included, because it is secret or belongs to this account: ${omitted.join(', ')}.`;

interface CopyParts {
  agent: Pick<Agent, 'id' | 'name'>;
  onCopied?: () => void;
}

/** The buttons that duplicate an agent and export it as a file. */
export function CopyButtons({ agent: { id, name }, onCopied }: CopyParts): VNode {
  const { run, isBusy, said } = useAct();
  const leaving = useLeaving();
  const duplicate = (): void =>
    run(async () => {
      const { file, omitted } = await read(id, leaving.signal);
      const copy = copyName(
        name,
        (await agentsOf(leaving.signal)).map((one) => one.name),
      );
      const agents = file.agents.map((node) => ({ ...node, name: copy, active: false }));
      const { problems } = await create({ agents, agent_tools: { [copy]: file.agent_tools[name] ?? [] } });
      if (problems.length > 0) throw new Error(problems.join(' '));
      onCopied?.();
      return `${copy} was created, inactive.${secretsText(omitted)}`;
    });
  const download = (): void =>
    run(async () => {
      const { file, omitted } = portable(await read(id, leaving.signal));
      const content = new Blob([await yamlOf(file)], { type: 'application/yaml' });
      save(content, `${name.replace(/[^\w-]+/g, '-').toLowerCase()}.yaml`);
      return `${name} was exported.${secretsText(omitted)}`;
    });
  return (
    <>
      <ActButton scope="agents:write" data-act="duplicate" isBusy={isBusy} onClick={duplicate}>
        <Icon name="copy" />
        Duplicate
        <span class="unseen"> {name}</span>
      </ActButton>
      <ActButton scope="agents:read" data-act="export" isBusy={isBusy} onClick={download}>
        <Icon name="download" />
        Export
        <span class="unseen"> {name}</span>
      </ActButton>
      {said}
    </>
  );
}

/** The button that creates the agents of a file. */
export function ImportButton({ onImported }: { onImported: () => void }): VNode {
  const { run, isBusy, said } = useAct();
  const input = useRef<HTMLInputElement>(null);
  const load = (file: File): void =>
    run(async () => {
      const found = await agentsIn(await file.text());
      if ('problem' in found) throw new Error(found.problem);
      const { created, problems } = await create(found);
      if (created.length > 0) onImported();
      const names = created.map(({ name }) => name).join(', ');
      const sentence = created.length > 0 ? `${plural(created.length, 'agent')} imported: ${names}.` : '';
      if (problems.length > 0) throw new Error([sentence, ...problems].filter(Boolean).join(' '));
      return sentence;
    });
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".yaml,.yml,.json,application/yaml,application/json"
        hidden
        aria-label="File with agents"
        data-role="import"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (file) load(file);
          else announce('No file was chosen.');
        }}
      />
      <ActButton scope="agents:write" data-act="import" isBusy={isBusy} onClick={() => input.current?.click()}>
        <Icon name="upload" />
        Import
      </ActButton>
      {said}
    </>
  );
}

/** Aborts what is read when the part is left. */
function useLeaving(): AbortController {
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  return leaving.current;
}
