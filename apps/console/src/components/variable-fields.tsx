import type { Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { ask } from '../api/client.js';
import { apiPath } from '../api/path.js';
import type { AgentVariable, WholeAgent } from '../api/types.js';
import { Choice, Field, textOf } from './forms.js';
import { useRead } from './lists.js';

type VariableValues = Readonly<Record<string, string | number | boolean>>;

/** Declarations do not name a type: a variable has that of its default. */
const typeOf = ({ default: usual }: AgentVariable): 'boolean' | 'number' | 'text' =>
  typeof usual === 'boolean' || typeof usual === 'number' ? (typeof usual as 'boolean' | 'number') : 'text';

const ANSWERS = { true: 'Yes', false: 'No' } as const;

const shownDefault = ({ default: usual }: AgentVariable): string | undefined =>
  usual === null || usual === undefined ? undefined : typeof usual === 'boolean' ? ANSWERS[`${usual}`] : String(usual);

interface VariableParts {
  variable: AgentVariable;
  /** Begins the name of the field: `variables`. */
  group: string;
  value: string | undefined;
  onInput: ((value: string) => void) | undefined;
  /** A contact of a campaign may have the value instead. */
  isOptional: boolean;
}

function VariableField({ variable, group, value, onInput, isOptional }: VariableParts): VNode {
  const { name, description, required, max_length: maxLength } = variable;
  const usual = shownDefault(variable);
  const isNeeded = required === true && usual === undefined && !isOptional;
  const hint = [description, usual !== undefined && typeOf(variable) !== 'boolean' && `Default: ${usual}.`];
  return (
    <Field
      name={`${group}.${name}`}
      label={isNeeded ? name : `${name} (optional)`}
      hint={hint.filter(Boolean).join(' ')}
    >
      {typeOf(variable) === 'boolean' ? (
        <Choice
          options={[['', usual === undefined ? '–' : `Default: ${usual}`], ...Object.entries(ANSWERS)]}
          selected={value ?? ''}
          onChange={(chosen) => onInput?.(chosen)}
        />
      ) : (
        <input
          {...(onInput ? { value: value ?? '' } : { defaultValue: value ?? '' })}
          onInput={(event) => onInput?.(event.currentTarget.value)}
          inputMode={typeOf(variable) === 'number' ? 'decimal' : 'text'}
          maxLength={maxLength}
          required={isNeeded}
          autocomplete="off"
        />
      )}
    </Field>
  );
}

interface FieldsParts {
  /** The variables that the agent declares. */
  declared: readonly AgentVariable[];
  group?: string;
  label?: string;
  /** Takes the values as they are typed. */
  values?: Signal<Readonly<Record<string, string>>>;
  /** Stored values. */
  given?: Readonly<Record<string, unknown>> | null | undefined;
  isOptional?: boolean;
}

/** A field for each variable of an agent. The API reports a wrong or missing value at `variables.NAME`. */
export function VariableFields(parts: FieldsParts): VNode | null {
  const { declared, group = 'variables', label = 'Variables', values, given, isOptional = false } = parts;
  if (declared.length === 0) return null;
  const textGiven = (name: string): string | undefined => {
    const value = given?.[name];
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return (
    <div class="stack" role="group" aria-label={label}>
      {declared.map((variable) => (
        <VariableField
          key={variable.name}
          variable={variable}
          group={group}
          value={values ? values.value[variable.name] : textGiven(variable.name)}
          onInput={values && ((text) => (values.value = { ...values.value, [variable.name]: text }))}
          isOptional={isOptional}
        />
      ))}
    </div>
  );
}

/** A value with the type of its variable. Text that has not this type is sent as typed: the API validates it. */
function typed(text: string, variable: AgentVariable): string | number | boolean {
  const type = typeOf(variable);
  if (type === 'boolean' && text in ANSWERS) return text === 'true';
  return type === 'number' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** The given values; empty ones are left out. undefined: the agent declares no variable. */
export function typedValues(
  declared: readonly AgentVariable[],
  textIn: (name: string) => string | undefined,
): VariableValues | undefined {
  if (declared.length === 0) return undefined;
  const given = declared.map((variable) => [variable, (textIn(variable.name) ?? '').trim()] as const);
  return Object.fromEntries(
    given.filter(([, text]) => text !== '').map(([variable, text]) => [variable.name, typed(text, variable)]),
  );
}

/** The values of VariableFields in a form. */
export const variablesIn = (
  values: FormData,
  declared: readonly AgentVariable[],
  group = 'variables',
): VariableValues | undefined => typedValues(declared, (name) => textOf(values, `${group}.${name}`));

/** The variables that an agent declares; none while they are read, or without an agent. */
export function useDeclared(agentId: number | undefined): readonly AgentVariable[] {
  const { data } = useRead(`variables of ${agentId}`, async (signal) =>
    agentId === undefined
      ? undefined
      : (await ask<{ data: WholeAgent }>('GET', apiPath`agents/${agentId}`, { signal })).data,
  );
  return data && data.id === agentId ? data.variables : [];
}
