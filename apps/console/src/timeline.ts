import { statusWords } from './call-status.js';
import { conversationOf, type Entry } from './conversation.js';
import { span, wordless } from './format.js';
import type { Call, CallEvent, Diagnostics } from './types.js';
import { h } from './dom.js';
import { keyedList } from './lists.js';

type Source = 'call' | 'sip' | 'agent';

interface Moment {
  key: string;
  source: Source;
  /** Milliseconds since 1970. */
  at: number;
  text: string;
}

/** All statuses, SIP messages and conversation entries of a call, sorted by time. */
export function timelineOf(call: Call, events: readonly CallEvent[], diagnostics: Diagnostics | undefined): Moment[] {
  const answered = Date.parse(call.answered_at ?? call.started_at ?? call.created_at);
  const statuses = events
    .filter(({ type }) => type === 'status')
    .map(({ seq, at, data }): Moment => ({
      key: `s${seq}`,
      source: 'call',
      at: Date.parse(at),
      text: statusText(data),
    }));
  const said = conversationOf(events).map((entry): Moment => ({
    key: entry.key,
    source: 'agent',
    at: answered + entry.atMs,
    text: sentence(entry, call),
  }));
  const signals = (diagnostics?.legs ?? []).flatMap(({ leg, ladder }) =>
    ladder.map((step, index): Moment => {
      const again = step.retransmissions > 0 ? ` (sent ${step.retransmissions + 1} times)` : '';
      const text = `${step.direction === 'out' ? '→' : '←'} ${step.summary}${again}`;
      return { key: `l${leg}-${index}`, source: 'sip', at: Date.parse(step.at), text };
    }),
  );
  return [...statuses, ...signals, ...said].toSorted((one, other) => one.at - other.at);
}

function statusText(data: CallEvent['data']): string {
  const cause = typeof data['hangup_cause'] === 'string' ? data['hangup_cause'] : undefined;
  const by = typeof data['ended_by'] === 'string' ? `, ended by ${data['ended_by']}` : '';
  return `${statusWords(String(data['status']), cause)}${by}`;
}

function sentence(entry: Entry, { direction }: Call): string {
  const far = direction === 'inbound' ? 'Caller' : 'Callee';
  switch (entry.kind) {
    case 'turn': {
      const name = entry.role === 'agent' ? 'Agent' : far;
      const length = wordless(entry.text);
      return `${name}: ${length === undefined ? `“${entry.text}”` : `speech of ${length}`}${entry.cutBy === undefined ? '' : ', interrupted'}`;
    }
    case 'speaking':
      return `${entry.role === 'agent' ? 'Agent' : far} is speaking`;
    case 'tool':
      return `Tool ${entry.name} ${entry.ok ? 'ran' : 'failed'} in ${span(entry.tookMs)}`;
    case 'search':
      return `Searched the knowledge bases for “${entry.query}”`;
    case 'keys':
      return `${entry.sent ? 'Agent' : far} pressed ${entry.digits}`;
  }
  return entry.text;
}

const SOURCES: [Source | 'all', string][] = [
  ['all', 'Everything'],
  ['call', 'Status'],
  ['sip', 'SIP'],
  ['agent', 'Agent'],
];
const LABELS: Record<Source, string> = { call: 'Status', sip: 'SIP', agent: 'Agent' };

interface Shown extends Moment {
  offset: string;
}

/** All moments of a call, or those of one source. */
export class TimelineView {
  private moments: readonly Moment[] = [];
  private only: Source | 'all' = 'all';
  private readonly list = h('ol', { class: 'timeline', tabindex: 0, 'aria-label': 'Timeline' });
  private readonly chips: HTMLElement[];
  readonly node: HTMLElement;
  private readonly update = keyedList<Shown>(this.list, { keyOf: (one) => one.key, make: item });

  constructor() {
    this.chips = SOURCES.map(([source, label]) =>
      h('button', { type: 'button', class: 'chip', 'data-source': source, onclick: () => this.choose(source) }, label),
    );
    this.node = h(
      'div',
      null,
      h('div', { class: 'chips', role: 'group', 'aria-label': 'Show' }, this.chips),
      this.list,
    );
    this.choose('all');
  }

  show(moments: readonly Moment[]): void {
    this.moments = moments;
    const began = moments[0]?.at ?? 0;
    const chosen = moments.filter(({ source }) => this.only === 'all' || source === this.only);
    this.update(chosen.map((one) => ({ ...one, offset: ((one.at - began) / 1_000).toFixed(3) })));
  }

  private choose(source: Source | 'all'): void {
    this.only = source;
    for (const chip of this.chips) chip.setAttribute('aria-pressed', String(chip.dataset['source'] === source));
    this.show(this.moments);
  }
}

const item = ({ source, offset, text, at }: Shown): HTMLElement =>
  h(
    'li',
    { class: `moment ${source}` },
    h('time', { class: 'offset', datetime: new Date(at).toISOString(), title: new Date(at).toISOString() }, offset),
    h('span', { class: 'source' }, LABELS[source]),
    h('span', { class: 'text' }, text),
  );
