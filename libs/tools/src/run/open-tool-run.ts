import { type Log, type Encryption, VERSION } from '@app/common';
import { Egress, type EgressEnv, egressOptions } from '@app/egress';
import type { SigningSecrets } from '@app/webhooks';
import type { Pool } from 'pg';
import { InFlight } from './in-flight.js';
import type { ToolRunParts } from './send-action.js';

export interface OpenToolRun {
  parts: ToolRunParts;
  /** Ends the requests that are under way. */
  close(): Promise<void>;
}

export interface ToolRunNeeds {
  env: EgressEnv;
  pool: Pool;
  encryption: Encryption;
  secrets: SigningSecrets;
  log: Log;
  wakeWebhooks: () => void;
}

/** Opens what a process needs to run tools. */
export function openToolRun({ env, pool, encryption, secrets, log, wakeWebhooks }: ToolRunNeeds): OpenToolRun {
  const egress = new Egress(egressOptions(env));
  const agent = `Trunkline/${VERSION}`;
  return {
    parts: { pool, encryption, egress, secrets, inFlight: new InFlight(), log, agent, wakeWebhooks },
    close: () => egress.close(),
  };
}
