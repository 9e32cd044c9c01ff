import { NotFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import { CallEventsRepository, type EventsState, type NewCallEvent } from './call-events.repository.js';
import type { OwnedCall } from '../domain/call.js';
import { type CallEventView, callEventView } from '../presenters/call-event.presenter.js';

/** A page of a call's events, in their order. */
interface CallEventPage {
  events: CallEventView[];
  /** `after` of the next page. */
  nextAfter: number;
  /** The call has ended, and the page contains its last event. */
  complete: boolean;
}

@Injectable()
export class CallEventsService {
  constructor(private readonly events: CallEventsRepository) {}

  /**
   * Appends events in order; the answering party of an event is also stored in the row of the call. Returns false when the call belongs to
   * another dialer; nothing was written.
   */
  async append(call: OwnedCall, events: readonly NewCallEvent[]): Promise<boolean> {
    return events.length === 0 || this.events.append(call, events);
  }

  /** The turns, tool calls and pressed keys of a call, for its analysis. The caller has read the call of the account. */
  analysed(callId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    return this.events.analysed(callId);
  }

  /** Throws NotFound when the account has no such call. */
  async state(accountId: number, callId: string): Promise<EventsState> {
    const state = await this.events.state(accountId, callId);
    if (!state) throw new NotFound('Call');
    return state;
  }

  /** Reads up to `limit` events after number `after`. Throws NotFound when the account has no such call. */
  async page(
    call: { accountId: number; callId: string },
    { after, limit }: { after: number; limit: number },
  ): Promise<CallEventPage> {
    const { last, ended } = await this.state(call.accountId, call.callId);
    const found = await this.events.page(call.callId, after, limit);
    const nextAfter = found.at(-1)?.seq ?? after;
    const events = found.map(callEventView).filter((event) => event !== undefined);
    return { events, nextAfter, complete: ended && nextAfter >= last };
  }
}
