import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

const CAMPAIGNS = {
  name: 'campaigns-by-id',
  text: 'SELECT id, name FROM campaigns WHERE account_id = $1 AND id = ANY ($2::integer[])',
};

/** Campaigns that other features name. Prepared: analytics label their rows with them. */
@Injectable()
export class CampaignLookupsRepository {
  constructor(private readonly database: Database) {}

  /** Without campaigns that the account does not have. */
  campaigns(accountId: number, ids: readonly number[]): Promise<{ id: number; name: string }[]> {
    return this.database.quickRows<{ id: number; name: string }>(CAMPAIGNS, [accountId, ids]);
  }
}
