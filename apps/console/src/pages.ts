import { h } from './dom.js';
import type { ListOf } from './types.js';

/** Steps through a list of more than one page; nothing where all of it is there. */
export function pageSteps({ meta }: ListOf<unknown>, go: (page: number) => void): HTMLElement[] {
  if (meta.last_page <= 1 && meta.current_page === 1) return [];
  const step = (label: string, page: number, isThere: boolean): HTMLElement =>
    h('button', { type: 'button', disabled: !isThere, onclick: () => go(page) }, label);
  const { current_page: page, last_page: last } = meta;
  return [
    step('Newer', page - 1, page > 1),
    h('span', { class: 'muted' }, `Page ${page} of ${last}`),
    step('Older', page + 1, page < last),
  ];
}
