import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** Numbers of active trunks by the state of their health and of their registration. */
export interface TrunkStates {
  trunks: Record<'up' | 'down' | 'unknown', number>;
  registrations: Record<'registered' | 'failed' | 'unregistered', number>;
}

const TRUNKS = {
  name: 'backlog-trunks',
  text: `SELECT count(*) FILTER (WHERE h.state = 'up')::integer AS up, count(*) FILTER (WHERE h.state = 'down')::integer AS down,
      count(*) FILTER (WHERE coalesce(h.state, 'unknown') = 'unknown')::integer AS unknown
    FROM sip_trunks t LEFT JOIN trunk_health h ON h.trunk_id = t.id WHERE t.active`,
};
const REGISTRATIONS = {
  name: 'backlog-registrations',
  text: `SELECT count(*) FILTER (WHERE r.lease_until > now() AND r.state = 'registered')::integer AS registered,
      count(*) FILTER (WHERE r.lease_until > now() AND r.state IN ('failed', 'registering'))::integer AS failed,
      count(*) FILTER (WHERE coalesce(r.lease_until <= now() OR r.state = 'unregistered', true))::integer AS unregistered
    FROM sip_trunks t LEFT JOIN trunk_registrations r ON r.trunk_id = t.id WHERE t.active AND t.register IS NOT NULL`,
};

/** The trunks of the installation, for its metrics. */
@Injectable()
export class TrunkStatesRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<TrunkStates> {
    const [trunks] = await this.database.rows<TrunkStates['trunks']>(TRUNKS);
    const [registrations] = await this.database.rows<TrunkStates['registrations']>(REGISTRATIONS);
    return {
      trunks: trunks ?? { up: 0, down: 0, unknown: 0 },
      registrations: registrations ?? { registered: 0, failed: 0, unregistered: 0 },
    };
  }
}
