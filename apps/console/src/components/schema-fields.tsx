import type { Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { schemaInWords } from '../logic/json-text.js';
import {
  type Constraint,
  constraintsOf,
  newProperty,
  PROPERTY_TYPES,
  type PropertyRow,
  type PropertyType,
  repeatedName,
  SCHEMA_FORM,
  type SchemaState,
} from '../logic/schema-form.js';
import { Choice, Field } from './forms.js';
import { FormOrJson } from './form-or-json.js';
import { RowList, RowText } from './row-list.js';

/** That of the API, see docs/tools.md. */
const MAX_PROPERTIES = 100;

/** The formats that the service validates and people use. */
const FORMATS = ['date', 'time', 'date-time', 'duration', 'email', 'uri', 'uuid', 'hostname', 'ipv4', 'ipv6'];

const LABELS: Readonly<Record<Constraint, string>> = {
  enum: 'Allowed values',
  pattern: 'Pattern',
  format: 'Format',
  minLength: 'Minimum length',
  maxLength: 'Maximum length',
  minimum: 'Minimum',
  maximum: 'Maximum',
  minItems: 'Minimum items',
  maxItems: 'Maximum items',
};

/** The arguments of a tool, as a form or as JSON Schema. */
export const SchemaEditor = ({ text }: { text: Signal<string> }): VNode => (
  <FormOrJson
    name="parameters"
    label="Arguments"
    hint="JSON Schema. The agent reads the names and descriptions, and asks the user for required arguments."
    rows={10}
    text={text}
    describe={schemaInWords}
    shape={SCHEMA_FORM}
  >
    {(state, change) => (
      <>
        <p class="hint">The agent reads the names and descriptions, and asks the user for required arguments.</p>
        <SchemaFields name="parameters" what="argument" isLabelUnseen state={state} onChange={change} />
      </>
    )}
  </FormOrJson>
);

interface SchemaFieldsParts {
  /** Field name of the schema in the API. */
  name: string;
  /** "argument": names the buttons. */
  what: string;
  isLabelUnseen?: boolean;
  state: SchemaState;
  onChange: (changes: Partial<SchemaState>) => void;
}

/** The properties of an object schema. */
export function SchemaFields({ name, what, isLabelUnseen, state, onChange }: SchemaFieldsParts): VNode {
  const twice = repeatedName(state.rows);
  return (
    <>
      <RowList
        name={`${name}.properties`}
        label={`${what.charAt(0).toUpperCase()}${what.slice(1)}s`}
        isLabelUnseen={isLabelUnseen}
        what={what}
        rows={state.rows}
        max={MAX_PROPERTIES}
        create={newProperty}
        onChange={(rows) => onChange({ rows })}
        nameOf={(row, index) => `${name}.properties.${row.name.trim() || index}`}
      >
        {(row, index, change) => <PropertyFields name={name} row={row} index={index} change={change} />}
      </RowList>
      <p class="field-error" role="status">
        {twice !== undefined && `The name ${twice} is used twice: only the last one is saved.`}
      </p>
    </>
  );
}

interface PropertyParts {
  name: string;
  row: PropertyRow;
  index: number;
  change: (changes: Partial<PropertyRow>) => void;
}

function PropertyFields({ name, row, index, change }: PropertyParts): VNode {
  const field = (of: string): string => `${name}.properties.${row.name.trim() || index}.${of}`;
  const input = (of: string): string => `${name}.properties.${index}.${of}`;
  const constraints = constraintsOf(row.type);
  const isConstrained = constraints.some((one) => (row.constraints[one] ?? '') !== '');
  return (
    <>
      <div class="property-fields">
        <RowText
          name={field('name')}
          input={input('name')}
          label="Name"
          placeholder="order_id"
          value={row.name}
          onInput={(text) => change({ name: text })}
        />
        <Field name={field('type')} label="Type">
          <Choice
            name={input('type')}
            options={PROPERTY_TYPES}
            selected={row.type}
            onChange={(type) => change({ type: type as PropertyType })}
          />
        </Field>
        <Field name={field('required')} label="Required">
          <input
            type="checkbox"
            name={input('required')}
            checked={row.isRequired}
            onChange={(event) => change({ isRequired: event.currentTarget.checked })}
          />
        </Field>
      </div>
      <RowText
        name={field('description')}
        input={input('description')}
        label="Description"
        placeholder="The number on the receipt."
        value={row.description}
        onInput={(description) => change({ description })}
      />
      {constraints.length > 0 && (
        <details open={isConstrained || undefined}>
          <summary>Constraints</summary>
          <div class="pair">
            {constraints.map((one) => (
              <ConstraintField
                key={one}
                constraint={one}
                name={field(one)}
                input={input(one)}
                value={row.constraints[one] ?? ''}
                onInput={(text) => change({ constraints: { ...row.constraints, [one]: text } })}
              />
            ))}
          </div>
        </details>
      )}
    </>
  );
}

interface ConstraintParts {
  constraint: Constraint;
  name: string;
  input: string;
  value: string;
  onInput: (text: string) => void;
}

function ConstraintField({ constraint, name, input, value, onInput }: ConstraintParts): VNode {
  const label = LABELS[constraint];
  const field = { name, input, label, value, onInput };
  if (constraint === 'enum') return <RowText {...field} hint="One per line. Leave empty to allow any." lines={3} />;
  if (constraint === 'pattern') return <RowText {...field} hint="Regular expression (RE2)." placeholder="^\d{4,10}$" />;
  if (constraint !== 'format') return <RowText {...field} inputMode="numeric" />;
  const known = FORMATS.includes(value) || value === '' ? FORMATS : [value, ...FORMATS];
  return (
    <Field name={name} label={label}>
      <Choice
        name={input}
        options={[['', 'Any'], ...known.map((one) => [one, one] as const)]}
        selected={value}
        onChange={onInput}
      />
    </Field>
  );
}
