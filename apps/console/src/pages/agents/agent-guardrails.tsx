import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { WholeAgent } from '../../api/types.js';
import { Choice, Field, textOf } from '../../components/forms.js';
import { RowList } from '../../components/row-list.js';

type Rule = WholeAgent['guardrails'][number];
type Sentence = WholeAgent['disclosure'][number];

const MAX_RULES = 20;
const MAX_SENTENCES = 50;

const SIDES = [
  ['agent', 'The agent says'],
  ['user', 'The other party says'],
  ['tool', 'A tool is called with'],
] as const;

const CONDITIONS = [
  ['topics', 'Words or phrases'],
  ['pattern', 'A pattern (RE2)'],
  ['policy', 'A sentence that a model judges'],
] as const;
type Condition = (typeof CONDITIONS)[number][0];

const ACTIONS = [
  ['flag', 'Note it'],
  ['block', 'Block it'],
  ['replace', 'Replace it'],
  ['say', 'Say a sentence'],
  ['transfer', 'Transfer the call'],
  ['end', 'End the call'],
] as const;

const TIMEOUTS = [
  ['allow', 'Allow it'],
  ['block', 'Apply the rule'],
] as const;

interface RuleRow {
  key: number;
  on: string;
  condition: Condition;
  action: string;
  stored: Rule | undefined;
}

interface SentenceRow {
  key: number;
  stored: Sentence | undefined;
}

const conditionOf = ({ pattern, policy }: Rule): Condition =>
  pattern !== undefined ? 'pattern' : policy !== undefined ? 'policy' : 'topics';

const hasText = ({ on, action }: RuleRow): boolean => action !== 'flag' && (action !== 'block' || on === 'tool');

/** The fields of an agent about what is said on its calls. */
export function GuardrailFields({ agent }: { agent: WholeAgent | undefined }): VNode {
  const rules = useSignal<readonly RuleRow[]>(
    (agent?.guardrails ?? []).map((stored, key) => ({
      ...{ key, stored },
      ...{ on: stored.on, action: stored.action, condition: conditionOf(stored) },
    })),
  );
  const sentences = useSignal<readonly SentenceRow[]>(
    (agent?.disclosure ?? []).map((stored, key) => ({ key, stored })),
  );
  return (
    <div class="card stack">
      <h2>Disclosure and rules</h2>
      <input type="hidden" name="disclosure.count" value={sentences.value.length} />
      <RowList
        name="disclosure"
        label="Spoken first, without interruption"
        what="disclosure"
        rows={sentences.value}
        max={MAX_SENTENCES}
        create={(key): SentenceRow => ({ key, stored: undefined })}
        onChange={(rows) => (sentences.value = rows)}
      >
        {({ stored }, index) => (
          <>
            <div class="pair">
              <Field name={`disclosure.${index}.language`} label="Language">
                <input defaultValue={stored?.language ?? 'en'} autocomplete="off" />
              </Field>
              <Field name={`disclosure.${index}.prefix`} label="Number prefix" hint="Such as +49. Leave empty for all.">
                <input defaultValue={stored?.prefix ?? ''} autocomplete="off" />
              </Field>
            </div>
            <Field name={`disclosure.${index}.text`} label="Sentence">
              <textarea rows={2} defaultValue={stored?.text ?? ''} />
            </Field>
          </>
        )}
      </RowList>
      <input type="hidden" name="guardrails.count" value={rules.value.length} />
      <RowList
        name="guardrails"
        label="Rules"
        what="rule"
        rows={rules.value}
        max={MAX_RULES}
        create={(key): RuleRow => ({ key, on: 'agent', condition: 'topics', action: 'flag', stored: undefined })}
        onChange={(rows) => (rules.value = rows)}
      >
        {(row, index, change) => <RuleFields row={row} at={`guardrails.${index}`} change={change} />}
      </RowList>
    </div>
  );
}

interface RuleParts {
  row: RuleRow;
  at: string;
  change: (changes: Partial<RuleRow>) => void;
}

function RuleFields({ row, at, change }: RuleParts): VNode {
  const { stored, condition } = row;
  return (
    <>
      <Field name={`${at}.name`} label="Name of the rule" hint="In snake_case, such as no_guarantees.">
        <input defaultValue={stored?.name ?? ''} autocomplete="off" />
      </Field>
      <div class="pair">
        <Field name={`${at}.on`} label="Applies when">
          <Choice options={SIDES} selected={row.on} onChange={(on) => change({ on })} />
        </Field>
        <Field name={`${at}.condition`} label="Recognised by">
          <Choice
            options={CONDITIONS}
            selected={condition}
            onChange={(value) => change({ condition: value as Condition })}
          />
        </Field>
      </div>
      {condition === 'topics' && (
        <Field name={`${at}.topics`} label="Words or phrases" hint="One per line. Other forms of a word count as well.">
          <textarea rows={3} defaultValue={(stored?.topics ?? []).join('\n')} />
        </Field>
      )}
      {condition === 'pattern' && (
        <Field name={`${at}.pattern`} label="Pattern">
          <input defaultValue={stored?.pattern ?? ''} autocomplete="off" />
        </Field>
      )}
      {condition === 'policy' && (
        <>
          <Field
            name={`${at}.policy`}
            label="Sentence"
            hint="The text model of the installation judges whether it is true."
          >
            <textarea rows={2} defaultValue={stored?.policy ?? ''} />
          </Field>
          <Field name={`${at}.on_timeout`} label="Without a verdict in 400 ms">
            <Choice options={TIMEOUTS} selected={stored?.on_timeout ?? 'allow'} />
          </Field>
        </>
      )}
      <Field name={`${at}.action`} label="Then">
        <Choice options={ACTIONS} selected={row.action} onChange={(action) => change({ action })} />
      </Field>
      {hasText(row) && (
        <Field name={`${at}.text`} label={row.on === 'tool' ? 'Text for the caller or the model' : 'Words to say'}>
          <textarea rows={2} defaultValue={stored?.text ?? ''} />
        </Field>
      )}
    </>
  );
}

const rowsIn = (values: FormData, name: string): string[] =>
  Array.from({ length: Number(textOf(values, `${name}.count`)) || 0 }, (_, index) => `${name}.${index}`);

/** A field that is left out when it is empty. */
const given = (key: 'prefix' | 'text', text: string) => (text === '' ? {} : { [key]: text });

/** The settings of these fields. */
export function guardrailsIn(values: FormData) {
  const text = (name: string): string => textOf(values, name);
  return {
    disclosure: rowsIn(values, 'disclosure').map((at) => ({
      language: text(`${at}.language`),
      ...given('prefix', text(`${at}.prefix`)),
      text: text(`${at}.text`),
    })),
    guardrails: rowsIn(values, 'guardrails').map((at) => ({
      name: text(`${at}.name`),
      on: text(`${at}.on`) as Rule['on'],
      ...conditionIn(values, at),
      action: text(`${at}.action`) as Rule['action'],
      ...given('text', text(`${at}.text`)),
    })),
  };
}

function conditionIn(values: FormData, at: string): object {
  const condition = textOf(values, `${at}.condition`);
  if (condition === 'pattern') return { pattern: textOf(values, `${at}.pattern`) };
  if (condition === 'policy')
    return { policy: textOf(values, `${at}.policy`), on_timeout: textOf(values, `${at}.on_timeout`) };
  const lines = textOf(values, `${at}.topics`).split('\n');
  return { topics: lines.map((line) => line.trim()).filter(Boolean) };
}
