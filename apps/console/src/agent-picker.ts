import { agentsOf } from './directory.js';
import { commandLine } from './copyable.js';
import { h } from './dom.js';
import { field, option } from './forms.js';
import { emptyState } from './notices.js';
import type { Agent } from './types.js';

/** The agent that a page is about: the one of its address; the first where that names none. undefined: there is no such agent. */
export async function chosenAgent(
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<{ agents: Agent[]; agent: Agent | undefined }> {
  const agents = await agentsOf(signal);
  return { agents, agent: wanted === undefined ? agents[0] : agents.find(({ id }) => String(id) === wanted) };
}

/** Goes to the same page of another agent. */
export function agentPicker(agents: readonly Agent[], current: Agent | undefined, place: string): HTMLElement {
  const input = h(
    'select',
    { onchange: () => void (location.hash = `#/${place}/${input.value}`) },
    current ? undefined : option('', 'Choose one', true),
    agents.map(({ id, name }) => option(id, name, id === current?.id)),
  );
  return h('div', { class: 'agent-picker' }, field({ name: 'agent', label: 'Agent', input }));
}

export const noAgents = (): HTMLElement =>
  emptyState(
    'info',
    'This account has no agent yet',
    h('p', null, 'Agents, numbers and trunks come from a workspace file:'),
    commandLine('bin/trunkline apply -f workspace.yaml'),
  );

/** Another one is not shown in its place: what is added or switched off there would be another agent's. */
export const noSuchAgent = (): HTMLElement =>
  emptyState('info', 'No such agent', h('p', null, 'This account has no agent of that id. Choose one above.'));
