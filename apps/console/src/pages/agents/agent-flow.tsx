import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { agentsOf } from '../../api/records.js';
import type { WholeAgent } from '../../api/types.js';
import { FlowGraph, type StepMark } from '../../components/flow-graph.js';
import { Choice, useAllErrors, useErrors, Field } from '../../components/forms.js';
import { useRead } from '../../components/lists.js';
import { announce } from '../../components/parts.js';
import { RowList, RowText } from '../../components/row-list.js';
import { UnsavedEditsProvider, useEditedPart } from '../../components/unsaved-edits.js';
import {
  CONTEXTS,
  type FlowEdits,
  type HandoffRow,
  type StepKey,
  stepsWithErrors,
  type StepRow,
  withoutStep,
  withStep,
} from '../../logic/flow-form.js';
import { shapeOf } from '../../logic/flow-graph.js';
import { StepFields } from './agent-flow-step.js';

/** Those of the API. */
const MAX_STEPS = 50;
const MAX_HANDOFFS = 10;

interface FlowParts {
  agent: WholeAgent | undefined;
  edits: Signal<FlowEdits>;
}

/** The flow of an agent as a graph with the form of one step beside it, and the agents that it hands calls over to. */
export function FlowSettings({ agent, edits }: FlowParts): VNode {
  useEditedPart('flow', edits);
  const agents = useRead('agents', agentsOf).data ?? [];
  const nameOfAgent = (id: string): string => agents.find((one) => String(one.id) === id)?.name ?? `agent ${id}`;
  const others: readonly (readonly [string, string])[] = [
    ['', 'Choose an agent'],
    ...agents.filter(({ id }) => id !== agent?.id).map(({ id, name }) => [String(id), name] as const),
  ];
  return (
    <section class="card stack" aria-label="Flow" data-part="flow" data-kept-as-part>
      <h2>Flow</h2>
      <Steps agent={agent} edits={edits} others={others} nameOfAgent={nameOfAgent} />
      <Handoffs edits={edits} others={others} />
    </section>
  );
}

interface StepsParts extends FlowParts {
  others: readonly (readonly [string, string])[];
  nameOfAgent: (id: string) => string;
}

function Steps({ agent, edits, others, nameOfAgent }: StepsParts): VNode {
  const place = useRef<HTMLDivElement>(null);
  const chosen = useSignal<StepKey>(edits.value.start);
  const error = useErrors('flow');
  const failed = useFailedSteps(edits.value.steps);
  const { steps } = edits.value;
  const shown = steps.find(({ key }) => key === chosen.value) ?? steps[0];
  const firstFailed = steps.find(({ key }) => failed.has(key));
  useEffect(() => {
    if (!firstFailed) return;
    if (!failed.has(chosen.value)) chosen.value = firstFailed.key;
    // The fields of the step are drawn by then.
    requestAnimationFrame(() => {
      const first = place.current?.querySelector<HTMLElement>('[aria-invalid]');
      if (first && !document.activeElement?.matches('[aria-invalid]')) first.focus();
    });
  }, [[...failed.keys()].join()]);
  const focusName = (): void =>
    void requestAnimationFrame(() =>
      place.current?.querySelector<HTMLInputElement>('[data-role=step-name]  input')?.focus(),
    );
  const add = (): void => {
    const added = withStep(edits.value);
    edits.value = added.edits;
    chosen.value = added.key;
    focusName();
  };
  const remove = (step: StepRow): void => {
    edits.value = withoutStep(edits.value, step.key);
    chosen.value = edits.value.start;
    announce(`The step ${step.name} was removed.`);
    place.current?.querySelector<HTMLElement>('[data-act=add-step]')?.focus();
  };
  const addButton = (
    <button type="button" class="chip" data-act="add-step" disabled={steps.length >= MAX_STEPS} onClick={add}>
      {steps.length === 0 ? 'Add a flow' : 'Add step'}
    </button>
  );
  return (
    <div ref={place} class="stack" data-field="flow">
      <p class="field-error">{error}</p>
      {!shown ? (
        <>
          <p class="hint">
            Steps of the conversation, each with its own instructions, values to collect, and exits to other steps.
            Without a flow, the instructions above apply to the whole conversation.
          </p>
          <div class="chips">{addButton}</div>
        </>
      ) : (
        <div class="flow-editor">
          <div class="stack flow-side">
            <FlowGraph
              label="Steps of the flow"
              shape={shapeOf(edits.value, nameOfAgent)}
              marks={failed}
              chosen={shown.key}
              onChoose={(key) => (chosen.value = key)}
            />
            <div class="chips">{addButton}</div>
          </div>
          {/* The signal of the whole flow is kept; parts of a step would come and go. */}
          <UnsavedEditsProvider value={undefined}>
            <StepFields
              key={shown.key}
              agent={agent}
              others={others}
              flow={edits.value}
              step={shown}
              index={steps.indexOf(shown)}
              onChange={(changes) => {
                const { value } = edits;
                const changed = value.steps.map((one) => (one.key === shown.key ? { ...one, ...changes } : one));
                edits.value = { ...value, steps: changed };
              }}
              onStart={() => (edits.value = { ...edits.value, start: shown.key })}
              onRemove={() => remove(shown)}
            />
          </UnsavedEditsProvider>
          {steps.map((step, index) => step !== shown && <ErrorPlaces key={step.key} step={step} index={index} />)}
        </div>
      )}
      <span hidden data-field="flow.start" />
    </div>
  );
}

/** Steps with errors of the API, by key. */
function useFailedSteps(steps: readonly StepRow[]): ReadonlyMap<StepKey, StepMark> {
  const errors = useAllErrors();
  const fields = Object.keys(errors);
  return new Map(
    stepsWithErrors(fields).flatMap((index) => {
      const step = steps[index];
      const count = fields.filter((field) => `${field}.`.startsWith(`flow.steps.${index}.`)).length;
      return step
        ? [[step.key, { kind: 'bad' as const, text: count === 1 ? '1 error' : `${count} errors` }] as const]
        : [];
    }),
  );
}

const STEP_FIELDS = [
  ...['name', 'instructions', 'collect', 'tools', 'knowledge_base_ids', 'exits', 'action', 'handoff', 'model', 'voice'],
  ...[
    'language',
    'max_turns',
    'timeout_seconds',
    'on_limit',
    'action.transfer',
    'action.say',
    'action.then',
    'action.end',
  ],
  ...['handoff.agent', 'handoff.context'],
];

/** Take the errors of a step that is not shown, so that its fields have them when it is. */
const ErrorPlaces = ({ step, index }: { step: StepRow; index: number }): VNode => (
  <div hidden data-field={`flow.steps.${index}`}>
    {STEP_FIELDS.map((name) => (
      <span key={name} data-field={`flow.steps.${index}.${name}`} />
    ))}
    {step.exits.flatMap((_exit, exit) =>
      ['', '.to', '.if', '.when'].map((name) => (
        <span key={`${exit}${name}`} data-field={`flow.steps.${index}.exits.${exit}${name}`} />
      )),
    )}
  </div>
);

function Handoffs({ edits, others }: Pick<StepsParts, 'edits' | 'others'>): VNode {
  const { handoffs } = edits.value;
  return (
    <>
      <RowList
        name="handoffs"
        label="Other agents that can take over"
        what="handoff"
        rows={handoffs}
        max={MAX_HANDOFFS}
        create={(key): HandoffRow => ({ key, agent: '', when: '', context: '' })}
        onChange={(rows) => (edits.value = { ...edits.value, handoffs: rows })}
      >
        {(row, index, change) => (
          <>
            <RowText
              name={`handoffs.${index}.when`}
              label="When"
              placeholder="The caller wants to cancel an appointment."
              value={row.when}
              onInput={(when) => change({ when })}
            />
            <div class="pair">
              <Field name={`handoffs.${index}.agent`} label="Agent">
                <Choice options={others} selected={row.agent} onChange={(agent) => change({ agent })} />
              </Field>
              <Field name={`handoffs.${index}.context`} label="It knows">
                <Choice
                  options={CONTEXTS}
                  selected={row.context === 'full' ? '' : row.context}
                  onChange={(context) => change({ context })}
                />
              </Field>
            </div>
          </>
        )}
      </RowList>
    </>
  );
}
