import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Problem } from '../problem.js';
import type { RoleLogs } from './role-logs.js';

export const ROLES = ['phone', 'api', 'worker', 'dialer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * How a part and its supervisor understand each other, over Node's IPC channel:
 * - the part sends one message when it serves: `{ type: 'ready', role, … }`, the api with `port`, the dialer with `sip_port`, the
 *   phone with `sip_port` and its `extensions`;
 * - SIGTERM: it finishes what it has begun and exits with 0;
 * - the event `disconnect` (the supervisor is gone, however it went): it exits by itself.
 */
export interface ReadyMessage {
  type: 'ready';
  role: Role;
  port?: number;
  sip_port?: number;
  extensions?: Record<string, string>;
}

/** `phone` is part of this program, the others are programs of their own. */
export const entryOf = (role: Role): URL =>
  new URL(role === 'phone' ? './phone.js' : `../../../${role}/src/main.js`, import.meta.url);

interface ChildOptions {
  role: Role;
  env: NodeJS.ProcessEnv;
  logs: RoleLogs;
  /** It was restarted and is ready again. */
  onRestarted: () => void;
  /** It keeps dying; the installation cannot go on. */
  onGivenUp: () => void;
}

const READY_MS = 60_000;
/** Pauses before each new try; a child that lived for a minute begins again at the first. */
const BACKOFF_MS = [500, 1_000, 2_000, 4_000];
const SETTLED_MS = 60_000;

/** One part of the installation as a child process, started again when it dies. */
export class Child {
  private process: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();
  private stopping = false;
  private failures = 0;

  constructor(private readonly options: ChildOptions) {}

  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Resolves with what it says when it serves. Throws Problem with its last errors when it ends or is silent for 60 s. */
  async start(): Promise<ReadyMessage> {
    const { role, env, logs } = this.options;
    const child = fork(fileURLToPath(entryOf(role)), {
      env,
      // Ctrl-C reaches everyone in the terminal's group; the order in which the parts end is ours to decide.
      detached: true,
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.process = child;
    if (child.stdout) logs.collect(role, child.stdout);
    if (child.stderr) logs.collect(role, child.stderr);
    this.exited = new Promise((resolve) => child.once('close', () => resolve()));
    const ready = await this.readyMessage(child);
    this.watch(child);
    return ready;
  }

  /** SIGTERM; SIGKILL when it has not ended after `graceMs`. Resolves when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    if (!this.process || isOver(this.process)) return;
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.stopping = true;
    this.process?.kill('SIGKILL');
  }

  private readyMessage(child: ChildProcess): Promise<ReadyMessage> {
    const { role, logs } = this.options;
    return new Promise((resolve, reject) => {
      const fail = (what: string) =>
        reject(new Problem([`The ${role} ${what}.`, ...logs.lastErrors(role)].join('\n  ')));
      const timer = setTimeout(() => {
        fail(`was not ready within ${READY_MS / 1000} s`);
        child.kill('SIGKILL');
      }, READY_MS);
      child.once('message', (message) => {
        clearTimeout(timer);
        resolve(message as ReadyMessage);
      });
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        fail(`ended (${signal ?? code}) before it was ready`);
      });
    });
  }

  private watch(child: ChildProcess): void {
    const since = performance.now();
    child.once('close', (code, signal) => {
      if (this.stopping) return;
      if (performance.now() - since > SETTLED_MS) this.failures = 0;
      void this.restart(String(signal ?? code));
    });
  }

  private async restart(how: string): Promise<void> {
    const { role, onRestarted, onGivenUp } = this.options;
    const pause = BACKOFF_MS[this.failures];
    this.failures += 1;
    if (pause === undefined) {
      console.error(`  the ${role} ended (${how}) ${this.failures} times in a row: giving up`);
      return onGivenUp();
    }
    console.error(`  the ${role} ended unexpectedly (${how}): starting it again in ${pause / 1000} s`);
    await delay(pause);
    if (this.stopping) return;
    try {
      await this.start();
      onRestarted();
    } catch (error) {
      console.error(`  ${(error as Error).message}`);
      if (!this.stopping) await this.restart('no start');
    }
  }
}

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
