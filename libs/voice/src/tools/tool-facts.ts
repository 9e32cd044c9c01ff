/** A variable that the answer of a tool set; null with the reason. */
export interface AssignedVariable {
  name: string;
  value: string | number | boolean | null;
  problem: string | null;
}

/** What a tool reports after the conversation has gone on. */
export interface LateResult {
  toolCallId: string;
  status: 'progress' | 'completed' | 'failed';
  /** For the model: text of the progress, the result, or `{ error }`. */
  result: unknown;
  assigned?: readonly AssignedVariable[];
}

/** What the user said or pressed after the values had been read back. */
export interface ConfirmationWords {
  words: string;
  /** Since the answer. */
  at_ms: number;
}

/** Whether a tool that the user confirms may run. `asked`, `refused`: `result` is for the model, and the tool does not run. */
export type ConfirmationStep =
  { state: 'asked' | 'refused'; result: Record<string, unknown> } | { state: 'confirmed'; evidence: ConfirmationWords };
