import { CallEventsService, CallProgressService, type CallRow, CallsService } from '@app/calls';
import { NotFound } from '@app/common';
import type { Sql } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { Injectable } from '@nestjs/common';
import type { AnalysisView } from './analysis.presenter.js';
import type { AnalysisRow } from './call-analyses.repository.js';
import type { CallMaterial } from './domain/call-material.js';

type Analysed = Pick<AnalysisRow, 'account_id' | 'call_id'>;

/** The calls of analyses: what they hold, and the webhook that reports a result. */
@Injectable()
export class AnalysedCallsService {
  constructor(
    private readonly calls: CallsService,
    private readonly events: CallEventsService,
    private readonly progress: CallProgressService,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /** Undefined: the call or its transcript was deleted. */
  async read({ account_id: accountId, call_id: callId }: Analysed): Promise<CallMaterial | undefined> {
    try {
      const call = await this.calls.findWithResults(accountId, callId);
      if (call.transcript_deleted_at) return undefined;
      return { call, events: await this.events.analysed(callId) };
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  /** Undefined: the call was deleted. */
  async find({ account_id: accountId, call_id: callId }: Analysed): Promise<CallRow | undefined> {
    return this.calls.find(accountId, callId).catch((error: unknown) => {
      if (error instanceof NotFound) return undefined;
      throw error;
    });
  }

  async announce(view: AnalysisView, call: CallRow, tx: Sql): Promise<void> {
    const { settings: _asked, ...result } = view;
    const data = { ...result, agent_id: call.agent_id, agent: call.agent_name, metadata: call.metadata };
    const event = view.status === 'completed' ? 'analysed' : 'analysis-failed';
    await this.progress.announceLater(call, { type: 'call-analysis', event, at: new Date(), data }, tx);
  }

  wakeDispatchers(): void {
    this.wakeUps.wake('webhooks');
    this.wakeUps.wake('campaigns');
  }
}
