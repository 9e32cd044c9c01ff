import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FormShape } from '../logic/form-or-json.js';
import { readObject, tidy } from '../logic/json-text.js';
import { Chips, useErrors } from './forms.js';
import { JsonField, type JsonFieldParts } from './json-field.js';
import { announce } from './parts.js';
import { useEditedPart } from './unsaved-edits.js';

const MODES = [
  ['form', 'Form'],
  ['json', 'JSON'],
] as const;

type Mode = (typeof MODES)[number][0];

interface FormOrJsonParts<State> extends JsonFieldParts {
  shape: FormShape<State>;
  /** The fields of a state. */
  children: (state: State, change: (changes: Partial<State>) => void) => ComponentChildren;
}

/**
 * A JSON value as a form, with a switch to JSON. The text of the form's hidden input always is the whole value, so that a page reads both
 * in the same way. A value that the form cannot show stays JSON and says why.
 */
export function FormOrJson<State extends object>(parts: FormOrJsonParts<State>): VNode {
  const { shape, children, ...json } = parts;
  const { name, label, text } = json;
  useEditedPart(`${name}.text`, text);
  const draft = useDraft(shape, text);
  const { state, reason, isJson } = draft.value;
  const mode = useSignal<Mode>(state === undefined ? 'json' : 'form');
  const choose = (wanted: Mode): void => {
    // What was typed a moment ago counts.
    draft.value = currentDraft(shape, draft.value, text.value);
    if (wanted === 'form' && draft.value.state === undefined) return announce(draft.value.reason);
    mode.value = wanted;
    announce(wanted === 'form' ? `${label} is shown as a form.` : `${label} is shown as JSON.`);
  };
  const change = (changes: Partial<State>): void => {
    if (state === undefined) return;
    const next = { ...state, ...changes };
    draft.value = { state: next, reason: '', isJson: true };
    text.value = textOf(shape, next);
  };
  const isForm = mode.value === 'form' && state !== undefined;
  return (
    <div class="stack form-or-json" role="group" aria-label={label} data-mode={isForm ? 'form' : 'json'}>
      <div class="split">
        {isForm ? <span class="label">{label}</span> : <span />}
        <Chips
          label={`Edit ${label.toLowerCase()} as`}
          data="mode"
          options={MODES}
          chosen={isForm ? 'form' : 'json'}
          onChoose={choose}
        />
      </div>
      {isForm ? (
        <FormMode name={name} text={text}>
          {children(state, change)}
        </FormMode>
      ) : (
        <>
          <JsonField {...json} />
          {state === undefined && isJson && (
            <p class="hint" data-role="not-shown">
              Only editable as JSON. {reason}
            </p>
          )}
        </>
      )}
    </div>
  );
}

interface FormModeParts {
  name: string;
  text: Signal<string>;
  children: ComponentChildren;
}

function FormMode({ name, text, children }: FormModeParts): VNode {
  const error = useErrors(name);
  return (
    <div class="stack" data-field={name}>
      <p class="field-error">{error}</p>
      <input type="hidden" name={name} value={text.value} />
      {children}
    </div>
  );
}

/** What the form shows; `reason`: why it cannot. `isJson`: the text is valid JSON. */
interface Draft<State> {
  state: State | undefined;
  reason: string;
  isJson: boolean;
}

function draftOf<State>(shape: FormShape<State>, text: string): Draft<State> {
  const parsed = readObject(text.trim() === '' ? '{}' : text);
  if ('problem' in parsed) return { state: undefined, reason: parsed.problem, isJson: false };
  const found = shape.read(parsed.value);
  const { state, reason } = { state: undefined, reason: '', ...found };
  return { state, reason, isJson: true };
}

function textOf<State>(shape: FormShape<State>, state: State): string {
  const written = shape.write(state);
  return written === null ? '' : tidy(written);
}

const currentDraft = <State,>(shape: FormShape<State>, draft: Draft<State>, text: string): Draft<State> =>
  draft.state !== undefined && textOf(shape, draft.state) === text ? draft : draftOf(shape, text);

/**
 * The state of the fields as typed, also what is no valid value yet. A text that the fields did not write replaces it.
 */
function useDraft<State>(shape: FormShape<State>, text: Signal<string>): Signal<Draft<State>> {
  const [initial] = useState(() => draftOf(shape, text.value));
  const draft = useSignal(initial);
  useEffect(() => void (draft.value = currentDraft(shape, draft.value, text.value)), [text.value]);
  return draft;
}
