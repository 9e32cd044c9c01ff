import { messageOf } from './api.js';
import { type Child, fill, h } from './dom.js';
import { type Icon, icon } from './icons.js';
import type { Page } from './router.js';

/** A place for an error message; screen readers announce it when it appears. */
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

/** A placeholder for an empty list: what it will show, and how to fill it. */
export const emptyState = (name: Icon, title: string, ...children: Child[]): HTMLElement =>
  h('div', { class: 'empty' }, icon(name), h('h3', null, title), ...children);

/** A note until the first response arrives. */
export const waiting = (what: string): HTMLElement => h('p', { class: 'waiting' }, `Loading ${what}…`);

/** Removes the note of `waiting` after a failure. */
export const stopWaiting = (place: HTMLElement): void => place.querySelector('.waiting')?.remove();

const region = h('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });

/** The live region for screen readers; it stays while pages change. */
export const announcer = (): HTMLElement => region;

/** Announces a change to users of screen readers. */
export function announce(sentence: string): void {
  region.textContent = sentence;
}

interface Place {
  body: HTMLElement;
  trouble: Trouble;
  signal: AbortSignal;
}

/** Fills `body` with the loaded content, or shows the error, unless the page was left. */
export function showLoaded({ body, trouble, signal }: Place, loading: Promise<Child>): void {
  loading
    .then((content) => fill(body, content))
    .catch((error: unknown) => {
      if (signal.aborted) return;
      body.replaceChildren();
      trouble.show(error);
    });
}

interface Loading {
  title: string;
  /** The heading, shown at once. */
  head: HTMLElement;
  /** The awaited data. */
  what: string;
  signal: AbortSignal;
  load: (trouble: Trouble) => Promise<Child>;
}

/** A page with a heading whose content is loaded. */
export function loadedPage({ title, head, what, signal, load }: Loading): Page {
  const trouble = new Trouble();
  const body = h('div', null, waiting(what));
  showLoaded({ body, trouble, signal }, load(trouble));
  return { title, node: h('div', { class: 'page' }, head, trouble.node, body) };
}
