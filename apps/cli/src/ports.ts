import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { Problem } from './problem.js';

type Protocol = 'tcp' | 'udp';

/** Throws a Problem that names the variable when the port is in use. Port 0 stands for any free port. */
export async function requirePort(variable: string, port: number, host: string, protocols: Protocol[]): Promise<void> {
  if (await isFree(port, host, protocols)) return;
  throw new Problem(
    `${variable} ${port} is in use by another program. Choose another one, for example: ${variable}=${port + 1} npm start`,
  );
}

/** Whether the port is free for all protocols. Throws Problem for any other failure, such as a missing permission. */
export async function isFree(port: number, host: string, protocols: Protocol[]): Promise<boolean> {
  if (port === 0) return true;
  for (const protocol of protocols) {
    try {
      await (protocol === 'tcp' ? tryTcp(port, host) : tryUdp(port, host));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE') return false;
      throw new Problem(`${protocol} port ${port} on ${host} cannot be opened: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  return true;
}

/**
 * Below the ephemeral ports (32,768 and up on Linux), any of which a connection may occupy before the port is opened by its process, and
 * outside the RTP ports.
 */
const CHOICE = { first: 30_000, count: 2_700 };
const TRIES = 100;

/** A TCP port that is free now, and free for UDP as well if `protocols` contains it; chosen at random, so that concurrent starts rarely meet. */
export async function freePort(host: string, protocols: Protocol[] = ['tcp']): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = CHOICE.first + Math.floor(Math.random() * CHOICE.count);
    if (await isFree(port, host, protocols)) return port;
  }
  throw new Problem(`No port from ${CHOICE.first} to ${CHOICE.first + CHOICE.count - 1} is free on ${host}.`);
}

/** Opens the port briefly. */
async function tryTcp(port: number, host: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen({ port, host, exclusive: true }, resolve),
  );
  await new Promise((resolve) => server.close(resolve));
}

async function tryUdp(port: number, host: string): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).bind({ port, address: host, exclusive: true }, resolve);
    });
  } finally {
    socket.close();
  }
}
