import { TrunkStatesRepository, type TrunkStates } from '@app/accounts';
import { type CallBacklog, CallBacklogRepository } from '@app/calls';
import { type CampaignStates, CampaignStatesRepository } from '@app/campaigns';
import type { QueueLength } from '@app/database';
import { DocumentBacklogRepository } from '@app/knowledge';
import { WebhookBacklogRepository } from '@app/webhooks';
import { Injectable } from '@nestjs/common';

/** Lengths of the queues, and how long their first entries have been due. */
export interface Backlog extends TrunkStates {
  calls: CallBacklog['calls'];
  queues: Record<'calls' | 'deliveries' | 'documents', QueueLength>;
  campaigns: CampaignStates;
  breakersOpen: number;
  endpointsDisabled: number;
  callsCutOff: number;
}

/** What waits in the installation, asked of each feature. */
@Injectable()
export class BacklogService {
  constructor(
    private readonly calls: CallBacklogRepository,
    private readonly webhooks: WebhookBacklogRepository,
    private readonly documents: DocumentBacklogRepository,
    private readonly trunks: TrunkStatesRepository,
    private readonly campaigns: CampaignStatesRepository,
  ) {}

  /** One statement after the other: metrics take one connection. */
  async read(): Promise<Backlog> {
    const { calls, queue, cutOff } = await this.calls.read();
    const { queue: deliveries, breakersOpen, endpointsDisabled } = await this.webhooks.read();
    const documents = await this.documents.read();
    const states = await this.trunks.read();
    const campaigns = await this.campaigns.read();
    const queues = { calls: queue, deliveries, documents };
    return { calls, queues, ...states, campaigns, breakersOpen, endpointsDisabled, callsCutOff: cutOff };
  }
}
