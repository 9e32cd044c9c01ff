import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { FieldErrors } from '../../api/client.js';
import type { SignInSettings } from '../../api/types.js';
import { Choice, textsOf, useErrors } from '../../components/forms.js';
import { words } from '../../logic/format.js';
import { useEditedPart } from '../../components/unsaved-edits.js';
import { nextKey } from '../../logic/form-or-json.js';

type Roles = SignInSettings['roles'];
type Role = Roles[string];

const ALL: readonly Role[] = ['viewer', 'agent_editor', 'operator', 'owner'];
export const ROLE_OPTIONS = ALL.map((role) => [role, words(role)] as const);

/** The roles of the rows `name`. Adds problems to `errors`. */
export function rolesOf(values: FormData, name: string, errors: FieldErrors): Roles {
  const roles: Roles = {};
  const [keys, given] = [textsOf(values, `${name}.key`), textsOf(values, `${name}.role`)];
  for (const [index, key] of keys.entries()) {
    if (key === '') continue;
    if (key in roles) errors[name] = [`${key} appears twice.`];
    roles[key] = given[index] as Role;
  }
  return roles;
}

interface RowsParts {
  /** Field name in the API. */
  name: 'roles' | 'people';
  label: string;
  /** Of the first column. */
  keyLabel: string;
  placeholder: string;
  hint: string;
  add: string;
  roles: Roles;
}

/** A role for each key: of groups, or of people. */
export function RoleRows({ name, label, keyLabel, placeholder, hint, add, roles }: RowsParts): VNode {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const rows = useSignal(Object.entries(roles).map(([key, role], row) => ({ row, key, role })));
  useEditedPart(`${name}.rows`, rows);
  const error = useErrors(name);
  // Preact renders in a microtask; these run after it.
  const append = (): void => {
    rows.value = [
      ...rows.value,
      { row: nextKey(rows.value.map(({ row }) => ({ key: row }))), key: '', role: 'viewer' },
    ];
    queueMicrotask(() => place.current?.querySelector<HTMLElement>('li:last-child input')?.focus());
  };
  const remove = (gone: number): void => {
    rows.value = rows.value.filter(({ row }) => row !== gone);
    queueMicrotask(() => place.current?.querySelector<HTMLElement>('.chip')?.focus());
  };
  return (
    <div ref={place} class="field" data-field={name} role="group" aria-labelledby={id}>
      <span id={id} class="label">
        {label}
      </span>
      <p class="hint">{hint}</p>
      <p class="field-error">{error}</p>
      <ul class="plain stack role-rows">
        {rows.value.map(({ row, key, role }) => (
          <RoleRow key={row} {...{ name, keyLabel, placeholder }} of={key} role={role} onRemove={() => remove(row)} />
        ))}
      </ul>
      <div class="chips">
        <button type="button" class="chip" data-act={`add-${name}`} onClick={append}>
          {add}
        </button>
      </div>
    </div>
  );
}

interface RowParts extends Pick<RowsParts, 'name' | 'keyLabel' | 'placeholder'> {
  of: string;
  role: Role;
  onRemove: () => void;
}

function RoleRow({ name, keyLabel, placeholder, of, role, onRemove }: RowParts): VNode {
  const key = useSignal(of);
  const field = `${name}.${key.value.trim()}`;
  const error = useErrors(field);
  return (
    <li class="role-row" data-field={field}>
      <input
        name={`${name}.key`}
        value={key.value}
        onInput={(event) => (key.value = event.currentTarget.value)}
        aria-label={keyLabel}
        placeholder={placeholder}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-invalid={error === '' ? undefined : 'true'}
      />
      <Choice name={`${name}.role`} aria-label="Role" options={ROLE_OPTIONS} selected={role} />
      <button type="button" class="quiet" onClick={onRemove} aria-label={`Remove ${key.value || 'the row'}`}>
        Remove
      </button>
      <p class="field-error">{error}</p>
    </li>
  );
}
