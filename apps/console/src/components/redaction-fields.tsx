import type { VNode } from 'preact';
import type { Account } from '../api/types.js';
import { Field } from './forms.js';

type Redaction = NonNullable<Account['redaction']>;

const KINDS = [
  ['card', 'Payment card numbers'],
  ['iban', 'IBANs'],
  ['email', 'Email addresses'],
  ['phone', 'Phone numbers'],
  ['national_id', 'National IDs'],
  ['date_of_birth', 'Dates of birth'],
  ['ip_address', 'IP addresses'],
  ['spoken_digits', 'Digit sequences, spoken or keyed'],
  ['password', 'Passwords and PINs'],
] as const satisfies readonly (readonly [Redaction['kinds'][number], string])[];

/** The kinds of secrets that are removed from what is stored, for an agent and for the account. */
export const RedactionFields = ({ redaction }: { redaction: Redaction | null }): VNode => (
  <details data-part="redaction">
    <summary>Redaction</summary>
    <div class="stack">
      {KINDS.map(([kind, label]) => (
        <Field key={kind} name={`redaction.${kind}`} label={label}>
          <input type="checkbox" defaultChecked={redaction?.kinds.includes(kind) ?? false} />
        </Field>
      ))}
      <Field name="redaction.audio" label="Also mute in recordings">
        <input type="checkbox" defaultChecked={redaction?.audio ?? true} />
      </Field>
    </div>
  </details>
);

/** The settings of the form; patterns, which have no field, stay. Null: nothing is removed. */
export function redactionOf(values: FormData, before: Redaction | null): Redaction | null {
  const kinds = KINDS.flatMap(([kind]) => (values.has(`redaction.${kind}`) ? [kind] : []));
  const custom = before?.custom ?? [];
  return kinds.length + custom.length === 0 ? null : { kinds, custom, audio: values.has('redaction.audio') };
}

/** One line for people. */
export function redactionText(redaction: Redaction | null): string {
  if (!redaction) return 'None';
  const names = KINDS.flatMap(([kind, label]) => (redaction.kinds.includes(kind) ? [label] : []));
  return [...names, ...redaction.custom.map(({ name }) => name)].join(', ') || 'None';
}
