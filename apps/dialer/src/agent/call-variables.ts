import type { CallCommandsService, OwnedCall } from '@app/calls';
import type { Log } from '@app/common';
import { type Assignment, type ConversationVariables, MemoryVariables, valuesOf } from '@app/tools';
import { persist } from '../call/call-records.service.js';
import type { ConversationRecord } from './conversation-record.js';

/** The variables of one call: templates get them with their secrets, its row as they may be stored. */
export class CallVariables implements ConversationVariables {
  private readonly memory: MemoryVariables;
  private writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly commands: Pick<CallCommandsService, 'setVariables'>,
    private readonly record: Pick<ConversationRecord, 'redactValue'>,
    private readonly call: OwnedCall,
    given: Record<string, unknown> | null,
    private readonly log: Log,
  ) {
    this.memory = new MemoryVariables(given);
  }

  all(): Record<string, unknown> {
    return this.memory.all();
  }

  /** Values that are stored already. */
  set(values: Record<string, unknown>): void {
    this.memory.set(values);
  }

  /** Written in their order; a killed dialer leaves what was written so far. */
  assign(assigned: readonly Assignment[]): void {
    this.memory.assign(assigned);
    const values = this.record.redactValue(valuesOf(assigned));
    this.writing = this.writing.then(() =>
      persist(() => this.commands.setVariables(this.call, values), this.log).catch((err: unknown) =>
        this.log.error({ err, call_id: this.call.id }, 'variables of a call could not be stored'),
      ),
    );
  }

  /** Resolves when the values so far are stored. */
  async flush(): Promise<void> {
    await this.writing;
  }
}
