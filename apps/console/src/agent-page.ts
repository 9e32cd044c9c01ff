import { backLink } from './page-parts.js';
import { type Child, fill, h } from './dom.js';
import { emptyState, loadedPage, type Trouble } from './notices.js';
import type { Page, Visit } from './router.js';
import type { Agent } from './types.js';
import { agentsOf } from './api.js';
import { commandLine } from './buttons.js';
import { field, option } from './forms.js';

interface AgentPage {
  title: string;
  lead: string;
  /** First segment of the address: `tools` in `#/tools/7`. */
  place: string;
  show: (agent: Agent, signal: AbortSignal, trouble: Trouble) => Child | Promise<Child>;
}

/** Opens a page about one agent, with a select to switch agents. */
export const agentPage =
  ({ title, lead, place, show }: AgentPage) =>
  ({ params, signal }: Visit): Page => {
    const picker = h('div', null);
    const head = h(
      'header',
      { class: 'page-head' },
      h('div', null, h('h1', null, title), h('p', { class: 'muted' }, lead)),
      picker,
    );
    const load = async (trouble: Trouble): Promise<Child> => {
      const { agents, agent } = await chosenAgent(params['agent'], signal);
      if (agents.length === 0) return noAgents();
      fill(picker, agentPicker(agents, agent, place));
      return agent ? show(agent, signal, trouble) : noSuchAgent();
    };
    return loadedPage({ title, head, what: title.toLowerCase(), signal, load });
  };

interface RecordPage {
  title: string;
  /** Address of the list. */
  back: string;
  backLabel: string;
  what: string;
  load: () => Promise<Child>;
}

/** A page about one record of an agent, with a link back to the list. */
export const recordPage = ({ title, back, backLabel, what, load }: RecordPage, signal: AbortSignal): Page =>
  loadedPage({
    title,
    head: h('header', { class: 'stack tight-stack' }, backLink(back, backLabel), h('h1', null, title)),
    what,
    signal,
    load,
  });

/** The agent of the page's address, or the first agent without one. undefined: no such agent. */
async function chosenAgent(
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<{ agents: Agent[]; agent: Agent | undefined }> {
  const agents = await agentsOf(signal);
  return { agents, agent: wanted === undefined ? agents[0] : agents.find(({ id }) => String(id) === wanted) };
}

/** Goes to the same page of another agent. */
function agentPicker(agents: readonly Agent[], current: Agent | undefined, place: string): HTMLElement {
  const input = h(
    'select',
    { onchange: () => void (location.hash = `#/${place}/${input.value}`) },
    current ? undefined : option('', 'Choose one', true),
    agents.map(({ id, name }) => option(id, name, id === current?.id)),
  );
  return h('div', { class: 'agent-picker' }, field({ name: 'agent', label: 'Agent', input }));
}

const noAgents = (): HTMLElement =>
  emptyState(
    'info',
    'This account has no agent yet',
    h('p', null, 'Agents, numbers and trunks come from a workspace file:'),
    commandLine('bin/trunkline apply -f workspace.yaml'),
  );

/** No other agent is shown instead: changes on the page would affect that agent. */
const noSuchAgent = (): HTMLElement =>
  emptyState('info', 'No such agent', h('p', null, 'This account has no agent of that id. Choose one above.'));
