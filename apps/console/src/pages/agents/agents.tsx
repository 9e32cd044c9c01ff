import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { may } from '../../api/me.js';
import { apiPath } from '../../api/path.js';
import type { Agent, Warning, WholeAgent } from '../../api/types.js';
import { AgentWarnings, WarningPills } from '../../components/agent-warnings.js';
import { Icon } from '../../components/icons.js';
import { Loaded, RecordActions, Rows, Steps, usePaged, useRecord } from '../../components/lists.js';
import { Activity, Empty, Page } from '../../components/parts.js';
import { May } from '../../components/permissions.js';
import { pageOfAddress, type Params, place } from '../../components/router.js';
import { SearchBox } from '../../components/search-box.js';
import { clock } from '../../logic/format.js';
import { CopyButtons, ImportButton } from './agent-copies.js';
import { useAgentDeletion } from './agent-deletion.js';
import { AgentEditor } from './agent-form.js';
import { useTalk } from './agent-talk.js';
import { TestRuns } from './agent-tests.js';
import { Versions } from './agent-versions.js';

/** The agents of the account. */
export function AgentsPage(): VNode {
  const search = place.value.query.get('search') ?? '';
  const agents = usePaged<Agent>(apiPath`agents`, { query: { search }, at: pageOfAddress() });
  return (
    <Page
      title="Agents"
      lead="Voice agents with their instructions, knowledge and tools. A call keeps the version it started with."
      aside={
        <May scope="agents:write">
          <div class="actions">
            <ImportButton onImported={agents.again} />
            <a class="button primary" href="#/agents/new">
              New agent
            </a>
          </div>
        </May>
      }
    >
      <div class="filters" role="search">
        <SearchBox name="search" label="Search agents" placeholder="Name" />
      </div>
      <Loaded of={agents} what="agents">
        {({ data, warnings = [] }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(agent) => (
              <AgentRow
                agent={agent}
                warnings={warnings.filter(({ field }) => field?.startsWith(`agents.${agent.id}.`))}
                onChange={agents.again}
              />
            )}
            empty={search === '' ? <FirstAgent /> : <Empty icon="search" title="No matching agents" />}
            class="rows"
            label="Agents"
          />
        )}
      </Loaded>
      <Steps of={agents} label="Pages of agents" />
    </Page>
  );
}

const FirstAgent = (): VNode => (
  <Empty icon="agent" title="No agents yet">
    <May scope="agents:write">
      <p>Give the first one a name and a greeting. Then talk to it in writing, or have it call you.</p>
      <a class="button primary" href="#/agents/new">
        New agent
      </a>
    </May>
  </Empty>
);

interface RowParts {
  agent: Agent;
  warnings: readonly Warning[];
  onChange: () => void;
}

function AgentRow({ agent, warnings, onChange }: RowParts): VNode {
  const deletion = useAgentDeletion(agent);
  return (
    <div class="record" data-agent={agent.name}>
      <div class="split">
        <strong>
          <a href={`#/agents/${agent.id}`}>{agent.name}</a>
        </strong>
        <Activity active={agent.active} />
      </div>
      <p class="muted small">
        {`${agent.provider} · version ${agent.version} · calls up to ${clock(agent.max_call_seconds)}`}
        <RelatedPages agentId={agent.id} />
      </p>
      <WarningPills all={warnings} />
      {agent.greeting !== '' && <p class="small">“{agent.greeting}”</p>}
      <RecordActions
        first={<TalkLink agent={agent} />}
        scope="agents:write"
        path={apiPath`agents/${agent.id}`}
        edit={`#/agents/${agent.id}`}
        title={agent.name}
        kind="the agent"
        deletion={deletion}
        active={['active', agent.active]}
        onChange={onChange}
      >
        <CopyButtons agent={agent} onCopied={onChange} />
      </RecordActions>
    </div>
  );
}

/** An agent that is not active takes no calls. */
const TalkLink = ({ agent: { id, name, active } }: { agent: Agent }): VNode | null =>
  active && may('calls:write') ? (
    <a class="button primary" href={`#/agents/${id}/talk`} data-focus="talk" aria-label={`Talk to ${name}`}>
      <Icon name="mic" />
      Talk
    </a>
  ) : null;

/** The pages about an agent beside its editor. */
const RelatedPages = ({ agentId }: { agentId: number }): VNode => (
  <>
    {' · '}
    <a href={`#/knowledge/${agentId}`}>knowledge</a>
    {' · '}
    <a href={`#/tools/${agentId}`}>tools</a>
    {' · '}
    <a href={`#/calls?agent_id=${agentId}`}>calls</a>
  </>
);

export const NewAgentPage = (): VNode => (
  <Page title="New agent" back={['#/agents', 'Agents']}>
    <AgentEditor onSaved={(agent) => (location.hash = `#/agents/${agent.id}`)} />
  </Page>
);

/** An agent with its editor and its versions. */
export function AgentPage({ params: { id = '' } }: { params: Params }): VNode {
  const agent = useRecord<WholeAgent>(apiPath`agents/${id}`);
  const talk = useTalk(id);
  const saves = useSignal(0);
  const drafted = (): void => void (saves.value += 1);
  const saved = (): void => {
    drafted();
    agent.again();
  };
  return (
    <Page
      title={agent.data?.name ?? 'Agent'}
      back={['#/agents', 'Agents']}
      aside={
        agent.data && (
          <div class="agent-head">
            <span class="muted">
              {versionsOf(agent.data)}
              <RelatedPages agentId={agent.data.id} />
            </span>
            <button type="button" class="narrow-only" onClick={goToTalk}>
              <Icon name="mic" />
              Talk
            </button>
          </div>
        )
      }
    >
      <Loaded of={agent} what="the agent">
        {(one) => (
          <>
            <AgentWarnings all={agent.warnings} />
            <AgentEditor key={one.version} agent={one} talk={talk} onSaved={saved} onDrafted={drafted} />
            <TestRuns agent={one} />
            <Versions agent={one} saves={saves.value} onPublished={agent.again} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** On narrow screens the talk is below the form. */
function goToTalk(): void {
  const card = document.querySelector<HTMLElement>('[data-part="talk-live"]');
  card?.scrollIntoView({ block: 'start' });
  card?.querySelector<HTMLElement>('input, button')?.focus({ preventScroll: true });
}

const versionsOf = ({ version, canary }: WholeAgent): string =>
  `Version ${version}${canary ? `, canary version ${canary.version} for ${canary.traffic_percent} % of new calls` : ''}`;
