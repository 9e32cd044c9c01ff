import { type Flow, flowProblems, type FlowReferences, valueSchemas } from '@app/flow';
import { templateProblem } from './placeholders.js';

/** A problem of a flow, with its path in the settings of the agent. */
export interface FlowFault {
  path: (string | number)[];
  code: ReturnType<typeof flowProblems>[number]['code'];
  problem: string;
}

/** The problems of a flow and of its texts, which may use variables and collected values. */
export function flowFaults(
  flow: Flow,
  { variables, ...references }: FlowReferences & { variables: readonly string[] },
): FlowFault[] {
  const problems: FlowFault[] = flowProblems(flow, { ...references, variables });
  const names = [...variables, ...valueSchemas(flow).keys()].map((name) => ({ name }));
  for (const [index, { instructions, action }] of flow.steps.entries()) {
    const texts: [string, unknown][] = [['instructions', instructions], ...Object.entries(action ?? {})];
    for (const [key, text] of texts) {
      const problem = typeof text === 'string' && key !== 'then' && key !== 'transfer' && templateProblem(text, names);
      const path = ['steps', index, ...(key === 'instructions' ? [] : ['action']), key];
      if (problem) problems.push({ path, code: 'invalid', problem });
    }
  }
  return problems.map((one) => ({ ...one, path: ['flow', ...one.path] }));
}
