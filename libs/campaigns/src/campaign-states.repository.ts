import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** Numbers of campaigns that run or pause. */
export type CampaignStates = Record<'running' | 'paused' | 'paused_by_breaker', number>;

const STATES = {
  name: 'backlog-campaigns',
  text: `SELECT count(*) FILTER (WHERE status = 'running')::integer AS running,
      count(*) FILTER (WHERE status = 'paused' AND pause_reason <> 'failure_rate')::integer AS paused,
      count(*) FILTER (WHERE status = 'paused' AND pause_reason = 'failure_rate')::integer AS paused_by_breaker
    FROM campaigns WHERE status IN ('running', 'paused')`,
};

/** The campaigns of the installation, for its metrics. */
@Injectable()
export class CampaignStatesRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<CampaignStates> {
    const [states] = await this.database.rows<CampaignStates>(STATES);
    return states ?? { running: 0, paused: 0, paused_by_breaker: 0 };
  }
}
