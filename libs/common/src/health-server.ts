import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';

export interface HealthServer {
  close(): Promise<void>;
}

/**
 * `/health/live` and `/health/ready` of a process that has no other HTTP. Live: the event loop answers. Ready: `reasons`
 * gives none why not (503 with the reasons otherwise).
 */
export async function startHealthServer(port: number, reasons: () => Promise<string[]>): Promise<HealthServer> {
  const server = createServer((request, response) => {
    if (request.url === '/health/live') return answer(response, 200, { status: 'ok' });
    if (request.url !== '/health/ready') return answer(response, 404, { message: 'Not found.' });
    reasons().then(
      (found) =>
        found.length === 0
          ? answer(response, 200, { status: 'ok' })
          : answer(response, 503, { status: 'unavailable', reasons: found }),
      () => answer(response, 503, { status: 'unavailable', reasons: ['the check itself failed'] }),
    );
  });
  server.listen(port);
  await once(server, 'listening');
  return {
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
