import type { Encryption } from '@app/common';
import { createHash } from 'node:crypto';
import type { CallSettings } from './call.js';
import { type AgentSettings, type CallOverrides, settingsFor } from './call-settings.js';

/** The current settings of an agent with the number of their version, and its canary; null: it has none. */
export interface VersionedAgent extends AgentSettings {
  agent_version: number | null;
  canary_version: number | null;
  /** Share of the new calls that the canary takes, in percent. */
  canary_percent: number | null;
  canary_settings: Partial<AgentSettings> | null;
}

/** The version of the agent's settings that a call keeps until it ends. */
interface PinnedVersion {
  version: number | null;
  settings: AgentSettings;
}

/** Whether a call belongs to the share of the canary. Depends on the id alone: the same call always gets the same answer. */
export function takesCanary(callId: string, percent: number): boolean {
  // The first bits of an id are a time.
  const share = createHash('sha256').update(callId).digest().readUInt32BE() / 2 ** 32;
  return share * 100 < percent;
}

/** The version that a new call gets. */
export function versionFor(agent: VersionedAgent, callId: string): PinnedVersion {
  const canary = canaryOf(agent);
  if (canary && takesCanary(callId, agent.canary_percent ?? 0)) return canary;
  return { version: agent.agent_version, settings: agent };
}

/** Undefined: the agent has no canary. */
export function canaryOf(agent: VersionedAgent): PinnedVersion | undefined {
  if (agent.canary_version === null || agent.canary_settings === null) return undefined;
  return { version: agent.canary_version, settings: { ...agent, ...agent.canary_settings } };
}

/** The settings of new calls by the version that they get; computed once per version, because they encrypt headers. */
export function settingsByVersion(
  agent: VersionedAgent,
  overrides: CallOverrides,
  encryption: Encryption,
): (callId: string) => { version: number | null; settings: CallSettings } {
  const known = new Map<number | null, CallSettings>();
  return (callId) => {
    const { version, settings: ofAgent } = versionFor(agent, callId);
    const settings = known.get(version) ?? settingsFor(ofAgent, overrides, encryption);
    known.set(version, settings);
    return { version, settings };
  };
}

/** A row with columns of an agent: the settings of a version replace them. null: the row has those of the version. */
export function withVersion<T extends object>(
  row: T,
  settings: Record<string, unknown> | null,
  columns: readonly (keyof T & string)[],
): T {
  if (settings === null) return row;
  // A version that was stored before a column was added lacks it.
  const stored = columns.filter((column) => Object.hasOwn(settings, column));
  return { ...row, ...Object.fromEntries(stored.map((column) => [column, settings[column]])) };
}
