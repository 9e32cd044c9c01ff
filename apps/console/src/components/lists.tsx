import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type ApiPath } from '../api/path.js';
import { ask, type Query, request } from '../api/client.js';
import { may } from '../api/me.js';
import { poll } from '../api/poll.js';
import { agentsOf } from '../api/records.js';
import type { Agent, ListOf, Scope, Warning } from '../api/types.js';
import { Choice, Field } from './forms.js';
import { announce, ConfirmButton, Empty, Page, Trouble, useAct, useKeptFocus, Waiting } from './parts.js';
import { ActButton, May } from './permissions.js';

export interface Read<T> {
  /** undefined until the first answer. */
  data: T | undefined;
  error: unknown;
  /** Reads at once. */
  again: () => void;
}

/**
 * Reads for `key`, again `every` so many milliseconds until the page is left, and at once for another key. The last answer stays
 * until the next one.
 */
export function useRead<T>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
  every: (data: T) => number | undefined = () => undefined,
): Read<T> {
  const state = useSignal<{ data?: T; error?: unknown }>({});
  const round = useSignal(0);
  // That of the last render: what the page shows may decide it.
  const pauseAfter = useRef(every);
  pauseAfter.current = every;
  useEffect(() => {
    const leaving = new AbortController();
    let last: T | undefined;
    void poll({
      signal: leaving.signal,
      work: async () => {
        last = await read(leaving.signal);
        if (!leaving.signal.aborted) state.value = { data: last };
      },
      every: () => (last === undefined ? undefined : pauseAfter.current(last)),
      onTrouble: (error) => (state.value = { ...state.value, error }),
    });
    return () => leaving.abort();
  }, [key, round.value]);
  return { data: state.value.data, error: state.value.error, again: () => void (round.value += 1) };
}

interface RecordRead<T> extends Read<T> {
  /** What the service says about the record. */
  warnings: readonly Warning[];
}

/** The record at a path. */
export function useRecord<T>(path: ApiPath): RecordRead<T> {
  type Found = { data: T; warnings?: Warning[] };
  const { data: found, ...read } = useRead(String(path), (signal) => ask<Found>('GET', path, { signal }));
  return { ...read, data: found?.data, warnings: found?.warnings ?? [] };
}

interface LoadedParts<T> {
  of: Read<T>;
  what: string;
  children: (data: T) => ComponentChildren;
}

/** What was read; a note while it is loading, and its error. */
export const Loaded = <T,>({ of, what, children }: LoadedParts<T>): VNode => (
  <>
    <Trouble error={of.error} />
    {of.data !== undefined ? children(of.data) : of.error === undefined ? <Waiting what={what} /> : null}
  </>
);

const PER_PAGE = 25;

export interface PagedRead<T> extends Read<ListOf<T>> {
  page: number;
  turnTo: (page: number) => void;
}

interface PagedParts<T> {
  query?: Query;
  /** Another one reads the page again at once. */
  version?: string;
  every?: (list: ListOf<T>) => number;
  /** The page, where the address holds it. */
  at?: { page: number; turnTo: (page: number) => void };
}

/** One page of a list. */
export function usePaged<T>(path: ApiPath, { query = {}, version = '', every, at }: PagedParts<T> = {}): PagedRead<T> {
  const own = useSignal(1);
  const { page, turnTo } = at ?? { page: own.value, turnTo: (to: number) => void (own.value = to) };
  const whole = { ...query, per_page: PER_PAGE, page };
  const read = useRead<ListOf<T>>(
    `${String(path)}${JSON.stringify(whole)}${version}`,
    (signal) => ask<ListOf<T>>('GET', path, { query: whole, signal }),
    every,
  );
  const last = read.data?.meta.last_page ?? page;
  useEffect(() => {
    // The last record of the page was deleted.
    if (page > last && last > 0) turnTo(last);
  }, [last]);
  return { ...read, page, turnTo };
}

interface RowsParts<T> {
  items: readonly T[];
  keyOf: (item: T) => string | number;
  row: (item: T) => ComponentChildren;
  empty: ComponentChildren;
  class: string;
  label: string;
  rowClass?: string;
}

/** A list of records. The list gets the focus when the record with the focus disappears. */
export function Rows<T>({ items, keyOf, row, empty, label, class: kind, rowClass }: RowsParts<T>): VNode {
  const list = useRef<HTMLUListElement>(null);
  useKeptFocus(list, (place) => place);
  return (
    <ul ref={list} class={kind} aria-label={label}>
      {items.map((item) => (
        <li key={keyOf(item)} class={rowClass}>
          {row(item)}
        </li>
      ))}
      {items.length === 0 && <li>{empty}</li>}
    </ul>
  );
}

interface StepsParts {
  of: PagedRead<unknown>;
  label: string;
  /** Of the buttons. Most lists show the newest records first. */
  names?: readonly [back: string, on: string];
}

/** Buttons to page through a list. */
export function Steps({ of: { data, turnTo }, label, names = ['Newer', 'Older'] }: StepsParts): VNode {
  const { current_page: page = 1, last_page: last = 1 } = data?.meta ?? {};
  const step = (name: string, to: number): VNode => {
    const isPossible = to >= 1 && to <= last;
    return (
      <button type="button" aria-disabled={!isPossible} onClick={() => isPossible && turnTo(to)}>
        {name}
      </button>
    );
  };
  return (
    <nav class="pages" aria-label={label}>
      {(last > 1 || page > 1) && (
        <>
          {step(names[0], page - 1)}
          <span class="muted">
            Page {page} of {last}
          </span>
          {step(names[1], page + 1)}
        </>
      )}
    </nav>
  );
}

/** The answer to a deletion. */
export interface DeletionAnswer {
  warnings?: readonly { message: string }[];
}

interface RecordOf {
  /** Scope of the changes. */
  scope: Scope;
  /** Path of the record in the API. */
  path: ApiPath;
  /** Address of the page that edits it. */
  edit: string;
  title: string;
  /** What it is, before its title: `the tool`. */
  kind: string;
  /** What its deletion takes along, and how it is deleted. */
  deletion?: { says: ComponentChildren; query?: () => Query; onDeleted?: (answer: DeletionAnswer) => void };
  /** The field of the API that says whether the record is active, and its value. */
  active: readonly [field: string, isActive: boolean];
  /** Called after any change of the record. */
  onChange: () => void;
  more?: { label: string; path: ApiPath };
  /** A button before the others. */
  first?: ComponentChildren;
  /** Further buttons, before the one that deletes. */
  children?: ComponentChildren;
}

/** The actions of a record in a list: activate, edit, delete, and optionally others. */
export function RecordActions(parts: RecordOf): VNode {
  const { scope, path, edit, title, kind, active, onChange, deletion, more, first, children } = parts;
  const { run, said } = useAct();
  const act = (method: string, target: ApiPath, body?: object) => (): void =>
    run(async () => {
      await request(method, target, { body });
      onChange();
    });
  const remove = (): void =>
    run(async () => {
      const answer = await ask<DeletionAnswer>('DELETE', path, { query: deletion?.query?.() ?? {} });
      announce(`${title} was deleted.`);
      deletion?.onDeleted?.(answer);
      onChange();
    });
  const [field, isActive] = active;
  const verb = may(scope) ? 'Edit' : 'View';
  return (
    <>
      {said}
      <div class="actions">
        {first}
        <ActButton
          scope={scope}
          data-focus="active"
          role="switch"
          class="switch"
          aria-checked={isActive}
          aria-label={`${title}: active`}
          onClick={act('PATCH', path, { [field]: !isActive })}
        >
          Active
        </ActButton>
        <a class="button" href={edit} data-focus="edit" aria-label={`${verb} ${title}`}>
          {verb}
        </a>
        {more && (
          <ActButton scope={scope} data-focus="again" onClick={act('POST', more.path)}>
            {more.label}
          </ActButton>
        )}
        {children}
        <ConfirmButton scope={scope} verb="Delete" what={`${kind} ${title}`} onSure={remove}>
          {deletion?.says}
        </ConfirmButton>
      </div>
    </>
  );
}

interface AgentPageParts {
  title: string;
  lead: string;
  /** First segment of the address: `tools` in `#/tools/7`. */
  place: string;
  /** Id of the agent in the address; the first agent without one. */
  wanted: string | undefined;
  children: (agent: Agent) => ComponentChildren;
}

/** A page about one agent, with a select to switch agents. */
export function AgentPage({ title, lead, place, wanted, children }: AgentPageParts): VNode {
  const agents = useRead('agents', agentsOf);
  const all = agents.data ?? [];
  const agent = wanted === undefined ? all[0] : all.find(({ id }) => String(id) === wanted);
  const options = all.map(({ id, name }) => [id, name] as const);
  const picker = all.length > 0 && (
    <div class="agent-picker">
      <Field name="agent" label="Agent">
        <Choice
          options={agent ? options : [['', 'Select an agent'], ...options]}
          selected={agent?.id ?? ''}
          onChange={(id) => (location.hash = `#/${place}/${id}`)}
        />
      </Field>
    </div>
  );
  return (
    <Page title={title} lead={lead} aside={picker}>
      <Loaded of={agents} what={title.toLowerCase()}>
        {() =>
          agent ? <div key={agent.id}>{children(agent)}</div> : all.length === 0 ? <NoAgents /> : <NoSuchAgent />
        }
      </Loaded>
    </Page>
  );
}

const NoAgents = (): VNode => (
  <Empty icon="info" title="This account has no agent yet">
    <May scope="agents:write">
      <p>Knowledge and tools belong to an agent.</p>
      <a class="button primary" href="#/agents/new">
        New agent
      </a>
    </May>
  </Empty>
);

/** No other agent is shown instead: changes on the page would affect that agent. */
const NoSuchAgent = (): VNode => (
  <Empty icon="info" title="Agent not found">
    <p>No agent in this account has this ID. Select one above.</p>
  </Empty>
);
