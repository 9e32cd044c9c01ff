/** A condition with its values in the order of their `$n`; `shape` names it: the same shape is the same SQL text. */
export interface Condition {
  sql: string;
  values: unknown[];
  shape: string;
  /** The best plan depends on the values: a rare search is found by its trigrams, a frequent one by walking the list. */
  plannedByValues: boolean;
}

/** Writes the WHERE of an account's rows, part by part. */
export class ConditionWriter {
  private readonly values: unknown[];
  private readonly parts = ['account_id = $1'];
  private readonly shapes: string[] = [];
  plannedByValues = false;

  constructor(accountId: number) {
    this.values = [accountId];
  }

  add(shape: string, part: (placeholder: string) => string, value: unknown): void {
    this.addFixed(shape, part(this.place(value)));
  }

  /** The same, unless there is nothing to narrow to. */
  addGiven(shape: string, part: (placeholder: string) => string, value: unknown): void {
    if (value !== undefined) this.add(shape, part, value);
  }

  /** A part without a value. */
  addFixed(shape: string, part: string): void {
    this.parts.push(part);
    this.shapes.push(shape);
  }

  /** Adds a value and gives its placeholder. */
  place(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  done(): Condition {
    return {
      sql: this.parts.join(' AND '),
      values: this.values,
      shape: this.shapes.join('-'),
      plannedByValues: this.plannedByValues,
    };
  }
}

/** Looked up first: beside an ORDER BY with a LIMIT the planner would rather walk the list until it meets a few of the call. */
export const ofCall =
  ({ name }: { name: string }) =>
  (callId: string): string =>
    `id = ANY (ARRAY(SELECT c.id FROM ${name} c WHERE c.call_id = ${callId}::uuid))`;
