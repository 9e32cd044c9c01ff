import { Database, type Sql } from '@app/database';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import type { AgentOfAccount } from '@app/common';
import type { AnalysisSettings } from './domain/analysis-settings.js';
import type { StoredDisclosure } from './domain/disclosure.js';
import type { VariableDeclaration } from './domain/variables.js';
import type { AgentProviderSettings } from './session/agent-warnings.js';

/** The version of an agent that a call has; null: the agent had none. */
export interface VersionOfCall extends AgentOfAccount {
  version: number | null;
}

/** Settings of an agent that calls are read with, in the version of the call. */
export interface SettingsOfCall {
  variables: VariableDeclaration[];
  redaction: Redaction | null;
  analysis: AnalysisSettings | null;
}

const AGENTS = {
  name: 'agents-by-id',
  text: 'SELECT id, name, active FROM agents WHERE account_id = $1 AND id = ANY ($2::integer[])',
};

/** Without scripts, which may be long. */
const ACTIVE_PROVIDERS = {
  text: `SELECT id, provider, provider_options - 'script' AS options FROM agents WHERE active AND id > $1 ORDER BY id LIMIT $2`,
};

/** Those of the sandbox need no settings. */
const PROVIDERS_OF = {
  name: 'providers-of-agents',
  text: `SELECT id, provider, provider_options - 'script' AS options FROM agents
    WHERE account_id = $1 AND id = ANY ($2::integer[]) AND provider <> 'sandbox'`,
};

/** What an agent answers calls with. */
export interface AgentProvider extends AgentProviderSettings, Record<string, unknown> {
  id: number;
}

const VERSION = {
  name: 'version-of-agent',
  text: 'SELECT settings, state FROM agent_versions WHERE account_id = $1 AND agent_id = $2 AND version = $3',
};

const OF_CALL = {
  name: 'agent-settings-of-call',
  text: `SELECT coalesce(v.settings->'variables', a.variables) AS variables,
      CASE WHEN v.settings ? 'redaction' THEN v.settings->'redaction' ELSE a.redaction END AS redaction,
      CASE WHEN v.settings IS NULL THEN a.analysis ELSE nullif(v.settings->'analysis', 'null') END AS analysis
    FROM agents a LEFT JOIN agent_versions v ON v.agent_id = a.id AND v.version = $3 WHERE a.account_id = $1 AND a.id = $2`,
};

const DISCLOSURE = {
  name: 'disclosure-of-agent',
  text: `SELECT coalesce(v.settings->'disclosure', CASE WHEN v.settings IS NULL THEN a.disclosure END, '[]') AS disclosure,
      CASE WHEN v.settings IS NULL THEN a.conversation->>'language' ELSE v.settings->'conversation'->>'language' END AS language
    FROM agents a LEFT JOIN agent_versions v ON v.agent_id = a.id AND v.version = $3 WHERE a.account_id = $1 AND a.id = $2`,
};

/** The sentences of an agent, and the language that it speaks; null: not set. */
export interface AgentDisclosure {
  disclosure: StoredDisclosure[];
  language: string | null;
}

const KEEP = { name: 'keep-agent', text: 'SELECT 1 FROM agents WHERE id = $1 FOR KEY SHARE' };

interface AgentLookup extends Record<string, unknown> {
  id: number;
  name: string;
  active: boolean;
}

interface VersionLookup extends Record<string, unknown> {
  /** null: those of the agent itself. */
  settings: Record<string, unknown> | null;
  state: string;
}

/** Agents that other features name. Prepared: turns of campaigns and commands to calls read them. */
@Injectable()
export class AgentLookupsRepository {
  constructor(private readonly database: Database) {}

  /** Without agents that the account does not have. */
  agents(accountId: number, ids: readonly number[], tx?: Sql): Promise<AgentLookup[]> {
    return this.database.quickRows<AgentLookup>(AGENTS, [accountId, ids], tx);
  }

  /** The active agents after `id`, in the order of their ids. */
  activeAfter(id: number, limit: number): Promise<AgentProvider[]> {
    return this.database.rows<AgentProvider>(ACTIVE_PROVIDERS, [id, limit]);
  }

  /** Without agents of the sandbox, and those that the account does not have. */
  providersOf(accountId: number, ids: readonly number[]): Promise<AgentProvider[]> {
    return this.database.rows<AgentProvider>(PROVIDERS_OF, [accountId, ids]);
  }

  /** Undefined if the version does not exist. */
  async version({ accountId, agentId }: AgentOfAccount, version: number, tx?: Sql): Promise<VersionLookup | undefined> {
    const [found] = await this.database.rows<VersionLookup>(VERSION, [accountId, agentId, version], tx);
    return found;
  }

  /** Undefined: the account has no such agent. */
  async ofCall({ accountId, agentId, version }: VersionOfCall, tx?: Sql): Promise<SettingsOfCall | undefined> {
    type Found = SettingsOfCall & Record<string, unknown>;
    const [found] = await this.database.rows<Found>(OF_CALL, [accountId, agentId, version], tx);
    return found;
  }

  /** `version` null: the current one. Undefined: the account has no such agent. */
  async disclosure({ accountId, agentId, version }: VersionOfCall, tx?: Sql): Promise<AgentDisclosure | undefined> {
    type Found = AgentDisclosure & Record<string, unknown>;
    const [found] = await this.database.rows<Found>(DISCLOSURE, [accountId, agentId, version], tx);
    return found;
  }

  /** The agent is not deleted before the end of the transaction. False: it is gone. */
  async keep(agentId: number, tx: Sql): Promise<boolean> {
    return (await this.database.rows(KEEP, [agentId], tx)).length > 0;
  }
}
