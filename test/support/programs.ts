import { createRequire } from 'node:module';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, resolve } from 'node:path';
import { eventually } from './eventually.js';

/** Whether a program is installed, by name or path; daemons are in /usr/sbin, which is not in every PATH. */
export const isInstalled = (program: string): boolean => pathOf(program) !== undefined;

const pathOf = (program: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => resolve(folder, program))
    .find(existsSync);

export interface Program {
  port: number;
  stop(): Promise<void>;
}

/** Runs an external server until `stop`; resolves when it accepts connections on its port. */
export async function startProgram(program: string, args: readonly string[], port: number): Promise<Program> {
  const child = spawn(pathOf(program) ?? program, args, { stdio: 'ignore' });
  await eventually(() => answers(port), Boolean);
  return { port, stop: () => ended(child) };
}

async function answers(port: number): Promise<boolean> {
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

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** Whether an optional package is installed. */
export function isPackageInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
