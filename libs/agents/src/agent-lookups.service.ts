import type { AgentOfAccount } from '@app/common';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import {
  AgentLookupsRepository,
  type AgentDisclosure,
  type AgentProvider,
  type SettingsOfCall,
  type VersionOfCall,
} from './agent-lookups.repository.js';

const PAGE = 500;

/** What other features read of the agents that they name. */
@Injectable()
export class AgentLookupsService {
  constructor(private readonly agents: AgentLookupsRepository) {}

  /** By id; deleted agents are left out. */
  async names(accountId: number, ids: readonly number[]): Promise<Map<number, string>> {
    return new Map((await this.agents.agents(accountId, ids)).map(({ id, name }) => [id, name]));
  }

  /** The providers of all active agents, in the order of their ids. */
  async *activeProviders(): AsyncGenerator<AgentProvider> {
    for (let page = await this.agents.activeAfter(0, PAGE); page.length > 0;) {
      yield* page;
      page = page.length < PAGE ? [] : await this.agents.activeAfter(page.at(-1)!.id, PAGE);
    }
  }

  /** The providers of agents of an account, without those of the sandbox. */
  providersOf(accountId: number, ids: readonly number[]): Promise<AgentProvider[]> {
    return this.agents.providersOf(accountId, ids);
  }

  /** null: the account has no such agent. */
  async isActive({ accountId, agentId }: AgentOfAccount, tx?: Sql): Promise<boolean | null> {
    const [agent] = await this.agents.agents(accountId, [agentId], tx);
    return agent?.active ?? null;
  }

  /** Whether calls can have the version: drafts are not published. */
  async isPublished(agent: AgentOfAccount, version: number, tx?: Sql): Promise<boolean> {
    const found = await this.agents.version(agent, version, tx);
    return found !== undefined && found.state !== 'draft';
  }

  /** The settings of a version. Null if they are those of the agent itself, undefined if the version does not exist. */
  async versionSettings(
    agent: AgentOfAccount,
    version: number,
    tx?: Sql,
  ): Promise<Record<string, unknown> | null | undefined> {
    return (await this.agents.version(agent, version, tx))?.settings;
  }

  /** Undefined: the account has no such agent. */
  ofCall(call: VersionOfCall, tx?: Sql): Promise<SettingsOfCall | undefined> {
    return this.agents.ofCall(call, tx);
  }

  /** What is spoken first on its calls. `version` null: the current one. Undefined: the account has no such agent. */
  disclosure(agent: VersionOfCall, tx?: Sql): Promise<AgentDisclosure | undefined> {
    return this.agents.disclosure(agent, tx);
  }

  /** The agent is not deleted before the end of the transaction. False: it is gone. */
  keep(agentId: number, tx: Sql): Promise<boolean> {
    return this.agents.keep(agentId, tx);
  }
}
