import { Database, type QueueLength, queueLength } from '@app/database';
import { Injectable } from '@nestjs/common';

const QUEUE = {
  name: 'backlog-documents',
  from: `knowledge_bases WHERE status = 'pending' AND next_attempt_at <= now()`,
  since: 'next_attempt_at',
};

/** Documents of the installation that are due, for its metrics. */
@Injectable()
export class DocumentBacklogRepository {
  constructor(private readonly database: Database) {}

  read(): Promise<QueueLength> {
    return queueLength(this.database, QUEUE);
  }
}
