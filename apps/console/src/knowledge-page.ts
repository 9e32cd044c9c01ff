import { agentPage } from './agent-page.js';
import { type ApiPath, apiPath } from './api-path.js';
import { ask } from './api.js';
import { commandLine } from './copyable.js';
import { curlUpload } from './curl.js';
import { fill, h } from './dom.js';
import { plural } from './format.js';
import { keyedList } from './keyed-list.js';
import { addKnowledge } from './knowledge-add.js';
import { knowledgeItem } from './knowledge-item.js';
import { trySearch } from './knowledge-search.js';
import { emptyState, stopWaiting, type Trouble, waiting } from './notices.js';
import { PageSteps } from './pages.js';
import { poll } from './poll.js';
import { section } from './section.js';
import type { Agent, KnowledgeBase, ListOf } from './types.js';

const BUSY_MS = 700;
const CALM_MS = 10_000;
const PER_PAGE = 25;

export const openKnowledge = agentPage({
  title: 'Knowledge',
  lead: 'What agents look up during a call.',
  place: 'knowledge',
  show: knowledgeOf,
});

function knowledgeOf({ id }: Agent, signal: AbortSignal, trouble: Trouble): HTMLElement {
  const path = apiPath`agents/${id}/knowledge-bases`;
  const list = h(
    'ul',
    { class: 'rows knowledge', 'aria-label': 'Knowledge bases' },
    h('li', null, waiting('knowledge bases')),
  );
  const count = h('span', { class: 'muted' });
  const show = keyedList<KnowledgeBase>(list, {
    keyOf: (one) => String(one.id),
    make: (one) => knowledgeItem(one, { path, edit: `#/knowledge/${id}/${one.id}`, onChange: look }),
    empty: () => h('li', null, nothing(path)),
  });
  const pages = new PageSteps('Pages of sources', turnTo);
  let page = 1;
  let round = new AbortController();
  function look(): void {
    round.abort();
    round = new AbortController();
    const here = AbortSignal.any([signal, round.signal]);
    let isBusy = false;
    const work = async (): Promise<void> => {
      const query = { per_page: PER_PAGE, page };
      const answer = await ask<ListOf<KnowledgeBase>>('GET', path, { query, signal: here });
      const { data, meta } = answer;
      if (page > meta.last_page) return turnTo(meta.last_page);
      isBusy = data.some(({ status, stage }) => status === 'pending' || status === 'processing' || stage !== null);
      show(data);
      fill(count, plural(meta.total, 'source'));
      pages.show(answer);
    };
    void poll({
      signal: here,
      work,
      every: () => (isBusy ? BUSY_MS : CALM_MS),
      onTrouble: (error) => {
        trouble.show(error);
        stopWaiting(list);
      },
    });
  }
  function turnTo(another: number): void {
    page = another;
    look();
  }
  look();
  return h(
    'div',
    { class: 'with-aside' },
    h(
      'div',
      { class: 'main-column stack' },
      section('Try a search', { name: 'search' }, trySearch(path, signal)),
      section('Sources', { name: 'sources', aside: count }, list, pages.node),
    ),
    h(
      'aside',
      { 'aria-label': 'Add knowledge' },
      addKnowledge(path, signal, () => turnTo(1)),
    ),
  );
}

const nothing = (path: ApiPath): HTMLElement =>
  emptyState(
    'book',
    'Nothing to look up yet',
    h('p', null, 'Add a file, a web page or some text. From a program:'),
    commandLine(curlUpload(path, 'Price list', 'price-list.csv')),
  );
