import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentType, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isSegment } from '../api/path.js';
import { words } from '../logic/format.js';
import { mayRead, refusalOfPlace } from '../api/me.js';
import { closeDialog } from './dialog.js';
import { Choice, type ChoiceParts } from './forms.js';
import { Page, Trouble } from './parts.js';
import { mayLeave } from './unsaved-edits.js';

/** Values of the `:name` segments of the path. */
export type Params = Readonly<Record<string, string>>;

export type Route = [path: string, page: ComponentType<{ params: Params }>];

interface Place {
  path: string;
  query: URLSearchParams;
}

function placeOfAddress(): Place {
  const [path = '', query = ''] = location.hash.slice(1).split('?');
  return { path: path === '' || path === '/' ? '/overview' : path, query: new URLSearchParams(query) };
}

const current = signal(placeOfAddress());

/** Takes the address as it is now: `history.replaceState` sends no event. */
export const readAddress = (): void => void (current.value = placeOfAddress());

interface Entry {
  /** Number of the entry in the history of the tab. */
  index: number;
}

const indexOfEntry = (): number | undefined => (history.state as Entry | null)?.index;

/** The entry that is shown: how far to go back when a page is not left. */
let position = indexOfEntry() ?? 0;
if (indexOfEntry() === undefined) history.replaceState({ index: position } satisfies Entry, '');

/** Changes the address without an event; the entry of the history keeps its number. */
export const replaceAddress = (address: string): void => history.replaceState(history.state, '', address);

/** Follows a link, the back button or a typed address, unless the page has unsaved edits: then the person decides. */
function follow(): void {
  const known = indexOfEntry();
  const index = known ?? position + 1;
  if (known === undefined) history.replaceState({ index } satisfies Entry, '');
  const steps = index - position;
  const to = placeOfAddress();
  if (steps !== 0 && to.path !== current.value.path && !mayLeave(() => history.go(steps))) return history.go(-steps);
  position = index;
  current.value = to;
}
window.addEventListener('hashchange', follow);

/** The place in the fragment of the address (`#/calls?status=failed`). */
export const place: ReadonlySignal<Place> = current;

/** Writes the query of the address; an empty value removes its name. The page stays. `step`: the back button undoes the change. */
export function setQuery(changes: Readonly<Record<string, string>>, kind: 'same' | 'step' = 'same'): void {
  const { path, query: before } = placeOfAddress();
  const query = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changes))
    if (value === '') query.delete(name);
    else query.set(name, value);
  const text = query.toString();
  const address = `#${path}${text && `?${text}`}`;
  if (kind === 'step') history.pushState({ index: (position += 1) } satisfies Entry, '', address);
  else replaceAddress(address);
  readAddress();
}

/** The page of a list, kept in the address. */
export const pageOfAddress = (): { page: number; turnTo: (page: number) => void } => ({
  page: Number(place.value.query.get('page') ?? 1) || 1,
  turnTo: (to) => setQuery({ page: to > 1 ? String(to) : '' }),
});

/** A day of the address at a time of day in the time zone of the browser, as the API reads it. */
export function momentOf(day: string | null, time: string): string | undefined {
  const date = new Date(`${day}T${time}`);
  return day === null || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

interface QueryChoiceParts {
  /** Name in the address. */
  name: string;
  label: string;
  options: ChoiceParts['options'];
}

/** A select that filters the list of the page by the address. */
export const QueryChoice = ({ name, label, options }: QueryChoiceParts): VNode => (
  <Choice
    aria-label={label}
    options={options}
    selected={place.value.query.get(name) ?? ''}
    onChange={(value) => setQuery({ [name]: value, page: '' })}
  />
);

/** The first and the last day of a list, kept in the address. */
export const Days = (): VNode => (
  <div class="days">
    {(['from', 'to'] as const).map((name) => (
      <label key={name}>
        {name === 'from' ? 'From' : 'To'}
        <input
          type="date"
          value={place.value.query.get(name) ?? ''}
          onChange={(event) => setQuery({ [name]: event.currentTarget.value, page: '' })}
        />
      </label>
    ))}
  </div>
);

/** Shows the page of the address. */
export function Outlet({ routes }: { routes: readonly Route[] }): VNode {
  const { path } = place.value;
  const outlet = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    // After navigation the focus moves to the heading; the first page starts at the top.
    if (!isFirst.current) focusHeading(outlet.current);
    isFirst.current = false;
    closeDialog();
    window.scrollTo(0, 0);
  }, [path]);
  const [Shown, params] = mayRead(path) ? pageOf(routes, path) : [Refused, {}];
  return (
    <main ref={outlet} id="main" tabIndex={-1}>
      <Shown key={path} params={params} />
    </main>
  );
}

/** Nothing is requested that the API would refuse. */
const Refused = (): VNode => (
  <Page title={words(place.value.path.split('/')[1] ?? '')}>
    <Trouble error={new Error(refusalOfPlace(place.value.path))} />
  </Page>
);

const NotFound = (): VNode => (
  <Page title="Not found">
    <p>
      This page does not exist. <a href="#/overview">Go to the overview.</a>
    </p>
  </Page>
);

function pageOf(routes: readonly Route[], path: string): [Route[1], Params] {
  for (const [pattern, page] of routes) {
    const params = paramsOf(pattern, path);
    if (params) return [page, params];
  }
  return [NotFound, {}];
}

/** undefined when the path does not match. */
function paramsOf(pattern: string, path: string): Params | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!part.startsWith(':') && part !== value) return undefined;
    if (!part.startsWith(':')) continue;
    const param = decoded(value);
    if (!isSegment(param)) return undefined;
    params[part.slice(1)] = param;
  }
  return params;
}

/** An empty text, which is not a segment, for a wrong encoding. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return '';
    throw error;
  }
}

function focusHeading(outlet: HTMLElement | null): void {
  const heading = outlet?.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
}
