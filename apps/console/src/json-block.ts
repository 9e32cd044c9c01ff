import { h } from './dom.js';

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
