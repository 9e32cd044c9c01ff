import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog } from '@app/common';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../../../test/support/eventually.js';
import { EmbedderRole } from './embedder-role.js';

const { signal } = new AbortController();
const log = createLog({ level: 'silent', role: 'test' });
const QUICK = { downMs: 5, upMs: 60_000 };

/** The role, which can be stopped and started on the same port. */
class FakeRole {
  model = { id: 'first', dimensions: 2, languages: ['en'] };
  private server: Server | undefined;
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.server = createServer((request, response) => {
      const { id, dimensions, languages } = this.model;
      const body =
        request.method === 'GET'
          ? { data: [{ id, dimensions, languages }] }
          : { data: [{ index: 0, embedding: new Array<number>(dimensions).fill(1) }] };
      request.resume().on('end', () => response.end(JSON.stringify(body)));
    }).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}

const server = new FakeRole();
let role: EmbedderRole;

beforeEach(async () => {
  await server.start();
  server.model = { id: 'first', dimensions: 2, languages: ['en'] };
});
afterEach(async () => {
  await role.close();
  await server.stop();
});

describe('the connection to the role embedder', () => {
  it('learns the model from the role, also when it starts later than this process', async () => {
    await server.stop();
    role = new EmbedderRole(server.url, log, undefined, QUICK);
    await role.open();
    expect(role.embedder).toBeUndefined();
    await server.start();
    await eventually(
      () => role.embedder,
      (embedder) => embedder !== undefined,
    );
    expect(role.embedder).toMatchObject({ model: 'first@2', dimensions: 2 });
    expect(await role.embedder!.embedQuery('How much is it?', signal)).toHaveLength(2);
    expect(await role.embedder!.embedQuery('Wie viel kostet es?', signal)).toBeUndefined();
  });

  it('sends nothing while the role is down, and goes on as soon as it answers', async () => {
    role = new EmbedderRole(server.url, log, undefined, QUICK);
    await role.open();
    const { embedder } = role;
    await server.stop();
    await expect(embedder!.embedQuery('How much is it?', signal)).rejects.toThrow('cannot be reached');
    await eventually(
      () => role.embedder,
      (current) => current === undefined,
    );
    await server.start();
    await eventually(
      () => role.embedder,
      (current) => current !== undefined,
    );
    expect(await role.embedder!.embedQuery('How much is it?', signal)).toHaveLength(2);
    expect(role.embedder).toBe(embedder);
  });

  it('takes the new model of a role that was replaced', async () => {
    role = new EmbedderRole(server.url, log, undefined, { ...QUICK, upMs: 5 });
    await role.open();
    server.model = { id: 'second', dimensions: 3, languages: ['en'] };
    await eventually(
      () => role.embedder?.model,
      (model) => model === 'second@3',
    );
    expect(await role.embedder!.embedQuery('How much is it?', signal)).toHaveLength(3);
  });
});
