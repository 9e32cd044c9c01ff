import { agentPage, recordPage } from './agent-page.js';
import { type ApiPath, apiPath } from './api-path.js';
import { ask, curlUpload } from './api.js';
import { commandLine } from './buttons.js';
import { fill, h, styled } from './dom.js';
import { bytes, plural, words } from './format.js';
import { keyedList, PageSteps, recordActions } from './lists.js';
import { addKnowledge } from './knowledge-add.js';
import { announce, emptyState, stopWaiting, type Trouble, waiting } from './notices.js';
import { poll } from './poll.js';
import { pill, section, timeOf } from './page-parts.js';
import type { Agent, KnowledgeBase, KnowledgeBaseChanges, ListOf, Passage } from './types.js';
import { field, form } from './forms.js';
import { passageView } from './passage-view.js';
import type { Page, Visit } from './router.js';

const BUSY_MS = 700;
const CALM_MS = 10_000;
const PER_PAGE = 25;

export const openKnowledge = agentPage({
  title: 'Knowledge',
  lead: 'Documents that agents search during a call.',
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
        knowledgeItem(one, {
          agentId,
          path,
          edit: `#/knowledge/${agentId}/${one.id}`,
          onChange: () => this.look(),
        }),
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
    'No knowledge yet',
    h('p', null, 'Add a file, a web page or some text. From a program:'),
    commandLine(curlUpload(path, 'Price list', 'price-list.csv')),
  );

/** A form that shows the passages that the agent would receive for a question. */
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
    const summary = data.length === 0 ? 'No results.' : `${plural(data.length, 'passage')} in ${ms} ms`;
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

interface Parts {
  agentId: number;
  path: ApiPath;
  /** Address of the page that edits it. */
  edit: string;
  /** Called after a change: switched, reprocessed or deleted. */
  onChange: () => void;
}

/** One knowledge base of the list. */
function knowledgeItem(one: KnowledgeBase, { agentId, path, edit, onChange }: Parts): HTMLElement {
  const isBusy = one.status === 'pending' || one.status === 'processing';
  const own = apiPath`${path}/${one.id}`;
  const again = { label: one.source_type === 'url' ? 'Fetch again' : 'Read again', path: apiPath`${own}/reprocess` };
  return h(
    'li',
    { class: 'row knowledge-row', 'data-knowledge': one.id },
    h('div', { class: 'split' }, h('strong', null, one.title), pill(one.status)),
    h('p', { class: 'muted small' }, ...factsOf(one)),
    isBusy || one.stage !== null ? progressOf(one) : null,
    one.processing_error === null ? null : h('p', { class: 'field-error' }, one.processing_error),
    one.quality === 'suspect' ? h('p', { class: 'field-error' }, one.quality_reason ?? '') : null,
    ...(one.agent_id === agentId
      ? recordActions(
          { path: own, edit, title: one.title, isActive: one.is_active, onChange },
          one.source_type === 'text' || isBusy ? undefined : again,
        )
      : [sharedBy(one.agent_id)]),
  );
}

/** Only the owning agent can change a shared knowledge base. */
const sharedBy = (agentId: number): HTMLElement =>
  h('p', { class: 'muted small' }, 'Shared by ', h('a', { href: `#/knowledge/${agentId}` }, `agent ${agentId}`), '.');

function factsOf({
  source_type,
  source_reference,
  file_name,
  file_size,
  word_count,
  chunk_count,
  updated_at,
}: KnowledgeBase): (Node | string)[] {
  const source =
    source_type === 'file' ? [file_name, file_size !== null && bytes(file_size)] : [source_reference ?? 'Text'];
  const size = chunk_count > 0 ? [plural(word_count, 'word'), plural(chunk_count, 'passage')] : [];
  return [[...source, ...size].filter(Boolean).join(' · '), ' · ', timeOf(updated_at)];
}

function progressOf({ stage, progress, title }: KnowledgeBase): HTMLElement {
  const label = stage === null ? 'Waiting for a worker' : words(stage);
  return h(
    'div',
    { class: 'progress-line' },
    h(
      'div',
      {
        class: 'progress',
        role: 'progressbar',
        'aria-label': `${title}: ${label}`,
        'aria-valuenow': progress,
        'aria-valuemin': 0,
        'aria-valuemax': 100,
      },
      styled(h('span', null), { width: `${progress}%` }),
    ),
    h('span', { class: 'muted small' }, `${label} ${progress} %`),
  );
}

/** The page that edits a knowledge base: its title and, for texts, the content. */
export function openKnowledgeBase({ params, signal }: Visit): Page {
  const { agent = '', id = '' } = params;
  const path = apiPath`agents/${agent}/knowledge-bases/${id}`;
  const back = `#/knowledge/${agent}`;
  const load = async (): Promise<HTMLElement> => {
    const { data } = await ask<{ data: KnowledgeBase }>('GET', path, { signal });
    return changeForm(data, path, back);
  };
  return recordPage({ title: 'Edit source', back, backLabel: 'Knowledge', what: 'the source', load }, signal);
}

function changeForm(one: KnowledgeBase, path: ApiPath, back: string): HTMLElement {
  const title = h('input', { name: 'title', maxlength: 255, autocomplete: 'off', value: one.title });
  const content = h('textarea', { name: 'content', rows: 16 });
  content.value = one.content ?? '';
  const isText = one.source_type === 'text';
  const send = async (): Promise<void> => {
    const body: KnowledgeBaseChanges = { title: title.value, ...(isText && { content: content.value }) };
    await ask('PATCH', path, { body });
    announce(`${title.value} was changed.`);
    location.hash = back;
  };
  return form(
    { label: 'Edit source', class: 'card stack', submit: 'Save', busy: 'Saving…', send, cancel: back },
    field({ name: 'title', label: 'Title', input: title }),
    isText
      ? field({
          name: 'content',
          label: 'Text',
          input: content,
          hint: 'Plain text or Markdown. Searches use the old text until you save.',
        })
      : h(
          'p',
          { class: 'hint' },
          `From ${one.source_reference ?? one.file_name ?? ''}. To use another source, add a new one.`,
        ),
  );
}
