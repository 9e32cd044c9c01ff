import type { Acting } from '@app/audit';
import type { EntityTransaction } from '@app/database';
import type { AgentTools } from './schemas/agent-schema.js';

// The libraries of tools and knowledge are above this one: these are their functions, as the processes that change agents give them to the
// services.

interface AgentOfAccount {
  accountId: number;
  agentId: number;
}

/** Saves the checked tools of an agent. @returns the change; undefined: there is none */
export type SaveTools = (
  agent: AgentOfAccount & Acting,
  tx: EntityTransaction,
) => Promise<{ from: unknown; to: unknown } | undefined>;

/** Checks the tools of an agent outside of a transaction. An agent that is not stored yet has no id. */
export type CheckTools = (agent: Partial<AgentOfAccount>, tools: AgentTools) => Promise<SaveTools>;

/** Deletes the knowledge bases that an agent owns. @returns what deletes their files, for after the transaction. Throws Conflict. */
export type DeleteKnowledge = (agent: AgentOfAccount & Acting, tx: EntityTransaction) => Promise<() => Promise<void>>;

/** The tools of an agent as the list of a workspace file. */
export interface ExportedTools {
  tools: object[];
  /** Names of the servers whose headers are left out. */
  omitted: string[];
}

export type ReadTools = (agent: AgentOfAccount, tx: EntityTransaction) => Promise<ExportedTools>;
