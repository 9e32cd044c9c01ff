import { agentPicker, chosenAgent, noAgents, noSuchAgent } from './agent-picker.js';
import { backLink } from './back-link.js';
import { type Child, fill, h } from './dom.js';
import { loadedPage } from './loaded.js';
import type { Trouble } from './notices.js';
import type { Page, Visit } from './router.js';
import type { Agent } from './types.js';

interface AgentPage {
  title: string;
  lead: string;
  /** Of the address: `#/tools/7`. */
  place: string;
  show: (agent: Agent, signal: AbortSignal, trouble: Trouble) => Child | Promise<Child>;
}

/** Opens a page about one agent, with a choice of the others. */
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
  /** Where it stands in a list. */
  back: string;
  backLabel: string;
  what: string;
  load: () => Promise<Child>;
}

/** A page about one thing of an agent, with the way back to all of them. */
export const recordPage = ({ title, back, backLabel, what, load }: RecordPage, signal: AbortSignal): Page =>
  loadedPage({
    title,
    head: h('header', { class: 'stack tight-stack' }, backLink(back, backLabel), h('h1', null, title)),
    what,
    signal,
    load,
  });
