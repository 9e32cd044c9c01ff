import { RecordLookupsService } from '@app/accounts';
import { AgentLookupsService } from '@app/agents';
import { CampaignLookupsService } from '@app/campaigns';
import { Injectable } from '@nestjs/common';
import type { Dimension } from './domain/dimensions.js';

/** The names of the records that calls are grouped by. */
@Injectable()
export class LabelsService {
  constructor(
    private readonly agents: AgentLookupsService,
    private readonly campaigns: CampaignLookupsService,
    private readonly records: RecordLookupsService,
  ) {}

  /** By id; deleted records, and values that are not records, are left out. */
  async of(accountId: number, dimension: Dimension, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    if (ids.length === 0) return new Map();
    switch (dimension) {
      case 'agent':
      case 'version':
        return this.agents.names(accountId, ids);
      case 'campaign':
        return this.campaigns.names(accountId, ids);
      case 'number': {
        const numbers = await this.records.numbers(accountId, ids);
        return new Map(numbers.map(({ id, e164 }) => [id, e164]));
      }
      case 'trunk':
        return this.records.trunkNames(accountId, ids);
      default:
        return new Map();
    }
  }
}
