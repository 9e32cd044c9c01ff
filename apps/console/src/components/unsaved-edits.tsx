import { type Signal, signal } from '@preact/signals';
import { createContext, type RefObject, type VNode } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { me } from '../api/me.js';
import { keepEdits, readEdits, removeAllEdits, removeEdits } from '../api/stored-edits.js';
import {
  changedFields,
  type FieldValues,
  hasOtherValues,
  mayBeSecret,
  type StoredEdits,
} from '../logic/unsaved-edits.js';
import { closeDialog, openDialog } from './dialog.js';
import { announce, Time } from './parts.js';

/** The record that a form edits. */
export interface EditedRecord {
  /** As in the address of its page: `agents/7`, `agents/new`. */
  key: string;
  /** For people: `the agent Receptionist`. */
  name: string;
}

const TYPING_MS = 400;
/** Each round can make further fields appear. */
const MAX_ROUNDS = 10;
/** Begins the names of values that no input has. */
const PART = ':';
/** Stands for a value that is not kept. */
const WITHHELD = '•';

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const UNKEPT_TYPES = new Set(['hidden', 'submit', 'button', 'reset', 'image']);
const isBox = (input: Input): boolean => input.type === 'checkbox' || input.type === 'radio';
const isWithheld = (input: Input): boolean => input.type === 'password' || input.type === 'file';

/** Inputs inside of `data-kept-as-part` come and go: a part has what they show. */
const inputsOf = (form: HTMLFormElement): Input[] =>
  ([...form.elements] as Input[]).filter(
    (input) =>
      input.name && input.value !== undefined && !UNKEPT_TYPES.has(input.type) && !input.closest('[data-kept-as-part]'),
  );

/** Boxes of one name differ by their value. */
const nameOf = (input: Input): string =>
  isBox(input) && input.value !== 'on' ? `${input.name}=${input.value}` : input.name;

function valueOf(input: Input): string {
  if (isWithheld(input)) return input.value === '' ? '' : WITHHELD;
  return isBox(input) ? String((input as HTMLInputElement).checked) : input.value;
}

const labelOf = (input: Input): string =>
  input.labels?.[0]?.innerText.trim() || input.getAttribute('aria-label') || input.name;

function showPlaceOf(element: Element): void {
  for (let place = element.closest('details'); place; place = place.parentElement?.closest('details') ?? null)
    place.open = true;
}

/** Sets an input as a person would, so that its component notices. @returns whether it has changed */
function setValue(input: Input, value: string): boolean {
  if (valueOf(input) === value) return false;
  if (isBox(input)) (input as HTMLInputElement).checked = value === 'true';
  else input.value = value;
  if (valueOf(input) !== value) return false;
  showPlaceOf(input);
  for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }));
  return true;
}

const nextFrame = (): Promise<unknown> => new Promise(requestAnimationFrame);

const open = new Set<UnsavedEdits>();

/**
 * The edits of a form before they are saved. They are kept in this browser, by account and record, until they are saved or discarded; passwords,
 * files and whatever looks like a secret are not. Named inputs are followed by themselves; what no input has is a part, see useEditedPart.
 */
class UnsavedEdits {
  /** Of an earlier visit, until the person restores or discards them. */
  readonly earlier = signal<StoredEdits | undefined>(undefined);
  private readonly parts = new Map<string, Signal<unknown>>();
  private form: HTMLFormElement | undefined;
  private before: FieldValues = {};
  private isTouched = false;
  private typing: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly record: EditedRecord) {}

  follow(form: HTMLFormElement): () => void {
    this.form = form;
    this.before = this.values();
    const accountId = me.value?.account.id;
    this.earlier.value = accountId === undefined ? undefined : readEdits(accountId, this.record.key);
    if (this.earlier.value) {
      showPlaceOf(form);
      announce(`There is an unsaved draft of ${this.record.name}.`);
    }
    // Before the first edit, the values of the record may still be loading.
    const begin = (): void => {
      if (!this.isTouched) this.before = this.values();
    };
    const change = (): void => {
      this.isTouched = true;
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.keep(), TYPING_MS);
    };
    for (const type of ['pointerdown', 'focusin']) form.addEventListener(type, begin, { capture: true });
    for (const type of ['input', 'change', 'click']) form.addEventListener(type, change);
    open.add(this);
    return () => {
      this.keep();
      clearTimeout(this.typing);
      open.delete(this);
    };
  }

  addPart(name: string, part: Signal<unknown>): () => void {
    this.parts.set(`${PART}${name}`, part);
    if (!this.isTouched && this.form) this.before = this.values();
    return () => void this.parts.delete(`${PART}${name}`);
  }

  get isDirty(): boolean {
    return this.changed.length > 0;
  }

  /** Names of the fields and parts that differ from the record. */
  get changed(): readonly string[] {
    return this.isTouched ? Object.keys(changedFields(this.before, this.values())) : [];
  }

  /** Whether the edits are safe in this browser. Edits of an earlier visit are not replaced before the person has decided. */
  keep(replacesEarlier = false): boolean {
    const accountId = me.value?.account.id;
    if (accountId === undefined || !this.isTouched) return false;
    if (this.earlier.value && !replacesEarlier) return false;
    if (this.isDirty) return keepEdits(accountId, this.record.key, this.stored());
    removeEdits(accountId, this.record.key);
    return true;
  }

  /** The record has the values of the form. */
  saved(): void {
    this.discard();
    if (this.form) this.before = this.values();
  }

  /** Forgets the edits, also those of an earlier visit. */
  discard(): void {
    clearTimeout(this.typing);
    this.isTouched = false;
    this.earlier.value = undefined;
    const accountId = me.value?.account.id;
    if (accountId !== undefined) removeEdits(accountId, this.record.key);
  }

  async restore(): Promise<void> {
    const { value: edits } = this.earlier;
    if (!edits) return;
    this.earlier.value = undefined;
    this.isTouched = true;
    const done = new Set<string>();
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const hasParts = this.fillParts(edits.fields, done);
      await nextFrame();
      if (!this.fill(edits.fields) && !hasParts) break;
    }
    this.keep();
    announce('The draft was restored.');
  }

  /** Whether the record was changed after the edits of an earlier visit began. */
  get isOutdated(): boolean {
    return this.earlier.value !== undefined && hasOtherValues(this.earlier.value, this.before);
  }

  /** `done`: the parts that have their value. */
  private fillParts(fields: FieldValues, done: Set<string>): boolean {
    const fresh = [...this.parts].filter(([name]) => fields[name] && !done.has(name));
    for (const [name, part] of fresh) {
      part.value = JSON.parse(fields[name]?.[0] ?? 'null');
      done.add(name);
    }
    return fresh.length > 0;
  }

  private fill(fields: FieldValues): boolean {
    const seen = new Map<string, number>();
    let hasChanged = false;
    for (const input of this.form ? inputsOf(this.form) : []) {
      const name = nameOf(input);
      const index = seen.get(name) ?? 0;
      seen.set(name, index + 1);
      const value = fields[name]?.[index];
      if (value !== undefined && setValue(input, value)) hasChanged = true;
    }
    return hasChanged;
  }

  private values(): FieldValues {
    const values: Record<string, string[]> = {};
    for (const input of this.form ? inputsOf(this.form) : []) (values[nameOf(input)] ??= []).push(valueOf(input));
    for (const [name, part] of this.parts) values[name] = [JSON.stringify(part.value)];
    return values;
  }

  /** Without secrets. */
  private stored(): StoredEdits {
    const labels = new Map(this.form ? inputsOf(this.form).map((input) => [nameOf(input), labelOf(input)]) : []);
    const changed = Object.entries(changedFields(this.before, this.values()));
    const isSecret = ([name, values]: [string, readonly string[]]): boolean =>
      values.some((value) => value === WITHHELD || mayBeSecret(name, value));
    const kept = changed.filter((field) => !isSecret(field) && !isSecret([field[0], this.before[field[0]] ?? []]));
    const names = new Set(kept.map(([name]) => name));
    const withheld = changed.map(([name]) => name).filter((name) => !names.has(name));
    return {
      name: this.record.name,
      at: Date.now(),
      fields: Object.fromEntries(kept),
      before: Object.fromEntries(kept.map(([name]) => [name, this.before[name] ?? []])),
      withheld: [...new Set(withheld.map((name) => labels.get(name) ?? name.replace(PART, '')))],
    };
  }

  /** What is not kept when the person leaves. */
  get withheld(): readonly string[] {
    return this.stored().withheld;
  }
}

const Context = createContext<UnsavedEdits | undefined>(undefined);
export const UnsavedEditsProvider = Context.Provider;

/** Follows a form. `record`: undefined if it edits none, or may not be sent. */
export function useUnsavedEdits(
  record: EditedRecord | undefined,
  form: RefObject<HTMLFormElement | null>,
): UnsavedEdits | undefined {
  const edits = useMemo(() => (record ? new UnsavedEdits(record) : undefined), [record?.key]);
  useEffect(() => (form.current && edits ? edits.follow(form.current) : undefined), [edits]);
  return edits;
}

/** The edits of the form around. */
export const useFormEdits = (): UnsavedEdits | undefined => useContext(Context);

/** A signal with what the inputs of the form around do not have, such as the number of rows: it is kept and restored with them. */
export function useEditedPart(name: string, part: Signal<unknown>): void {
  const edits = useContext(Context);
  useEffect(() => edits?.addPart(name, part), [edits, name, part]);
}

/** Edits of an earlier visit, to be restored or discarded. */
export function EarlierEdits({ edits }: { edits: UnsavedEdits }): VNode | null {
  const { value: earlier } = edits.earlier;
  if (!earlier) return null;
  return (
    <section class="earlier-edits" aria-label="Unsaved draft" data-part="unsaved-draft">
      <p>
        <strong>Unsaved draft of {edits.record.name}</strong>, <Time iso={new Date(earlier.at).toISOString()} />
      </p>
      {earlier.withheld.length > 0 && <p class="hint">Not kept, enter it again: {earlier.withheld.join(', ')}.</p>}
      {edits.isOutdated && <p class="hint">The saved values have changed since then. The draft replaces them.</p>}
      <div class="actions">
        <button type="button" class="primary" data-act="restore" onClick={() => void edits.restore()}>
          Restore
        </button>
        <button type="button" data-act="discard" onClick={() => edits.discard()}>
          Discard
        </button>
      </div>
    </section>
  );
}

const unsaved = (): UnsavedEdits | undefined => [...open].find(({ isDirty }) => isDirty);

/**
 * Whether the page may be left now: no form has unsaved edits. Otherwise asks the person, and calls `leave` when they agree.
 * `keeps`: false if leaving removes the drafts.
 */
export function mayLeave(leave: () => void, keeps = true): boolean {
  const edits = unsaved();
  if (!edits) return true;
  const replacesEarlier = edits.earlier.value !== undefined;
  const isKept = keeps && (replacesEarlier || edits.keep());
  const go = (): void => {
    for (const one of open) if (one.isDirty) one.keep(true);
    open.clear();
    closeDialog();
    leave();
  };
  const discard = (): void => {
    for (const one of open) if (one.isDirty) one.discard();
    closeDialog();
    leave();
  };
  openDialog({
    title: 'Leave without saving?',
    content: (
      <>
        <p>
          The changes to {edits.record.name} are not saved.{' '}
          {isKept ? 'This browser can keep them as a draft until you return.' : 'They will be lost.'}
          {isKept && replacesEarlier && ' They replace the earlier draft.'}
        </p>
        {isKept && edits.withheld.length > 0 && <p class="hint">Not kept: {edits.withheld.join(', ')}.</p>}
        <div class="actions">
          <button type="button" class="primary" data-act="stay" onClick={closeDialog}>
            Keep editing
          </button>
          {isKept && (
            <button type="button" data-act="leave" onClick={go}>
              Leave and keep the draft
            </button>
          )}
          <button type="button" class="danger" data-act="discard-and-leave" onClick={discard}>
            Discard the changes
          </button>
        </div>
      </>
    ),
  });
  return false;
}

/** Removes what is kept of all records, at sign-out. */
export function forgetAllEdits(): void {
  open.clear();
  removeAllEdits();
}

window.addEventListener('beforeunload', (event) => {
  if (unsaved()) event.preventDefault();
});
window.addEventListener('pagehide', () => {
  for (const edits of open) edits.keep();
});
