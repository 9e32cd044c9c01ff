import { NO_STEP, type FlowEdits, type StepKey, type StepRow, valuesOf } from './flow-form.js';

export interface GraphNode {
  key: StepKey;
  name: string;
  /** What happens in the step, for people. */
  does: string;
  kind: StepRow['ending'];
  isStart: boolean;
}

export interface GraphEdge {
  from: StepKey;
  to: StepKey;
  by: 'if' | 'when' | 'limit' | 'then';
  label: string;
}

export interface FlowShape {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
}

/** What is drawn of a flow. `agentName`: the name of an agent by its id. */
export function shapeOf(
  { steps, start }: Pick<FlowEdits, 'steps' | 'start'>,
  agentName: (id: string) => string,
): FlowShape {
  return {
    nodes: steps.map((step) => ({
      key: step.key,
      name: step.name.trim() || '(no name)',
      does: doesOf(step, agentName),
      kind: step.ending,
      isStart: step.key === start,
    })),
    edges: steps.flatMap(edgesOf).filter(({ to }) => to !== NO_STEP),
  };
}

function doesOf(step: StepRow, agentName: (id: string) => string): string {
  if (step.ending === 'transfer') return `Transfers${step.transfer === '' ? '' : ` to ${step.transfer}`}`;
  if (step.ending === 'handoff') return `Hands over${step.agent === '' ? '' : ` to ${agentName(step.agent)}`}`;
  if (step.ending === 'say') return `Says “${step.text}”`;
  if (step.ending === 'end') return 'Ends the call';
  const values = valuesOf(step);
  return values.length === 0 ? 'Talks' : `Collects ${values.join(', ')}`;
}

function edgesOf(step: StepRow): GraphEdge[] {
  const from = step.key;
  const edges: GraphEdge[] =
    step.ending === 'exits'
      ? step.exits.map(({ to, by, text }, index) => ({ from, to, by, label: `${index + 1}. ${by} ${text}` }))
      : [];
  if (step.ending === 'say') edges.push({ from, to: step.then, by: 'then', label: 'then' });
  const limits = [
    step.maxTurns.trim() !== '' && `${step.maxTurns} turns`,
    step.timeoutSeconds.trim() !== '' && `${step.timeoutSeconds} s`,
  ].filter((one) => one !== false);
  edges.push({ from, to: step.onLimit, by: 'limit', label: `after ${limits.join(' or ') || 'the limit'}` });
  return edges;
}

/** A text of at most `most` characters. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
