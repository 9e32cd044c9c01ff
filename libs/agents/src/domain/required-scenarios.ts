import type { AgentOfAccount } from '@app/common';
import { createHash } from 'node:crypto';
import type { VersionSettings } from '../versions/agent-version.entity.js';

/** The settings that would be published, and the scenarios of the agent that must pass with them. */
export interface PendingPublication extends AgentOfAccount {
  agentName: string;
  settings: VersionSettings;
  scenarios: { name: string; scenario: Record<string, unknown> }[];
}

/**
 * Nothing was published: scenarios must pass first. They are played outside of the transaction; then the change is repeated with
 * `fingerprint` among the passed ones, which a concurrent change of the settings or the scenarios makes different.
 */
export class ScenariosRequired extends Error {
  readonly fingerprint: string;

  constructor(readonly pending: PendingPublication) {
    super('The scenarios of the agent must pass before it is published.');
    this.fingerprint = createHash('sha256').update(JSON.stringify(pending)).digest('hex');
  }
}

/** No scenario has been played. */
export const NONE_PASSED: ReadonlySet<string> = new Set();
