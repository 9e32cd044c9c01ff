import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { FieldErrors } from '../api/client.js';
import type { NewToolAction } from '../api/types.js';
import { useErrors } from './forms.js';
import { useEditedPart } from './unsaved-edits.js';
import { nextKey } from '../logic/form-or-json.js';

/** The API returns this for a secret value, and keeps the stored value when it receives it. */
const MASK = '********';

type GivenHeaders = NonNullable<NewToolAction['headers']>;

/** The headers of the rows `name`; null: there are none. Adds problems to `errors`. */
export function headersOf(values: FormData, name: string, errors: FieldErrors): GivenHeaders | null {
  const headers: GivenHeaders = {};
  const column = (of: string): string[] => values.getAll(`${name}.${of}`).map(String);
  const [names, contents, kinds] = [column('name'), column('value'), column('kind')];
  for (const [index, untrimmed] of names.entries()) {
    const [header, value, kind] = [untrimmed.trim(), contents[index] ?? '', kinds[index]];
    if (header === '' && value === '') continue;
    if (header in headers) errors[name] = [`${header} appears twice.`];
    headers[header] = kind === 'kept' && value === '' ? MASK : { value, secret: kind !== 'open' };
  }
  return Object.keys(headers).length === 0 ? null : headers;
}

/** The headers of rows without the choice of secrecy, as webhooks have them. Adds problems to `errors`. */
export const headerListOf = (values: FormData, name: string, errors: FieldErrors): { key: string; value: string }[] =>
  Object.entries(headersOf(values, name, errors) ?? {}).map(([key, given]) => ({
    key,
    value: typeof given === 'string' ? given : given.value,
  }));

interface HeaderRowsParts {
  /** Field name in the API. */
  name: string;
  headers: Readonly<Record<string, string>> | null;
  /** All values are secret. */
  areSecret?: boolean;
}

/** The headers of a request. Masked values stay unchanged until the user enters new ones. */
export function HeaderRows({ name, headers, areSecret = false }: HeaderRowsParts): VNode {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const rows = useSignal(Object.entries(headers ?? {}).map(([header, value], key) => ({ key, header, value })));
  useEditedPart(`${name}.rows`, rows);
  const error = useErrors(name);
  // Preact renders in a microtask; these run after it.
  const append = (): void => {
    rows.value = [...rows.value, { key: nextKey(rows.value), header: '', value: '' }];
    queueMicrotask(() => place.current?.querySelector<HTMLElement>('li:last-child input')?.focus());
  };
  const remove = (key: number): void => {
    rows.value = rows.value.filter((row) => row.key !== key);
    queueMicrotask(() => place.current?.querySelector<HTMLElement>('.chip')?.focus());
  };
  return (
    <div ref={place} class="field" data-field={name} role="group" aria-labelledby={id}>
      <span id={id} class="label">
        Headers
      </span>
      <p class="field-error">{error}</p>
      <ul class="plain stack header-rows">
        {rows.value.map(({ key, header, value }) => (
          <HeaderRow key={key} {...{ name, header, value, areSecret }} onRemove={() => remove(key)} />
        ))}
      </ul>
      <div class="chips">
        <button type="button" class="chip" onClick={append}>
          Add header
        </button>
      </div>
    </div>
  );
}

interface HeaderRowParts {
  name: string;
  header: string;
  value: string;
  areSecret: boolean;
  onRemove: () => void;
}

interface SecretBoxParts {
  isSecret: boolean;
  isFixed: boolean;
  onChange: (isSecret: boolean) => void;
}

function SecretBox({ isSecret, isFixed, onChange }: SecretBoxParts): VNode {
  const id = useId();
  return (
    <span class="check">
      <input
        id={id}
        type="checkbox"
        checked={isSecret}
        disabled={isFixed}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>Secret</label>
    </span>
  );
}

function HeaderRow({ name, header: given, value: before, areSecret, onRemove }: HeaderRowParts): VNode {
  const isKept = before === MASK;
  const header = useSignal(given);
  const content = useSignal(isKept ? '' : before);
  const isSecret = useSignal(isKept || given === '');
  const field = `${name}.${header.value.trim()}`;
  const error = useErrors(field);
  // A stored value keeps its secret flag.
  const isFixed = isKept && content.value === '';
  const secret = areSecret || isFixed || isSecret.value;
  const value = {
    name: `${name}.value`,
    value: content.value,
    onInput: (event: InputEvent) => (content.value = (event.currentTarget as HTMLInputElement).value),
    'aria-label': 'Header value',
    placeholder: isKept ? 'Leave empty to keep' : 'Value',
    autocomplete: 'off',
    spellcheck: false,
  };
  return (
    <li class="header-row" data-field={field}>
      <input
        name={`${name}.name`}
        value={header.value}
        onInput={(event) => (header.value = event.currentTarget.value)}
        aria-label="Header name"
        placeholder="Authorization"
        autocomplete="off"
        aria-invalid={error === '' ? undefined : 'true'}
      />
      {secret ? <input {...value} type="password" /> : <input {...value} type="text" />}
      <input type="hidden" name={`${name}.kind`} value={isFixed ? 'kept' : secret ? 'secret' : 'open'} />
      {!areSecret && (
        <SecretBox isSecret={secret} isFixed={isFixed} onChange={(checked) => (isSecret.value = checked)} />
      )}
      <button type="button" class="quiet" onClick={onRemove} aria-label="Remove header">
        Remove
      </button>
      <p class="field-error">{error}</p>
    </li>
  );
}
