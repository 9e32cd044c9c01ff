import { agentPage } from './agent-page.js';
import { apiPath } from './api-path.js';
import { ask } from './api.js';
import { commandLine } from './buttons.js';
import { curl } from './curl.js';
import { fill, h } from './dom.js';
import { plural } from './format.js';
import { keyedList } from './keyed-list.js';
import { emptyState, type Trouble } from './notices.js';
import { PageSteps } from './pages.js';
import { toolCard } from './tool-card.js';
import type { Agent, ListOf, Tool } from './types.js';

const PER_PAGE = 25;

export const openTools = agentPage({
  title: 'Tools',
  lead: 'What agents can do during a call: requests to your systems.',
  place: 'tools',
  show: toolsOf,
});

async function toolsOf(agent: Agent, signal: AbortSignal, trouble: Trouble): Promise<HTMLElement> {
  const path = apiPath`agents/${agent.id}/tools`;
  const list = h('ul', { class: 'plain stack', 'aria-label': 'Tools' });
  const count = h('span', { class: 'muted' });
  const show = keyedList<Tool>(list, {
    keyOf: ({ id }) => String(id),
    make: (tool) => h('li', null, toolCard(tool, { path, edit: `#/tools/${agent.id}/${tool.id}`, signal, onChange })),
    empty: () => h('li', { class: 'card' }, nothing(agent)),
  });
  const pages = new PageSteps('Pages of tools', turnTo);
  let page = 1;
  const load = async (): Promise<void> => {
    const answer = await ask<ListOf<Tool>>('GET', path, { query: { per_page: PER_PAGE, page }, signal });
    const { data, meta } = answer;
    if (page > meta.last_page) return turnTo(meta.last_page);
    show(data);
    fill(count, plural(meta.total, 'tool'));
    pages.show(answer);
  };
  function onChange(): void {
    trouble.clear();
    load().catch((error: unknown) => {
      if (!signal.aborted) trouble.show(error);
    });
  }
  function turnTo(another: number): void {
    page = another;
    onChange();
  }
  await load();
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'split' },
      count,
      h('a', { class: 'button primary', href: `#/tools/${agent.id}/new` }, 'New tool'),
    ),
    list,
    pages.node,
  );
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
    h(
      'p',
      null,
      'A tool has a name, a JSON Schema and the requests that it makes. ',
      h('a', { href: `#/tools/${id}/new` }, 'Make one here'),
      ', or from a program:',
    ),
    commandLine(curl('POST', apiPath`agents/${id}/tools`, example)),
  );
}
