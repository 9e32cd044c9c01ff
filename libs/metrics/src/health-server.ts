import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { bySetting } from '@app/common';
import { collectProcessMetrics, metricsText } from './metrics.js';

export interface HealthServer {
  /** The bound port; the system chooses one for port 0. */
  port: number;
  close(): Promise<void>;
}

interface HealthOptions {
  port: number;
  /** Address to listen on. */
  host: string;
  /** The label of the process in `trunkline_build_info`. */
  role: string;
  /** Why the process is not ready; empty: it is ready. */
  reasons: () => Promise<string[]>;
}

/**
 * Serves `/health/live`, `/health/ready` and `/metrics` (Prometheus) on a separate port, which only the cluster reaches. Live: the
 * event loop responds. Ready: `reasons` is empty (otherwise 503 with the reasons).
 */
export async function startHealthServer({ port, host, role, reasons }: HealthOptions): Promise<HealthServer> {
  collectProcessMetrics(role);
  const server = createServer((request, response) => {
    route(request, response, reasons).catch(() => answer(response, 500, { message: 'The check itself failed.' }));
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw bySetting(error, { HEALTH_PORT: port });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function route(request: IncomingMessage, response: ServerResponse, reasons: HealthOptions['reasons']) {
  switch (request.url) {
    case '/health/live':
      return answer(response, 200, { status: 'ok' });
    case '/health/ready':
      return answerReady(response, await reasons().catch(() => ['the check itself failed']));
    case '/metrics':
      return answerMetrics(response);
    default:
      return answer(response, 404, { message: 'Not found.' });
  }
}

function answerReady(response: ServerResponse, reasons: string[]): void {
  if (reasons.length === 0) return answer(response, 200, { status: 'ok' });
  answer(response, 503, { status: 'unavailable', reasons });
}

async function answerMetrics(response: ServerResponse): Promise<void> {
  const { type, text } = await metricsText();
  response.writeHead(200, { 'content-type': type }).end(text);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
