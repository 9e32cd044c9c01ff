import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { messageOf } from '../api/client.js';
import type { Scope } from '../api/types.js';
import { clock, localTime, utc, words } from '../logic/format.js';
import { closeDialog, openDialog } from './dialog.js';
import { Icon, type IconName } from './icons.js';
import { ActButton } from './permissions.js';

const said = signal('');

/** Announces a change to users of screen readers. */
export function announce(sentence: string): void {
  said.value = sentence;
}

/** The live region for screen readers; it stays while pages change. */
export const Announcer = (): VNode => (
  <div class="unseen" role="status" aria-live="polite">
    {said}
  </div>
);

/** A place for an error message; screen readers announce it when it appears. */
export const Trouble = ({ error }: { error: unknown }): VNode => (
  <div class="trouble" role="alert">
    {error === undefined ? null : <Icon name="warn" />}
    {error === undefined ? null : <p>{messageOf(error)}</p>}
  </div>
);

export const Waiting = ({ what }: { what: string }): VNode => <p class="waiting">Loading {what}…</p>;

interface EmptyParts {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

/** A placeholder for an empty list: what it will show, and how to fill it. */
export const Empty = ({ icon, title, children }: EmptyParts): VNode => (
  <div class="empty">
    <Icon name={icon} />
    <h3>{title}</h3>
    {children}
  </div>
);

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Trunkline`;
  }, [title]);
}

interface PageParts {
  title: string;
  lead?: ComponentChildren;
  /** A link back to the list. */
  back?: readonly [href: string, label: string];
  /** Content beside the heading. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A page with its heading. */
export function Page({ title, lead, back, aside, children }: PageParts): VNode {
  useTitle(title);
  return (
    <div class="page">
      <header class="page-head">
        <div class="stack tight-stack">
          {back && <BackLink href={back[0]} label={back[1]} />}
          <h1>{title}</h1>
          {lead && <p class="muted">{lead}</p>}
        </div>
        {aside}
      </header>
      {children}
    </div>
  );
}

export const BackLink = ({ href, label }: { href: string; label: string }): VNode => (
  <a class="back" href={href}>
    <Icon name="back" />
    {label}
  </a>
);

interface CardParts {
  title: string;
  name: string;
  /** Content beside the heading. */
  aside?: ComponentChildren;
  hidden?: boolean;
  children: ComponentChildren;
}

/** A card with a heading. */
export function Card({ title, name, aside, hidden, children }: CardParts): VNode {
  const id = useId();
  return (
    <section class={`card part part-${name}`} aria-labelledby={id} data-part={name} hidden={hidden}>
      <header class="split">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren];

/** A list of names with values. */
export const Facts = ({ all, kind = '' }: { all: readonly Fact[]; kind?: string }): VNode => (
  <dl class={`facts ${kind}`.trim()}>
    {all.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** A long text that scrolls. `label` names it for screen readers. */
export const Pre = ({ label, text }: { label: string; text: string }): VNode => (
  <pre tabIndex={0} role="region" aria-label={label}>
    <code>{text}</code>
  </pre>
);

/** A value as indented JSON under a small heading. */
export const Json = ({ title, value }: { title: string; value: unknown }): VNode => (
  <div class="json">
    <h4>{title}</h4>
    <Pre label={title} text={JSON.stringify(value, null, 2) ?? 'null'} />
  </div>
);

/** A time in the zone of the browser; its tooltip shows UTC. */
export const Time = ({ iso }: { iso: string }): VNode => (
  <time dateTime={iso} title={utc(iso)}>
    {localTime(iso)}
  </time>
);

const TICK_MS = 1_000;
/** The time of day, once a second. */
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), TICK_MS);

/** A counter of the time since `since`. */
export const Running = ({ since }: { since: string }): VNode => (
  <span class="running">{clock((now.value - Date.parse(since)) / 1_000)}</span>
);

/** Colour tone of each status; the label always shows the word as well. */
const TONES: Record<string, string> = {
  pending: 'idle',
  ringing: 'wait',
  in_progress: 'live',
  completed: 'good',
  failed: 'bad',
  cut_off: 'bad',
  busy: 'wait',
  no_answer: 'wait',
  cancelled: 'idle',
  processing: 'live',
  up: 'good',
  down: 'bad',
  unknown: 'idle',
  succeeded: 'good',
  delivered: 'good',
  queued: 'idle',
  slow: 'wait',
  dead: 'bad',
  refused: 'bad',
  connected: 'good',
  changed: 'wait',
  unreachable: 'bad',
  running: 'live',
  paused: 'wait',
  calling: 'live',
  reached: 'good',
  exhausted: 'wait',
};

export const Pill = ({ status, label = words(status) }: { status: string; label?: string }): VNode => (
  <span class={`pill ${TONES[status] ?? 'idle'}`} data-status={status}>
    {label}
  </span>
);

/** Whether a record is active, as a pill. */
export const Activity = ({ active }: { active: boolean }): VNode =>
  active ? <Pill status="up" label="Active" /> : <Pill status="cancelled" label="Inactive" />;

/** When the focused element inside `place` disappears, `heir` gets the focus; without it the keyboard user starts at the top. */
export function useKeptFocus(
  place: RefObject<HTMLElement | null>,
  heir: (place: HTMLElement) => HTMLElement | null,
): void {
  const had = place.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    const { current } = place;
    if (!had || !current || current.contains(document.activeElement)) return;
    const next = heir(current);
    if (next && next.tabIndex < 0) next.tabIndex = -1;
    next?.focus({ preventScroll: true });
  });
}

interface Act {
  /** Runs work that returns the sentence to show, unless the last one still runs; shows its error. */
  run: (work: () => Promise<string | void>) => void;
  isBusy: boolean;
  /** The place of the sentence. */
  said: VNode;
}

/** Runs one request of buttons at a time. */
export function useAct(): Act {
  const state = useSignal({ isBusy: false, said: '', isBad: false });
  const isOpen = useRef(true);
  useEffect(() => () => void (isOpen.current = false), []);
  const run = async (work: () => Promise<string | void>): Promise<void> => {
    if (state.value.isBusy) return;
    state.value = { ...state.value, isBusy: true };
    try {
      const sentence = (await work()) ?? '';
      if (sentence !== '') announce(sentence);
      state.value = { isBusy: false, said: sentence, isBad: false };
    } catch (error) {
      if (isOpen.current) state.value = { isBusy: false, said: messageOf(error), isBad: true };
    }
  };
  const { isBusy, said, isBad } = state.value;
  const place = (
    <p class={isBad ? 'field-error' : 'hint'} role="status">
      {said}
    </p>
  );
  return { run: (work) => void run(work), isBusy, said: place };
}

const THANKS_MS = 1_500;

interface CopyParts {
  text: string;
  /** The text for screen readers. */
  what: string;
  name?: string;
}

/** A button that copies a text to the clipboard. */
export function CopyButton({ text, what, name = 'Copy' }: CopyParts): VNode {
  const outcome = useSignal<'copied' | 'refused' | undefined>(undefined);
  const copy = async (): Promise<void> => {
    // The clipboard exists on https and localhost only.
    outcome.value = await navigator.clipboard?.writeText(text).then(
      () => 'copied' as const,
      () => 'refused' as const,
    );
    outcome.value ??= 'refused';
    announce(outcome.value === 'copied' ? `Copied ${what}.` : 'The browser did not allow copying.');
    setTimeout(() => (outcome.value = undefined), THANKS_MS);
  };
  const label = { copied: 'Copied', refused: 'Select and copy manually', none: name }[outcome.value ?? 'none'];
  return (
    <button
      type="button"
      class="quiet copy"
      title={`Copy ${what}`}
      aria-label={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={outcome.value === 'copied' ? 'check' : 'copy'} />
      <span>{label}</span>
    </button>
  );
}

/** Lines to paste into a terminal. */
export const CommandLine = ({ text, what = 'the command' }: { text: string; what?: string }): VNode => (
  <div class="command">
    <Pre label={`Text of ${what}`} text={text} />
    <CopyButton text={text} what={what} />
  </div>
);

interface ConfirmParts {
  scope: Scope;
  verb: string;
  /** The record with its kind: `the tool find_order`. */
  what: string;
  onSure: () => void;
  focus?: string;
  /** What depends on the record, and what becomes of it. */
  children?: ComponentChildren;
}

/** A button that asks in a dialog, with the name of the record and what depends on it, before it acts. */
export function ConfirmButton({
  scope,
  verb,
  what,
  onSure,
  focus = verb.toLowerCase(),
  children,
}: ConfirmParts): VNode {
  const sure = (): void => {
    closeDialog();
    onSure();
  };
  const ask = (): void =>
    openDialog({
      title: `${verb} ${what}?`,
      content: (
        <>
          {children}
          <div class="actions">
            <button type="button" class="danger" data-act="confirm" onClick={sure}>
              {verb === 'Cancel' ? 'Cancel it' : verb}
            </button>
            <button type="button" data-act="keep" autofocus onClick={closeDialog}>
              {verb === 'Cancel' ? 'Go back' : 'Cancel'}
            </button>
          </div>
        </>
      ),
    });
  return (
    <ActButton scope={scope} class="quiet" data-focus={focus} aria-label={`${verb} ${what}`} onClick={ask}>
      {verb}
    </ActButton>
  );
}
