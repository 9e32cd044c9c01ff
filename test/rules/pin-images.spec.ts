import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const digestOf = (image: string): string => `sha256:${createHash('sha256').update(image).digest('hex')}`;

describe('scripts/pin-images.mjs', () => {
  const root = mkdtempSync(join(tmpdir(), 'trunkline-pins-'));
  const missing = new Set<string>();
  const asked: string[] = [];
  let registry: Server;
  let url: string;

  /** Asks for a token, as Docker Hub does, and knows every tag that is not missing. */
  beforeAll(async () => {
    for (const name of ['docker-compose.yml', 'Dockerfile', 'deploy'])
      cpSync(name, join(root, name), { recursive: true });
    registry = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', url);
      if (pathname === '/token') return response.end(JSON.stringify({ token: `for ${searchParams.get('scope')}` }));
      const [, repository = '', tag = ''] = /^\/v2\/(.*)\/manifests\/(.*)$/.exec(pathname) ?? [];
      const scope = `repository:${repository}:pull`;
      if (request.headers.authorization !== `Bearer for ${scope}`) {
        const challenge = `Bearer realm="${url}/token",service="registry",scope="${scope}"`;
        return response.writeHead(401, { 'www-authenticate': challenge }).end();
      }
      asked.push(`${request.method} ${repository}:${tag} ${request.headers.accept?.split(',')[0]}`);
      if (missing.has(repository)) return response.writeHead(404).end();
      return response.writeHead(200, { 'docker-content-digest': digestOf(`${repository}:${tag}`) }).end();
    });
    await once(registry.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    registry.close();
    registry.closeAllConnections();
    rmSync(root, { recursive: true });
  });

  const pin = async (...words: string[]): Promise<{ code: number | null; stderr: string }> => {
    const args = ['scripts/pin-images.mjs', '--root', root, '--registry', url, ...words];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stderr };
  };
  const read = (name: string): string => readFileSync(join(root, name), 'utf8');

  it('writes the digest of each tag, once asked for, and leaves our own images alone', async () => {
    expect(await pin('--check')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Run: node scripts/pin-images'),
    });
    expect(await pin()).toEqual({ code: 0, stderr: '' });
    const compose = read('docker-compose.yml');
    const [, redis = ''] = /image: (redis:[\w.-]+)@/.exec(compose) ?? [];
    expect(compose).toContain(`image: ${redis}@${digestOf(`library/${redis}`)}\n`);
    expect(compose).toMatch(/image: pgvector\/pgvector:[\w.-]+@sha256:/);
    expect(compose).toContain('image: trunkline:0.1.0\n');
    expect(read('Dockerfile')).toMatch(/^FROM node:24-bookworm-slim@sha256:[\da-f]{64} AS build$/m);
    expect(read('deploy/kubernetes/overlays/dev/redis.yaml')).toMatch(/image: redis:[\w.-]+@sha256:/);
    expect(asked).toContain(`HEAD library/${redis} application/vnd.oci.image.index.v1+json`);
    expect(await pin('--check')).toEqual({ code: 0, stderr: '' });
  });

  it('names a tag that the registry does not have, and changes nothing', async () => {
    await pin('--unpin');
    const before = read('docker-compose.yml');
    expect(before).toBe(readFileSync('docker-compose.yml', 'utf8'));
    missing.add('library/redis');
    const outcome = await pin();
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/redis:[\w.-]+: .* answered 404/) });
    expect(read('docker-compose.yml')).toBe(before);
  });
});
