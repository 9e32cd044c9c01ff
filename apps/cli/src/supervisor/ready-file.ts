import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Workspace } from './demo-workspace.js';
import { writePrivateJson } from '../instance.js';

/** `ready.json`: for scripts outside. Written when all parts are up, removed when all are down. Mode 0600: it holds a token. */
export interface Ready {
  base_url: string;
  docs_url: string | null;
  console_url: string | null;
  token: Workspace['token'] | null;
  account_id: number | null;
  agent_id: number | null;
  number_id: number | null;
  trunk_id: number | null;
  webhook_secret: string | null;
  /** A call to `sip:<answered_number>@127.0.0.1:<sip_port>` from this machine reaches the agent. */
  answered_number: string | null;
  sip_port: number | null;
  /** Extensions are user parts: `sip:<extension>@<sip_host>:<sip_port>`. */
  sandbox: { sip_host: string; sip_port: number; extensions: Record<string, string> };
  pids: Record<string, number>;
}

const fileIn = (home: string): string => join(home, 'ready.json');

export const writeReady = (home: string, ready: Ready): void => writePrivateJson(fileIn(home), ready);

export function removeReady(home: string): void {
  for (const file of [fileIn(home), join(home, 'instance.json')]) rmSync(file, { force: true });
}
