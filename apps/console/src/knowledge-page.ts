import { agentPage } from './agent-page.js';
import { ask } from './api.js';
import { commandLine } from './copyable.js';
import { curlUpload } from './curl.js';
import { fill, h } from './dom.js';
import { plural } from './format.js';
import { keyedList } from './keyed-list.js';
import { addKnowledge } from './knowledge-add.js';
import { knowledgeItem } from './knowledge-item.js';
import { trySearch } from './knowledge-search.js';
import { emptyState, type Trouble, waiting } from './notices.js';
import { poll } from './poll.js';
import type { Page, Visit } from './router.js';
import { section } from './section.js';
import type { Agent, KnowledgeBase, ListOf } from './types.js';

const BUSY_MS = 700;
const CALM_MS = 10_000;
const MOST = 100;

export const openKnowledge = (visit: Visit): Page =>
  agentPage(
    {
      title: 'Knowledge',
      lead: 'What agents look up during a call.',
      place: 'knowledge',
      show: (agent, trouble) => knowledgeOf(agent, visit.signal, trouble),
    },
    visit,
  );

function knowledgeOf({ id }: Agent, signal: AbortSignal, trouble: Trouble): HTMLElement {
  const path = `agents/${id}/knowledge-bases`;
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
  let round = new AbortController();
  function look(): void {
    round.abort();
    round = new AbortController();
    const here = AbortSignal.any([signal, round.signal]);
    let isBusy = false;
    const work = async (): Promise<void> => {
      const { data, meta } = await ask<ListOf<KnowledgeBase>>('GET', path, { query: { per_page: MOST }, signal: here });
      isBusy = data.some(({ status, stage }) => status === 'pending' || status === 'processing' || stage !== null);
      show(data);
      fill(count, plural(meta.total, 'source'));
    };
    void poll({
      signal: here,
      work,
      every: () => (isBusy ? BUSY_MS : CALM_MS),
      onTrouble: (error) => trouble.show(error),
    });
  }
  look();
  return h(
    'div',
    { class: 'with-aside' },
    h(
      'div',
      { class: 'main-column stack' },
      section('Try a search', { name: 'search' }, trySearch(path, signal)),
      section('Sources', { name: 'sources', aside: count }, list),
    ),
    h('aside', { 'aria-label': 'Add knowledge' }, addKnowledge(path, signal, look)),
  );
}

const nothing = (path: string): HTMLElement =>
  emptyState(
    'book',
    'Nothing to look up yet',
    h('p', null, 'Add a file, a web page or some text. From a program:'),
    commandLine(curlUpload(path, 'Price list', 'price-list.csv')),
  );
