import { h } from './dom.js';
import { icon } from './icons.js';

/** Leads to the list that something is of. */
export const backLink = (href: string, label: string): HTMLElement =>
  h('a', { class: 'back', href }, icon('back'), label);
