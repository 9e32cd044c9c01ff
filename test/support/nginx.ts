import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

export interface Nginx {
  ports: { http: number; https: number };
  /** Its certificate, for `localhost`. */
  ca: Buffer;
  stop(): Promise<void>;
}

/** nginx with deploy/nginx/trunkline.conf in front of an api at this port, on ports of its own. */
export async function startNginx(apiPort: number): Promise<Nginx> {
  const home = mkdtempSync(join(tmpdir(), 'trunkline-nginx-'));
  // Started by root, its workers run as another user.
  chmodSync(home, 0o755);
  const ports = { http: await freePort(), https: await freePort() };
  const [cert, key] = [join(home, 'tls.crt'), join(home, 'tls.key')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  const site = readFileSync('deploy/nginx/trunkline.conf', 'utf8')
    .replaceAll(/listen \[::\].*/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${ports.http};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${ports.https} ssl;`)
    .replaceAll('calls.example.com', 'localhost')
    .replace('127.0.0.1:3000', `127.0.0.1:${apiPort}`)
    .replaceAll('/etc/nginx/tls', home);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${home}/${one};`);
  const http = `http { access_log off; ${paths.join(' ')}\n${site}}`;
  writeFileSync(
    join(home, 'nginx.conf'),
    `daemon off; pid ${home}/pid; error_log ${home}/error.log; events {}\n${http}\n`,
  );
  const nginx = spawn('nginx', ['-c', join(home, 'nginx.conf'), '-e', join(home, 'error.log')], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  await eventually(() => listens(ports.https), Boolean);
  return {
    ports,
    ca: readFileSync(cert),
    stop: async () => {
      const exit = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await exit;
      rmSync(home, { recursive: true });
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
