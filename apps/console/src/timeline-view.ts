import { h } from './dom.js';
import { keyedList } from './keyed-list.js';
import type { Moment, Source } from './timeline.js';

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
