import { valuesOf } from './assignment.js';
import type { Assignment, ConversationVariables } from './tool.js';

/** Variables that live as long as the conversation. */
export class MemoryVariables implements ConversationVariables {
  private readonly values: Map<string, unknown>;

  constructor(given: Record<string, unknown> | null) {
    this.values = new Map(Object.entries(given ?? {}));
  }

  all(): Record<string, unknown> {
    return Object.fromEntries(this.values);
  }

  assign(assigned: readonly Assignment[]): void {
    this.set(valuesOf(assigned));
  }

  set(values: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(values)) this.values.set(name, value);
  }
}
