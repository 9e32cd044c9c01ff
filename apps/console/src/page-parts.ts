import { type Child, h, newId } from './dom.js';
import { icon } from './icons.js';
import { clock, localTime, utc, words } from './format.js';

/** A card with a heading. `aside`: content beside the heading. */
export function section(
  title: string,
  { aside, name }: { aside?: Child; name: string },
  ...children: Child[]
): HTMLElement {
  const id = newId(name);
  return h(
    'section',
    { class: `card part part-${name}`, 'aria-labelledby': id, 'data-part': name },
    h('header', { class: 'split' }, h('h2', { id }, title), aside),
    ...children,
  );
}

/** A link back to the list. */
export const backLink = (href: string, label: string): HTMLElement =>
  h('a', { class: 'back', href }, icon('back'), label);

/** A list of names with values. */
export const facts = (all: readonly (readonly [name: string, value: Child])[], kind = ''): HTMLElement =>
  h(
    'dl',
    { class: `facts ${kind}`.trim() },
    all.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
  );

/** A value as indented JSON under a small heading. */
export const jsonBlock = (title: string, value: unknown): HTMLElement =>
  h(
    'div',
    { class: 'json' },
    h('h4', null, title),
    h(
      'pre',
      { tabindex: 0, role: 'region', 'aria-label': title },
      h('code', null, JSON.stringify(value, null, 2) ?? 'null'),
    ),
  );

/** A time in the zone of the browser; its tooltip shows UTC. */
export const timeOf = (iso: string): HTMLTimeElement => h('time', { datetime: iso, title: utc(iso) }, localTime(iso));

/** A counter of the time since `since`. */
export const running = (since: string): HTMLElement =>
  h('span', { class: 'running', 'data-since': since }, clock(secondsSince(since)));

const secondsSince = (iso: string): number => (Date.now() - Date.parse(iso)) / 1_000;

const TICK_MS = 1_000;

/** Updates all counters for the life of the page. */
export function startClock(): void {
  setInterval(() => {
    for (const element of document.querySelectorAll<HTMLElement>('[data-since]'))
      element.textContent = clock(secondsSince(element.dataset['since'] ?? ''));
  }, TICK_MS);
}

/** Colour tone of each status; the label always shows the word as well. */
const TONES: Record<string, string> = {
  pending: 'idle',
  ringing: 'wait',
  in_progress: 'live',
  completed: 'good',
  failed: 'bad',
  cut_off: 'bad',
  busy: 'wait',
  no_answer: 'wait',
  cancelled: 'idle',
  processing: 'live',
  up: 'good',
  down: 'bad',
  unknown: 'idle',
  succeeded: 'good',
  delivered: 'good',
  queued: 'idle',
  slow: 'wait',
  dead: 'bad',
  refused: 'bad',
};

export const pill = (status: string, label = words(status)): HTMLElement =>
  h('span', { class: `pill ${TONES[status] ?? 'idle'}`, 'data-status': status }, label);
