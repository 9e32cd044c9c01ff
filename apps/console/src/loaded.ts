import { type Child, fill, h } from './dom.js';
import { Trouble, waiting } from './notices.js';
import type { Page } from './router.js';

interface Place {
  body: HTMLElement;
  trouble: Trouble;
  signal: AbortSignal;
}

/** Fills `body` with what was asked for, or says what went wrong, if the page is still there. */
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
  /** What stands there from the beginning, with the heading. */
  head: HTMLElement;
  /** The awaited data. */
  what: string;
  signal: AbortSignal;
  load: (trouble: Trouble) => Promise<Child>;
}

/** A page under a heading, of which all else has to be asked for. */
export function loadedPage({ title, head, what, signal, load }: Loading): Page {
  const trouble = new Trouble();
  const body = h('div', null, waiting(what));
  showLoaded({ body, trouble, signal }, load(trouble));
  return { title, node: h('div', { class: 'page' }, head, trouble.node, body) };
}
