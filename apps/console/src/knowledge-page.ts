import { agentPage } from './agent-page.js';
import { type ApiPath, apiPath } from './api-path.js';
import { ask } from './api.js';
import { commandLine } from './buttons.js';
import { curlUpload } from './curl.js';
import { fill, h } from './dom.js';
import { plural } from './format.js';
import { keyedList } from './keyed-list.js';
import { addKnowledge } from './knowledge-add.js';
import { knowledgeItem } from './knowledge-item.js';
import { emptyState, stopWaiting, type Trouble, waiting } from './notices.js';
import { PageSteps } from './pages.js';
import { poll } from './poll.js';
import { section } from './page-parts.js';
import type { Agent, KnowledgeBase, ListOf, Passage } from './types.js';
import { announce } from './announce.js';
import { field, form } from './forms.js';
import { passageView } from './passage-view.js';

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
  const sources = new SourceList(id, path, signal, trouble);
  sources.look();
  return h(
    'div',
    { class: 'with-aside' },
    h(
      'div',
      { class: 'main-column stack' },
      section('Try a search', { name: 'search' }, trySearch(path, signal)),
      section('Sources', { name: 'sources', aside: sources.count }, sources.list, sources.pages.node),
    ),
    h(
      'aside',
      { 'aria-label': 'Add knowledge' },
      addKnowledge(path, signal, () => sources.turnTo(1)),
    ),
  );
}

/** The knowledge bases of an agent, read again while the page is open. */
class SourceList {
  readonly list = h(
    'ul',
    { class: 'rows knowledge', 'aria-label': 'Knowledge bases' },
    h('li', null, waiting('knowledge bases')),
  );
  readonly count = h('span', { class: 'muted' });
  readonly pages = new PageSteps('Pages of sources', (page) => this.turnTo(page));
  private readonly show: (all: KnowledgeBase[]) => void;
  private page = 1;
  private isBusy = false;
  /** Ends the polling of the previous page. */
  private round = new AbortController();

  constructor(
    agentId: number,
    private readonly path: ApiPath,
    private readonly signal: AbortSignal,
    private readonly trouble: Trouble,
  ) {
    this.show = keyedList<KnowledgeBase>(this.list, {
      keyOf: (one) => String(one.id),
      make: (one) =>
        knowledgeItem(one, { path, edit: `#/knowledge/${agentId}/${one.id}`, onChange: () => this.look() }),
      empty: () => h('li', null, nothing(path)),
    });
  }

  turnTo(page: number): void {
    this.page = page;
    this.look();
  }

  /** Reads the current page, and again until the page is left. */
  look(): void {
    this.round.abort();
    this.round = new AbortController();
    const signal = AbortSignal.any([this.signal, this.round.signal]);
    this.isBusy = false;
    void poll({
      signal,
      work: () => this.read(signal),
      every: () => (this.isBusy ? BUSY_MS : CALM_MS),
      onTrouble: (error) => {
        this.trouble.show(error);
        stopWaiting(this.list);
      },
    });
  }

  private async read(signal: AbortSignal): Promise<void> {
    const query = { per_page: PER_PAGE, page: this.page };
    const answer = await ask<ListOf<KnowledgeBase>>('GET', this.path, { query, signal });
    const { data, meta } = answer;
    if (this.page > meta.last_page) return this.turnTo(meta.last_page);
    this.isBusy = data.some(({ status, stage }) => status === 'pending' || status === 'processing' || stage !== null);
    this.show(data);
    fill(this.count, plural(meta.total, 'source'));
    this.pages.show(answer);
  }
}

const nothing = (path: ApiPath): HTMLElement =>
  emptyState(
    'book',
    'Nothing to look up yet',
    h('p', null, 'Add a file, a web page or some text. From a program:'),
    commandLine(curlUpload(path, 'Price list', 'price-list.csv')),
  );

/** Finds what the agent would be given for a question. */
function trySearch(path: ApiPath, signal: AbortSignal): HTMLElement {
  const input = h('input', {
    type: 'search',
    name: 'query',
    placeholder: 'How long do I have to return something?',
    autocomplete: 'off',
  });
  const found = h('div', { class: 'found' });
  const send = async (): Promise<void> => {
    const query = input.value.trim();
    const began = performance.now();
    const { data } = await ask<{ data: Passage[] }>('POST', apiPath`${path}/search`, { body: { query }, signal });
    const ms = Math.round(performance.now() - began);
    const summary = data.length === 0 ? 'Nothing fits.' : `${plural(data.length, 'passage')} in ${ms} ms`;
    announce(summary);
    fill(
      found,
      h('p', { class: 'muted small' }, summary),
      h(
        'ol',
        { class: 'passages' },
        data.map((passage) => h('li', null, passageView(passage, query))),
      ),
    );
  };
  return h(
    'div',
    null,
    form(
      { label: 'Try a search', submit: 'Search', busy: 'Searching…', send, class: 'inline-form' },
      field({ name: 'query', label: 'Question', input }),
    ),
    found,
  );
}
