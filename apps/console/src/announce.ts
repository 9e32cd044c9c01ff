import { h } from './dom.js';

const region = h('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });

/** Where screen readers listen; stays while pages change. */
export const announcer = (): HTMLElement => region;

/** Says a sentence to those who cannot see what changed. */
export function announce(sentence: string): void {
  region.textContent = sentence;
}
