import { isSegment } from './api-path.js';
import { fill, h } from './dom.js';
import { messageOf } from './api.js';

export interface Page {
  title: string;
  node: HTMLElement;
}

export interface Visit {
  /** What the `:name`s of the path are. */
  params: Readonly<Record<string, string>>;
  /** Aborts when the page is left: whatever the page started ends with it. */
  signal: AbortSignal;
}

export type Route = [path: string, open: (visit: Visit) => Page];

/** Shows the page of the fragment (`#/calls/…`) in `outlet`, now and whenever it changes. */
export function startRouter(outlet: HTMLElement, routes: readonly Route[], onPage: (path: string) => void): () => void {
  let leaving = new AbortController();
  let isFirst = true;
  const show = (): void => {
    leaving.abort();
    leaving = new AbortController();
    const path = location.hash.slice(1).split('?')[0] || '/calls';
    const { title, node } = pageOf(routes, path, leaving.signal);
    document.title = `${title} · Trunkline`;
    fill(outlet, node);
    onPage(path);
    // After a link the focus moves to the heading; the first page begins at the top.
    if (!isFirst) focusHeading(node);
    isFirst = false;
    window.scrollTo(0, 0);
  };
  window.addEventListener('hashchange', show);
  show();
  return () => {
    leaving.abort();
    window.removeEventListener('hashchange', show);
  };
}

function pageOf(routes: readonly Route[], path: string, signal: AbortSignal): Page {
  for (const [pattern, open] of routes) {
    try {
      const params = paramsOf(pattern, path);
      if (!params) continue;
      return open({ params, signal });
    } catch (error) {
      return { title: 'Trouble', node: h('p', { role: 'alert' }, messageOf(error)) };
    }
  }
  const back = h('p', null, 'There is no such page. ', h('a', { href: '#/calls' }, 'Go to the calls.'));
  return { title: 'Not found', node: h('section', null, h('h1', null, 'Not found'), back) };
}

/** undefined when the path is another. */
function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!part.startsWith(':') && part !== value) return undefined;
    if (!part.startsWith(':')) continue;
    const param = decodeURIComponent(value);
    if (!isSegment(param)) return undefined;
    params[part.slice(1)] = param;
  }
  return params;
}

function focusHeading(node: HTMLElement): void {
  const heading = node.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
}
