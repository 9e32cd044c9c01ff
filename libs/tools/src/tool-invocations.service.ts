import { NotFound } from '@app/common';
import type { ListCursor, ListPage, ListSlice, Sql } from '@app/database';
import { WebhookDeliveriesService } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import { ToolCallbacksRepository } from './tool-callbacks.repository.js';
import { invocationView, type InvocationView } from './presenters/tool.presenter.js';
import {
  type InvocationFilter,
  type InvocationRow,
  type ListedInvocationRow,
  SHOWN_ANSWER,
  ToolInvocationsRepository,
} from './tool-invocations.repository.js';

/** The same retention as for attempts of webhooks and SIP messages of calls. */
const KEPT_MS = 30 * 86_400_000;
/** A run takes at most two minutes (MAX_RUN_MS), after which a running process has stored its end. */
const ABANDONED_MS = 600_000;
const ABANDONED = {
  error: {
    code: 'aborted',
    message: 'The process that ran the tool ended; what it had not sent by then was not sent.',
  },
};

const NO_CALLBACK = { error: { code: 'no_callback', message: 'The tool has reported no result within 15 minutes.' } };

/** The log of tool invocations of an account. */
@Injectable()
export class ToolInvocationsService {
  constructor(
    private readonly invocations: ToolInvocationsRepository,
    private readonly callbacks: ToolCallbacksRepository,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  /** The invocations of a call in order; the first 200. */
  async ofCall(accountId: number, callId: string): Promise<InvocationView[]> {
    return this.views(accountId, await this.invocations.ofCall(accountId, callId));
  }

  /** An invocation with all its actions and their attempts. Throws NotFound when the account has no such invocation. */
  async find(accountId: number, id: string): Promise<InvocationView & { agent_id: number; call_id: string | null }> {
    const found = await this.invocations.find(accountId, id);
    if (!found) throw new NotFound('Tool invocation');
    const [view] = await this.views(accountId, [found]);
    return { ...view!, agent_id: found.agent_id, call_id: found.call_id };
  }

  /** Deletes the invocations of calls whose transcripts are deleted. */
  deleteOfCalls(callIds: readonly string[], tx: Sql): Promise<void> {
    return this.invocations.deleteOfCalls(callIds, tx);
  }

  /** A numbered page, newest first, with the total. */
  page(
    accountId: number,
    filter: InvocationFilter,
    place: { page: number; perPage: number },
  ): Promise<ListPage<ListedInvocationRow>> {
    return this.invocations.page(accountId, filter, place);
  }

  /** The invocations beside a cursor (without one: the newest), newest first. */
  slice(
    accountId: number,
    filter: InvocationFilter,
    place: { cursor?: ListCursor; perPage: number },
  ): Promise<ListSlice<ListedInvocationRow>> {
    return this.invocations.slice(accountId, filter, place);
  }

  /** Ends invocations whose process died, as failed: 500 at most. Any process may run this. @returns their ids. */
  async endAbandoned(): Promise<string[]> {
    await this.callbacks.expire(NO_CALLBACK);
    return this.invocations.endAbandoned(ABANDONED_MS, ABANDONED);
  }

  /** Deletes invocations older than 30 days, the oldest first, 2,000 at most. @returns how many. */
  purgeOld(now = Date.now()): Promise<number> {
    return this.invocations.purge(now - KEPT_MS);
  }

  private async views(accountId: number, rows: readonly InvocationRow[]): Promise<InvocationView[]> {
    const queued = rows.flatMap(({ actions }) => actions.filter(({ outcome }) => outcome === 'queued'));
    const ids = queued.map(({ id }) => id);
    const deliveries = await this.deliveries.ofActions(accountId, ids, SHOWN_ANSWER);
    return rows.map((row) => invocationView(row, deliveries));
  }
}
