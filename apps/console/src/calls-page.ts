import { announce, emptyState, stopWaiting, Trouble, waiting } from './notices.js';
import { apiPath } from './api-path.js';
import { ask, curl } from './api.js';
import { callRow } from './call-row.js';
import { commandLine } from './buttons.js';
import { dialBox } from './dial-box.js';
import { fill, h } from './dom.js';
import { plural, words } from './format.js';
import { option } from './forms.js';
import { icon } from './icons.js';
import { keyedList, PageSteps } from './lists.js';
import { poll } from './poll.js';
import type { Page, Visit } from './router.js';
import { type Call, isLive, type ListOf } from './types.js';

const PER_PAGE = 25;
const LIVE_MS = 1_500;
const CALM_MS = 5_000;
const TYPING_MS = 300;
const STATUSES = ['pending', 'ringing', 'in_progress', 'completed', 'busy', 'no_answer', 'failed', 'cancelled'];

interface Wanted {
  status: string;
  direction: string;
  search: string;
  page: number;
}

export function openCalls({ signal }: Visit): Page {
  const view = new CallsView(signal);
  view.look();
  return { title: 'Calls', node: view.node };
}

/** The list of calls with its filters, read again while the page is open. */
class CallsView {
  private readonly wanted: Wanted = { status: '', direction: '', search: '', page: 1 };
  private readonly list = h('ul', { class: 'rows calls', 'aria-label': 'Calls' });
  private readonly summary = h('div', { class: 'muted', 'data-role': 'summary' }, waiting('calls'));
  private readonly pages = new PageSteps('Pages of calls', (page) => this.again({ page }));
  private readonly trouble = new Trouble();
  private readonly show = keyedList<Call>(this.list, {
    keyOf: (call) => call.call_id,
    make: callRow,
    empty: () => nothing(this.wanted),
  });
  /** Ends the polling of the previous filters. */
  private round = new AbortController();
  private calls: Call[] = [];
  private statuses = new Map<string, string>();
  readonly node: HTMLElement;

  constructor(private readonly signal: AbortSignal) {
    this.node = h(
      'div',
      { class: 'page with-aside' },
      h(
        'section',
        { class: 'main-column' },
        h('header', { class: 'page-head' }, h('h1', null, 'Calls'), this.summary),
        filters((change) => this.again(change)),
        this.trouble.node,
        this.list,
        this.pages.node,
      ),
      h('aside', { 'aria-label': 'Place a call' }, dialBox(signal)),
    );
  }

  private again(change: Partial<Wanted>): void {
    Object.assign(this.wanted, { page: 1 }, change);
    this.look();
  }

  /** Reads the list for the current filters, and again until the page is left. */
  look(): void {
    this.round.abort();
    this.round = new AbortController();
    const signal = AbortSignal.any([this.signal, this.round.signal]);
    this.calls = [];
    void poll({
      signal,
      work: () => this.read(signal),
      every: () => (this.calls.some(isLive) ? LIVE_MS : CALM_MS),
      onTrouble: (error) => {
        this.trouble.show(error);
        stopWaiting(this.summary);
      },
    });
  }

  private async read(signal: AbortSignal): Promise<void> {
    const query = { ...this.wanted, per_page: PER_PAGE };
    const answer = await ask<ListOf<Call>>('GET', apiPath`calls`, { query, signal });
    this.calls = answer.data;
    this.statuses = announceChanges(this.statuses, this.calls);
    this.show(this.calls);
    fill(this.summary, summaryOf(answer));
    this.pages.show(answer);
  }
}

function summaryOf({ data, meta }: ListOf<Call>): (string | HTMLElement)[] {
  const live = data.filter(isLive).length;
  const total = `${meta.total_is_estimate ? 'about ' : ''}${plural(meta.total, 'call')}`;
  return live > 0 ? [h('span', { class: 'live-dot' }), `${live} live · ${total}`] : [total];
}

function filters(again: (change: Partial<Wanted>) => void): HTMLElement {
  const status = h(
    'select',
    { 'aria-label': 'Status', onchange: () => again({ status: status.value }) },
    option('', 'Any status'),
    STATUSES.map((one) => option(one, words(one))),
  );
  const direction = h(
    'select',
    { 'aria-label': 'Direction', onchange: () => again({ direction: direction.value }) },
    option('', 'Both directions'),
    option('outbound', 'Outbound'),
    option('inbound', 'Inbound'),
  );
  let typing: ReturnType<typeof setTimeout> | undefined;
  const search = h('input', { type: 'search', placeholder: 'Number, SIP URI or call id', 'aria-label': 'Search' });
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => again({ search: search.value.trim() }), TYPING_MS);
  });
  return h(
    'div',
    { class: 'filters', role: 'search' },
    h('div', { class: 'search-box' }, icon('search'), search),
    status,
    direction,
  );
}

/** Announces new statuses of calls that were in the list before. */
function announceChanges(before: Map<string, string>, calls: readonly Call[]): Map<string, string> {
  const changed = calls.filter(({ call_id, status }) => before.has(call_id) && before.get(call_id) !== status);
  if (changed.length > 0)
    announce(changed.map(({ to_number, status }) => `Call to ${to_number}: ${words(status)}.`).join(' '));
  return new Map(calls.map(({ call_id, status }) => [call_id, status]));
}

function nothing({ status, direction, search }: Wanted): HTMLElement {
  if (status || direction || search)
    return h('li', null, emptyState('search', 'No such calls', h('p', null, 'None of your calls fits these filters.')));
  const body = { agent_id: 1, number_id: 1, to_number: 'sip:answer@127.0.0.1:5070' };
  return h(
    'li',
    null,
    emptyState(
      'phone',
      'No calls yet',
      h('p', null, 'Place one with the box on this page, or from a program:'),
      commandLine(curl('POST', apiPath`calls`, body)),
    ),
  );
}
