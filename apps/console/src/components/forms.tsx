import { type Signal, useSignal } from '@preact/signals';
import { cloneElement, type ComponentChildren, createContext, type RefObject, type VNode } from 'preact';
import { useContext, useId, useRef } from 'preact/hooks';
import { ApiError, type FieldErrors } from '../api/client.js';
import { refusalOf } from '../api/me.js';
import type { Scope } from '../api/types.js';
import { numbersRead } from './number-input.js';
import { Trouble } from './parts.js';
import { EarlierEdits, type EditedRecord, UnsavedEditsProvider, useUnsavedEdits } from './unsaved-edits.js';

const Errors = createContext<Signal<FieldErrors> | undefined>(undefined);

/** The sentences of the API about the field `name` of the form around. */
export const useErrors = (name: string): string => (useContext(Errors)?.value[name] ?? []).join(' ');

/** All sentences of the API about the form around, by the field that shows them. */
export const useAllErrors = (): FieldErrors => useContext(Errors)?.value ?? {};

interface FieldParts {
  /** Field name in the API's `errors`, and of the input unless it has another one. */
  name: string;
  label: ComponentChildren;
  hint?: ComponentChildren;
  hidden?: boolean;
  /** Content below the error. */
  after?: ComponentChildren;
  children: VNode<{ type?: string; name?: string }>;
}

/** A labelled input, with a place for its errors. */
export function Field({ name, label, hint, hidden, after, children }: FieldParts): VNode {
  const id = useId();
  const error = useErrors(name);
  const input = cloneElement(children, {
    id,
    name: children.props.name ?? name,
    'aria-describedby': hint ? `${id}-hint ${id}-error` : `${id}-error`,
    ...(error !== '' && { 'aria-invalid': 'true' }),
  });
  return (
    <div class={`field${children.props.type === 'checkbox' ? ' check' : ''}`} data-field={name} hidden={hidden}>
      <label for={id}>{label}</label>
      {input}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      <p id={`${id}-error`} class="field-error">
        {error}
      </p>
      {after}
    </div>
  );
}

interface FormParts {
  label: string;
  submit: ComponentChildren;
  /** Label of the button while sending. */
  busy: string;
  send: (values: FormData, form: HTMLFormElement) => Promise<void>;
  class?: string;
  /** The page that Cancel leads to. */
  cancel?: string;
  onInput?: () => void;
  /** The form can be sent with this scope only. Absent: it changes nothing, such as a search. */
  scope?: Scope;
  /** The record that the form edits: unsaved edits are kept, and the page is not left without a question. */
  record?: EditedRecord;
  /** Further buttons beside the one that sends. */
  buttons?: ComponentChildren;
  children: ComponentChildren;
}

/** A form that sends one request at a time. API errors of fields appear at the fields, others above the button. */
export function Form(parts: FormParts): VNode {
  const refusal = refusalOf(parts.scope);
  const form = useRef<HTMLFormElement>(null);
  const edits = useUnsavedEdits(refusal === undefined ? parts.record : undefined, form);
  const { errors, trouble, isBusy, submit } = useSending(form, async (values, element) => {
    await parts.send(values, element);
    edits?.saved();
  });
  return (
    <form
      ref={form}
      class={parts.class ?? 'stack'}
      aria-label={parts.label}
      noValidate
      onInput={parts.onInput}
      onSubmit={(event) => {
        event.preventDefault();
        if (refusal === undefined) void submit();
      }}
    >
      {refusal !== undefined && <p class="hint refusal">{refusal}</p>}
      {edits && <EarlierEdits edits={edits} />}
      <UnsavedEditsProvider value={edits}>
        <Errors.Provider value={errors}>{parts.children}</Errors.Provider>
      </UnsavedEditsProvider>
      <Trouble error={trouble.value} />
      <div class="actions">
        {/* The attribute `disabled` would remove the keyboard focus. */}
        <button type="submit" class="primary" disabled={refusal !== undefined} aria-disabled={isBusy.value}>
          {isBusy.value ? parts.busy : parts.submit}
        </button>
        <UnsavedEditsProvider value={edits}>{parts.buttons}</UnsavedEditsProvider>
        {parts.cancel && (
          <a class="button quiet" href={parts.cancel}>
            Cancel
          </a>
        )}
      </div>
    </form>
  );
}

/** Sends a form once at a time, and keeps what went wrong. */
function useSending(element: RefObject<HTMLFormElement | null>, send: FormParts['send']) {
  const errors = useSignal<FieldErrors>({});
  const trouble = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const submit = async (): Promise<void> => {
    const form = element.current;
    if (isBusy.value || !form) return;
    isBusy.value = true;
    errors.value = {};
    trouble.value = undefined;
    try {
      await numbersRead();
      await send(new FormData(form), form);
    } catch (error) {
      const { placed, rest } = error instanceof ApiError ? placeErrors(form, error) : { placed: {}, rest: [] };
      errors.value = placed;
      if (!(error instanceof ApiError) || Object.keys(error.errors).length === 0) trouble.value = error;
      else if (rest.length > 0) trouble.value = new Error(rest.join(' '));
      // Preact renders in a microtask queued by the assignments above; this one runs after it.
      queueMicrotask(() => focusFirst(form));
    } finally {
      isBusy.value = false;
    }
  };
  return { errors, trouble, isBusy, submit };
}

function focusFirst(form: HTMLFormElement): void {
  const first = form.querySelector<HTMLElement>('[aria-invalid]');
  for (let place = first?.closest('details'); place; place = place.parentElement?.closest('details')) place.open = true;
  first?.focus();
}

/** Errors by the field that shows them, and the sentences that belong to no field of the form. */
function placeErrors(form: HTMLElement, { errors }: ApiError): { placed: FieldErrors; rest: string[] } {
  const placed: Record<string, string[]> = {};
  const rest: string[] = [];
  for (const [name, sentences] of Object.entries(errors)) {
    const place = fieldOf(form, name);
    const field = place?.dataset['field'];
    if (!place || field === undefined) rest.push(...sentences);
    else (placed[field] ??= []).push(...inside(sentences, place, name.slice(field.length + 1)));
  }
  return { placed, rest };
}

/** An error inside a long text is prefixed with its path: `properties.when.pattern: …`. */
function inside(sentences: readonly string[], place: HTMLElement, path: string): readonly string[] {
  if (path === '' || !place.querySelector('textarea')) return sentences;
  return sentences.map((sentence) => `${path}: ${sentence}`);
}

/** `to_number.0` is about `to_number` when there is no field of its own for it. */
function fieldOf(form: HTMLElement, name: string): HTMLElement | null {
  for (let path = name; path !== ''; path = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '') {
    const found = form.querySelector<HTMLElement>(`[data-field="${CSS.escape(path)}"]`);
    if (found) return found;
  }
  return null;
}

/** The trimmed text of a field. */
export const textOf = (values: FormData, name: string): string => {
  const value = values.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** The trimmed texts of all fields of a name. */
export const textsOf = (values: FormData, name: string): string[] =>
  values.getAll(name).map((value) => (typeof value === 'string' ? value.trim() : ''));

/** The number of a field; undefined when it is empty: the API reports a missing field. Text that is not a number is sent as typed. */
export const numberOf = (values: FormData, name: string): number | undefined => {
  const text = textOf(values, name);
  return text === '' ? undefined : ((Number.isNaN(Number(text)) ? text : Number(text)) as number);
};

export interface ChoiceParts {
  options: readonly (readonly [value: string | number, label: string])[];
  selected?: string | number;
  name?: string;
  onChange?: (value: string) => void;
  'aria-label'?: string;
}

/** A select. */
export const Choice = ({ options, selected, onChange, ...rest }: ChoiceParts): VNode => (
  <select {...rest} onChange={(event) => onChange?.(event.currentTarget.value)}>
    {options.map(([value, label]) => (
      <option key={value} value={value} selected={String(value) === String(selected)}>
        {label}
      </option>
    ))}
  </select>
);

interface ChipsParts<T extends string> {
  label: string;
  options: readonly (readonly [value: T, label: string])[];
  chosen: string;
  onChoose: (value: T) => void;
  /** Name of the data attribute with the value. */
  data: string;
}

/** Buttons of which one is pressed. */
export const Chips = <T extends string>({ label, options, chosen, onChoose, data }: ChipsParts<T>): VNode => (
  <div class="chips" role="group" aria-label={label}>
    {options.map(([value, name]) => (
      <button
        key={value}
        type="button"
        class="chip"
        aria-pressed={value === chosen}
        onClick={() => onChoose(value)}
        {...{ [`data-${data}`]: value }}
      >
        {name}
      </button>
    ))}
  </div>
);
