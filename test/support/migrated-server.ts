import { migrate } from '@app/database';
import { prepareQueueSchema } from '@app/queue';
import { startTestServer, type TestServer } from './postgres-server.js';

/** A PostgreSQL whose template has the migrations of the sources, also those that are not built yet. */
export const startMigratedServer = (): Promise<TestServer> =>
  startTestServer(async (url) => {
    await migrate(url);
    await prepareQueueSchema(url);
  });
