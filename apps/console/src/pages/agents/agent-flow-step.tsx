import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { knowledgeOf, toolsOf } from '../../api/records.js';
import type { WholeAgent } from '../../api/types.js';
import { FormOrJson } from '../../components/form-or-json.js';
import { Choice, Field, useErrors } from '../../components/forms.js';
import { useRead } from '../../components/lists.js';
import { RowList, RowText } from '../../components/row-list.js';
import { SchemaFields } from '../../components/schema-fields.js';
import { CONTEXTS, type Ending, type ExitRow, type FlowEdits, NO_STEP, type StepRow } from '../../logic/flow-form.js';
import { schemaInWords } from '../../logic/json-text.js';
import { SCHEMA_FORM } from '../../logic/schema-form.js';

const MAX_EXITS = 20;

const ENDINGS = [
  ['exits', 'The agent talks, and exits lead on'],
  ['transfer', 'Transfer the call'],
  ['say', 'Say a text'],
  ['end', 'End the call'],
  ['handoff', 'Hand over to another agent'],
] as const;

const BY = [
  ['if', 'an expression is true'],
  ['when', 'the model sees this situation'],
] as const;

interface StepParts {
  agent: WholeAgent | undefined;
  others: readonly (readonly [string, string])[];
  flow: FlowEdits;
  step: StepRow;
  index: number;
  onChange: (changes: Partial<StepRow>) => void;
  onStart: () => void;
  onRemove: () => void;
}

/** The form of one step. */
export function StepFields(parts: StepParts): VNode {
  const { flow, step, index, onChange, onStart, onRemove } = parts;
  const at = `flow.steps.${index}`;
  const error = useErrors(at);
  const isStart = flow.start === step.key;
  const text = (name: string, label: string, key: 'model' | 'voice' | 'language', placeholder: string): VNode => (
    <RowText
      name={`${at}.${name}`}
      label={label}
      placeholder={placeholder}
      value={step[key]}
      onInput={(value) => onChange({ [key]: value })}
    />
  );
  return (
    <div class="stack flow-step" role="group" aria-label={`Step ${step.name}`} data-field={at}>
      <p class="field-error">{error}</p>
      <div data-role="step-name">
        <RowText
          name={`${at}.name`}
          label="Name of the step"
          hint="In snake_case. Exits that lead here follow the name."
          value={step.name}
          onInput={(name) => onChange({ name })}
        />
      </div>
      <Field name={`${at}.kind`} label="In this step">
        <Choice
          options={ENDINGS}
          selected={step.ending}
          onChange={(ending) => onChange({ ending: ending as Ending })}
        />
      </Field>
      <EndingFields {...parts} at={at} />
      {step.ending === 'exits' && (
        <>
          <RowText
            name={`${at}.instructions`}
            label="Instructions of the step"
            hint="They follow those of the agent. Placeholders can name collected values."
            lines={5}
            value={step.instructions}
            onInput={(instructions) => onChange({ instructions })}
          />
          <Collect name={`${at}.collect`} text={step.collect} onChange={(collect) => onChange({ collect })} />
          <Exits {...parts} at={at} />
          <Limits {...parts} at={at} />
          <Tools {...parts} at={at} />
          <details>
            <summary>Model, voice and language of the step</summary>
            <div class="stack">
              {text('model', 'Model', 'model', 'That of the agent')}
              <div class="pair">
                {text('voice', 'Voice', 'voice', 'That of the agent')}
                {text('language', 'Language', 'language', 'That of the agent')}
              </div>
            </div>
          </details>
        </>
      )}
      <div class="actions">
        {isStart ? (
          <span class="hint">The conversation starts here.</span>
        ) : (
          <button type="button" class="quiet" data-act="start-here" onClick={onStart}>
            Start here
          </button>
        )}
        <button type="button" class="quiet" data-act="remove-step" onClick={onRemove}>
          Remove step<span class="unseen"> {step.name}</span>
        </button>
      </div>
    </div>
  );
}

type PartOfStep = StepParts & { at: string };

const stepOptions = ({ steps }: FlowEdits, none: string): readonly (readonly [number, string])[] => [
  [NO_STEP, none],
  ...steps.map(({ key, name }) => [key, name.trim() || '(no name)'] as const),
];

function EndingFields({ at, step, flow, others, agent, onChange }: PartOfStep): VNode | null {
  if (step.ending === 'transfer') {
    const names = agent?.call_transfer.destinations.map(({ name }) => name) ?? [];
    const known = names.includes(step.transfer) || step.transfer === '' ? names : [step.transfer, ...names];
    return (
      <Field name={`${at}.action.transfer`} label="Destination" hint="The destinations of the agent's transfers.">
        <Choice
          options={[['', 'The default one'], ...known.map((name) => [name, name] as const)]}
          selected={step.transfer}
          onChange={(transfer) => onChange({ transfer })}
        />
      </Field>
    );
  }
  if (step.ending === 'handoff')
    return (
      <div class="pair">
        <Field name={`${at}.handoff.agent`} label="Agent">
          <Choice options={others} selected={step.agent} onChange={(other) => onChange({ agent: other })} />
        </Field>
        <Field name={`${at}.handoff.context`} label="It knows">
          <Choice
            options={CONTEXTS}
            selected={step.context === 'full' ? '' : step.context}
            onChange={(context) => onChange({ context })}
          />
        </Field>
      </div>
    );
  if (step.ending !== 'say' && step.ending !== 'end') return null;
  return (
    <>
      <RowText
        name={`${at}.action.${step.ending}`}
        label={step.ending === 'say' ? 'Text' : 'Last sentence'}
        hint={step.ending === 'end' ? 'Leave empty to end the call without one.' : undefined}
        lines={2}
        value={step.text}
        onInput={(text) => onChange({ text })}
      />
      {step.ending === 'say' && (
        <Field name={`${at}.action.then`} label="Then">
          <Choice
            options={stepOptions(flow, 'Stay in this step')}
            selected={step.then}
            onChange={(then) => onChange({ then: Number(then) })}
          />
        </Field>
      )}
    </>
  );
}

interface CollectParts {
  name: string;
  text: string;
  onChange: (text: string) => void;
}

function Collect({ name, text: stored, onChange }: CollectParts): VNode {
  const text = useSignal(stored);
  useEffect(() => {
    if (text.value !== stored) onChange(text.value);
  }, [text.value]);
  useEffect(() => {
    text.value = stored;
  }, [stored]);
  return (
    <FormOrJson
      name={name}
      label="Values to collect"
      hint="JSON Schema. Exits with an expression wait for the required values."
      rows={8}
      text={text}
      describe={schemaInWords}
      shape={SCHEMA_FORM}
    >
      {(state, change) => <SchemaFields name={name} what="value" isLabelUnseen state={state} onChange={change} />}
    </FormOrJson>
  );
}

const Exits = ({ at, step, flow, onChange }: PartOfStep): VNode => (
  <RowList
    name={`${at}.exits`}
    label="Exits, tried in this order"
    what="exit"
    rows={step.exits}
    max={MAX_EXITS}
    create={(key): ExitRow => ({ key, to: NO_STEP, by: 'when', text: '' })}
    onChange={(exits) => onChange({ exits })}
  >
    {(row, index, change) => (
      <>
        <div class="pair">
          <Field name={`${at}.exits.${index}.to`} label="Go to">
            <Choice
              options={stepOptions(flow, 'Choose a step')}
              selected={row.to}
              onChange={(to) => change({ to: Number(to) })}
            />
          </Field>
          <Field name={`${at}.exits.${index}.by`} label="When">
            <Choice options={BY} selected={row.by} onChange={(by) => change({ by: by as ExitRow['by'] })} />
          </Field>
        </div>
        <RowText
          name={`${at}.exits.${index}.${row.by}`}
          label={row.by === 'if' ? 'Expression' : 'Situation'}
          placeholder={row.by === 'if' ? "vars.reason == 'book'" : 'The caller wants to cancel.'}
          value={row.text}
          onInput={(text) => change({ text })}
        />
      </>
    )}
  </RowList>
);

const Limits = ({ at, step, flow, onChange }: PartOfStep): VNode => (
  <details open={step.maxTurns !== '' || step.timeoutSeconds !== '' || undefined}>
    <summary>Limits of the step</summary>
    <div class="stack">
      <div class="pair">
        <RowText
          name={`${at}.max_turns`}
          label="Turns of the user"
          inputMode="numeric"
          value={step.maxTurns}
          onInput={(maxTurns) => onChange({ maxTurns })}
        />
        <RowText
          name={`${at}.timeout_seconds`}
          label="Seconds"
          inputMode="numeric"
          value={step.timeoutSeconds}
          onInput={(timeoutSeconds) => onChange({ timeoutSeconds })}
        />
      </div>
      <Field name={`${at}.on_limit`} label="Then go to">
        <Choice
          options={stepOptions(flow, 'Choose a step')}
          selected={step.onLimit}
          onChange={(to) => onChange({ onLimit: Number(to) })}
        />
      </Field>
    </div>
  </details>
);

function Tools({ at, step, agent, onChange }: PartOfStep): VNode {
  const id = agent?.id;
  const tools = useRead(`tools of ${id}`, async (signal) => (id === undefined ? [] : toolsOf(id, signal))).data ?? [];
  const bases =
    useRead(`knowledge of ${id}`, async (signal) => (id === undefined ? [] : knowledgeOf(id, signal))).data ?? [];
  return (
    <details open={step.tools !== null || step.knowledge !== null || undefined}>
      <summary>Tools and knowledge of the step</summary>
      <div class="stack">
        <Subset
          name={`${at}.tools`}
          label="Tools"
          options={tools.map(({ name }) => [name, name] as const)}
          chosen={step.tools}
          onChange={(chosen) => onChange({ tools: chosen })}
        />
        <Subset
          name={`${at}.knowledge_base_ids`}
          label="Knowledge bases"
          options={bases.map((base) => [base.id, base.title] as const)}
          chosen={step.knowledge}
          onChange={(chosen) => onChange({ knowledge: chosen })}
        />
      </div>
    </details>
  );
}

interface SubsetParts<T extends string | number> {
  name: string;
  label: string;
  options: readonly (readonly [value: T, label: string])[];
  chosen: readonly T[] | null;
  onChange: (chosen: readonly T[] | null) => void;
}

/** All records of the agent, or some of them. Chosen ones that do not exist stay, as the service names them in a warning. */
function Subset<T extends string | number>({ name, label, options, chosen, onChange }: SubsetParts<T>): VNode {
  const error = useErrors(name);
  const gone = (chosen ?? []).filter((one) => !options.some(([value]) => value === one));
  const all = [...options, ...gone.map((one) => [one, `${one} (not found)`] as const)];
  return (
    <fieldset class="stack tight-stack flow-subset" data-field={name}>
      <legend>{label}</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={chosen === null}
          onChange={(event) => onChange(event.currentTarget.checked ? null : options.map(([value]) => value))}
        />
        All of the agent
      </label>
      {chosen !== null &&
        all.map(([value, text]) => (
          <label key={value} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={(event) =>
                onChange(event.currentTarget.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
              }
            />
            {text}
          </label>
        ))}
      <p class="field-error">{error}</p>
    </fieldset>
  );
}
