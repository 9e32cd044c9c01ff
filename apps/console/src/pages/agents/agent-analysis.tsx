import type { VNode } from 'preact';
import type { WholeAgent } from '../../api/types.js';
import { Choice, Field } from '../../components/forms.js';
import { FormOrJson } from '../../components/form-or-json.js';
import { useJsonText } from '../../components/json-field.js';
import { RowList, RowText } from '../../components/row-list.js';
import { SchemaFields } from '../../components/schema-fields.js';
import {
  ANALYSIS_FORM,
  type AnalysisState,
  newQuestion,
  QUESTION_TYPES,
  type QuestionRow,
} from '../../logic/analysis-form.js';
import { EFFORTS, MODELS } from './agent-pipeline.js';

/** That of the API. */
const MAX_QUESTIONS = 20;

/** Text models; the sandbox has none that reads a conversation. */
const ANALYSTS = [['', 'Default of the installation'], ...MODELS.filter(([name]) => name !== 'sandbox')] as const;

/** What is read out of each call after its end. */
export const Analysis = ({ agent }: { agent: WholeAgent | undefined }): VNode => (
  <details class="card" open={agent?.analysis ? true : undefined} data-part="analysis-settings">
    <summary>Post-call analysis</summary>
    <FormOrJson
      name="analysis"
      label="Analysis"
      hint="extract, rubric (name, question, type: boolean, score or enum, options), summary_prompt, model (provider, model)"
      rows={10}
      text={useJsonText(agent?.analysis ?? null)}
      shape={ANALYSIS_FORM}
    >
      {(state, change) => <AnalysisFields state={state} change={change} />}
    </FormOrJson>
  </details>
);

interface FieldsParts {
  state: AnalysisState;
  change: (changes: Partial<AnalysisState>) => void;
}

const AnalysisFields = ({ state, change }: FieldsParts): VNode => (
  <>
    <p class="hint">Every value and answer needs evidence in the call; without it, the value is empty.</p>
    <h3>Data to extract</h3>
    <SchemaFields
      name="analysis.extract"
      what="value"
      state={state.extract}
      onChange={(changes) => change({ extract: { ...state.extract, ...changes } })}
    />
    <RowList
      name="analysis.rubric"
      label="Questions about the call"
      what="question"
      rows={state.rubric}
      max={MAX_QUESTIONS}
      create={newQuestion}
      onChange={(rubric) => change({ rubric })}
    >
      {(row, index, changeRow) => <QuestionFields name={`analysis.rubric.${index}`} row={row} change={changeRow} />}
    </RowList>
    <RowText
      name="analysis.summary_prompt"
      label="Summary instructions"
      hint="Leave empty for no summary."
      placeholder="Two sentences: what the caller wanted, and what was agreed."
      value={state.summaryPrompt}
      onInput={(summaryPrompt) => change({ summaryPrompt })}
      lines={2}
    />
    <ModelFields model={state.model} onChange={(model) => change({ model })} />
  </>
);

interface QuestionParts {
  name: string;
  row: QuestionRow;
  change: (changes: Partial<QuestionRow>) => void;
}

const QuestionFields = ({ name, row, change }: QuestionParts): VNode => (
  <>
    <div class="pair">
      <RowText
        name={`${name}.name`}
        label="Name"
        placeholder="identity_checked"
        value={row.name}
        onInput={(text) => change({ name: text })}
      />
      <Field name={`${name}.type`} label="Answer">
        <Choice
          options={QUESTION_TYPES}
          selected={row.type}
          onChange={(type) => change({ type: type as QuestionRow['type'] })}
        />
      </Field>
    </div>
    <RowText
      name={`${name}.question`}
      label="Question"
      placeholder="Did the agent check who is calling?"
      value={row.question}
      onInput={(question) => change({ question })}
    />
    {row.type === 'enum' && (
      <RowText
        name={`${name}.options`}
        label="Possible answers"
        hint="One per line."
        value={row.options}
        onInput={(options) => change({ options })}
        lines={3}
      />
    )}
  </>
);

interface ModelParts {
  model: AnalysisState['model'];
  onChange: (model: AnalysisState['model']) => void;
}

const ModelFields = ({ model, onChange }: ModelParts): VNode => (
  <div class="pair">
    <Field name="analysis.model.provider" label="Model provider">
      <Choice
        options={ANALYSTS}
        selected={model.provider}
        onChange={(provider) => onChange({ ...model, provider, ...(provider === '' && { model: '', effort: '' }) })}
      />
    </Field>
    {model.provider !== '' && (
      <RowText
        name="analysis.model.model"
        label="Model"
        value={model.model}
        onInput={(name) => onChange({ ...model, model: name })}
      />
    )}
    {model.provider !== '' && (
      <Field name="analysis.model.reasoning_effort" label="Reasoning effort">
        <Choice options={EFFORTS} selected={model.effort} onChange={(effort) => onChange({ ...model, effort })} />
      </Field>
    )}
  </div>
);
