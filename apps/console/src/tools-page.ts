import { agentPicker, chosenAgent, noAgents } from './agent-picker.js';
import { ask } from './api.js';
import { commandLine } from './copyable.js';
import { curl } from './curl.js';
import { fill, h } from './dom.js';
import { emptyState, Trouble, waiting } from './notices.js';
import type { Page, Visit } from './router.js';
import { toolCard } from './tool-card.js';
import type { Agent, ListOf, Tool } from './types.js';

const MOST = 100;

export function openTools({ params, signal }: Visit): Page {
  const trouble = new Trouble();
  const picker = h('div', null);
  const body = h('div', null, waiting('tools'));
  const node = h(
    'div',
    { class: 'page' },
    h(
      'header',
      { class: 'page-head' },
      h(
        'div',
        null,
        h('h1', null, 'Tools'),
        h('p', { class: 'muted' }, 'What agents can do during a call: requests to your systems.'),
      ),
      picker,
    ),
    trouble.node,
    body,
  );
  const load = async (): Promise<void> => {
    const { agents, agent } = await chosenAgent(params['agent'], signal);
    if (!agent) return fill(body, noAgents());
    fill(picker, agentPicker(agents, agent, 'tools'));
    const path = `agents/${agent.id}/tools`;
    const { data } = await ask<ListOf<Tool>>('GET', path, { query: { per_page: MOST }, signal });
    const tools = data.map((tool) => h('li', null, toolCard(tool, path, signal)));
    fill(body, data.length === 0 ? nothing(agent) : h('ul', { class: 'plain stack', 'aria-label': 'Tools' }, tools));
  };
  load().catch((error: unknown) => {
    if (signal.aborted) return;
    body.replaceChildren();
    trouble.show(error);
  });
  return { title: 'Tools', node };
}

function nothing({ id }: Agent): HTMLElement {
  const example = {
    name: 'get_weather',
    description: 'Tells the weather. Use it when somebody asks for it.',
    parameters: { type: 'object', properties: { city: { type: 'string', description: 'Where.' } }, required: ['city'] },
    webhook_actions: [{ name: 'weather', url: 'https://example.com/weather', method: 'POST' }],
  };
  return emptyState(
    'tool',
    'This agent has no tools yet',
    h('p', null, 'A tool has a name, a JSON Schema and the requests that it makes. Create one from a program:'),
    commandLine(curl('POST', `agents/${id}/tools`, example)),
  );
}
