import { migrateWithBuild } from './built-command.js';
import { freePorts } from './free-port.js';
import { startTestServer } from './postgres-server.js';
import { type RunningService, startService } from './running-service.js';
import { startBrowser } from './console-browser.js';
import { createTestDatabase } from './database.js';

interface StartedStories {
  /** Of the PostgreSQL server with the template. */
  serverUrl: string;
  running: RunningService;
  stop(): Promise<void>;
}

/** Starts PostgreSQL with a migrated template, and the built service on a clone of it. */
export async function start(): Promise<StartedStories> {
  const server = await startTestServer(migrateWithBuild);
  try {
    process.env.DATABASE_URL = server.url;
    const { url } = await createTestDatabase();
    const healthPort = await freePorts(3);
    const settings = { DATABASE_URL: url, HOST: '127.0.0.1', HEALTH_PORT: String(healthPort) };
    const { running: started, stop } = await startService(settings);
    const browser = await startBrowser();
    const running = { ...started, healthPort, databaseUrl: url, browserEndpoint: browser?.wsEndpoint() };
    const stopAll = async (): Promise<void> => {
      await browser?.close();
      await stop();
      await server.stop();
    };
    return { serverUrl: server.url, running, stop: stopAll };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
