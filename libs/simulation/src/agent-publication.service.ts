import {
  AgentsService,
  AgentVersionsService,
  NONE_PASSED,
  type PendingPublication,
  type Publisher,
  type SavedAgent,
  ScenariosRequired,
  type VersionOfAgent,
  type VersionWithSettingsView,
} from '@app/agents';
import type { Acting } from '@app/audit';
import { type AgentOfAccount, Conflict, InvalidFields } from '@app/common';
import { Injectable } from '@nestjs/common';
import { RequiredScenariosService } from './required-scenarios.service.js';

/** Attempts to publish while others change the agent. */
const MAX_ATTEMPTS = 3;

/** Changes that publish settings of an agent: the scenarios that it requires are played first. `signal` ends them. */
@Injectable()
export class AgentPublicationService {
  constructor(
    private readonly agents: AgentsService,
    private readonly versions: AgentVersionsService,
    private readonly scenarios: RequiredScenariosService,
  ) {}

  /** Throws NotFound, InvalidFields and Conflict. */
  update(agent: AgentOfAccount & Acting, body: unknown, signal?: AbortSignal): Promise<SavedAgent> {
    return this.changeOncePassed(agent, (by) => this.agents.update(agent, body, by), signal);
  }

  /** Throws NotFound, Conflict, and InvalidFields (`publish_requires`). */
  publish(place: VersionOfAgent & Acting, percent: number, signal?: AbortSignal): Promise<VersionWithSettingsView> {
    return this.changeOncePassed(place, (by) => this.versions.publish(place, percent, by), signal);
  }

  /** Throws NotFound, Conflict, and InvalidFields (`publish_requires`). */
  restore(place: VersionOfAgent & Acting, signal?: AbortSignal): Promise<VersionWithSettingsView> {
    return this.changeOncePassed(place, (by) => this.versions.restore(place, by), signal);
  }

  /** Runs a change; if scenarios must pass first, they are played outside of its transaction, and the change runs again. */
  private async changeOncePassed<T>(
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
