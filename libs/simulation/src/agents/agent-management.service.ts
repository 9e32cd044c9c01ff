import {
  AgentRecordsService,
  AgentVersionsService,
  type CheckTools,
  NONE_PASSED,
  type PendingPublication,
  type Publisher,
  type SavedAgent,
  type SavedDraft,
  ScenariosRequired,
  type ScriptChecks,
  type VersionOfAgent,
  type VersionWithSettingsView,
} from '@app/agents';
import type { Acting } from '@app/audit';
import { Conflict, type FieldErrors, InvalidFields } from '@app/common';
import type { IdempotencyKey } from '@app/database';
import { KnowledgeDeletionService } from '@app/knowledge';
import { McpServerListsService } from '@app/tools';
import { Injectable } from '@nestjs/common';
import { RequiredScenariosService } from '../required-scenarios.service.js';
import type { AgentOfAccount } from '../simulated-agents.service.js';

/** Attempts to publish while others change the agent. */
const MAX_ATTEMPTS = 3;

/** Changes of agents by clients: with the checks and the simulations of the sandbox, their MCP servers and knowledge bases. */
@Injectable()
export class AgentManagementService {
  constructor(
    private readonly agents: AgentRecordsService,
    private readonly versions: AgentVersionsService,
    private readonly scenarios: RequiredScenariosService,
    private readonly knowledgeBases: KnowledgeDeletionService,
    private readonly mcpServers: McpServerListsService,
  ) {}

  /** Throws InvalidFields, and Conflict when the key was used with another body. */
  async create(who: Acting, body: unknown, key?: IdempotencyKey): Promise<SavedAgent> {
    return this.agents.create(who, body, { ...(await this.checks()), key });
  }

  /** Throws NotFound and InvalidFields. `signal` ends the required scenarios. */
  async update(agent: AgentOfAccount & Acting, body: unknown, signal?: AbortSignal): Promise<SavedAgent> {
    const checks = await this.checks();
    return this.published(agent, (by) => this.agents.update(agent, body, checks, by), signal);
  }

  /**
   * Deletes an agent with its tools and the knowledge bases that it owns. Throws NotFound, and Conflict while it has active calls, or
   * when other agents search one of its knowledge bases. After a crash a second deletion does the rest.
   */
  async delete(agent: AgentOfAccount & Acting): Promise<void> {
    await this.agents.deactivate(agent);
    await this.knowledgeBases.deleteOwned(agent);
    await this.agents.delete(agent);
  }

  /** Throws NotFound, InvalidFields and Conflict. */
  async draft(agent: AgentOfAccount & Acting, body: unknown, key?: IdempotencyKey): Promise<SavedDraft> {
    return this.versions.draft(agent, body, { checks: await scriptChecks(), key });
  }

  /** Throws NotFound, InvalidFields and Conflict. */
  async editDraft(place: VersionOfAgent & Acting, body: unknown): Promise<SavedDraft> {
    return this.versions.edit(place, body, await scriptChecks());
  }

  /** Throws NotFound, Conflict, and InvalidFields (`publish_requires`). */
  publish(place: VersionOfAgent & Acting, percent: number, signal?: AbortSignal): Promise<VersionWithSettingsView> {
    return this.published(place, (by) => this.versions.publish(place, percent, by), signal);
  }

  /** Throws NotFound, Conflict, and InvalidFields (`publish_requires`). */
  restore(place: VersionOfAgent & Acting, signal?: AbortSignal): Promise<VersionWithSettingsView> {
    return this.published(place, (by) => this.versions.restore(place, by), signal);
  }

  private async checks(): Promise<{ checks: ScriptChecks; checkTools: CheckTools }> {
    const checkTools: CheckTools = (agent, tools) => this.mcpServers.check(agent, tools);
    return { checks: await scriptChecks(), checkTools };
  }

  /** Runs a change; if scenarios must pass first, they are played outside of its transaction, and the change runs again. */
  private async published<T>(
    { actor }: Acting,
    change: (by: Publisher) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    let passed = NONE_PASSED;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        return await change({ actor, passed });
      } catch (error) {
        if (!(error instanceof ScenariosRequired)) throw error;
        await this.play(error.pending, signal);
        passed = new Set([error.fingerprint]);
      }
    }
    throw new Conflict('The agent was changed while its scenarios were played. Publish it again.');
  }

  private async play(pending: PendingPublication, signal: AbortSignal | undefined): Promise<void> {
    const problems = await this.scenarios.play(pending, signal);
    if (problems.length > 0) throw new InvalidFields({ publish_requires: problems });
  }
}

/** The checks of the sandbox, which is loaded when an agent is changed for the first time. */
async function scriptChecks(): Promise<ScriptChecks> {
  const { readScenarioFile, ScenarioInvalid, scriptProblems } = await import('../sandbox.js');
  const scenarioProblems = (scenario: unknown): FieldErrors => {
    try {
      readScenarioFile(JSON.stringify(scenario));
      return {};
    } catch (error) {
      if (error instanceof ScenarioInvalid) return error.problems;
      throw error;
    }
  };
  return { scriptProblems, scenarioProblems };
}
