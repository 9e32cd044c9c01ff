import { isSegment } from './api-path.js';
import { fill, h } from './dom.js';
import { messageOf } from './api.js';

export interface Page {
  title: string;
  node: HTMLElement;
}

export interface Visit {
  /** Values of the `:name` segments of the path. */
  params: Readonly<Record<string, string>>;
  /** Aborts when the user leaves the page; ends everything that the page started. */
  signal: AbortSignal;
}

export type Route = [path: string, open: (visit: Visit) => Page];

/** Shows the page of the fragment (`#/calls/…`) in `outlet`, now and after each change. */
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
    // After navigation the focus moves to the heading; the first page starts at the top.
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
  const back = h('p', null, 'There is no such page. ', h('a', { href: '#/calls' }, 'Back to the calls.'));
  return { title: 'Not found', node: h('section', null, h('h1', null, 'Not found'), back) };
}

/** undefined when the path does not match. */
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
