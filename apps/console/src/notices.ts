import { messageOf } from './api.js';
import { type Child, fill, h } from './dom.js';
import { type Icon, icon } from './icons.js';

/** A place for what went wrong; empty while all is well. Read out when it fills. */
export class Trouble {
  readonly node = h('div', { class: 'trouble', role: 'alert' });

  show(error: unknown): void {
    if (error === undefined) return this.clear();
    fill(this.node, icon('warn'), h('p', null, messageOf(error)));
  }

  clear(): void {
    this.node.replaceChildren();
  }
}

/** What stands where there is nothing yet: what it would be, and how to get it. */
export const emptyState = (name: Icon, title: string, ...children: Child[]): HTMLElement =>
  h('div', { class: 'empty' }, icon(name), h('h3', null, title), ...children);

/** For the time until the first answer. */
export const waiting = (what: string): HTMLElement => h('p', { class: 'waiting' }, `Loading ${what}…`);

/** Removes the note of `waiting` after a failure. */
export const stopWaiting = (place: HTMLElement): void => place.querySelector('.waiting')?.remove();
