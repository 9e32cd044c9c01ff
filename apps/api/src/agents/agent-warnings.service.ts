import {
  AgentFlowsService,
  type AgentProviderSettings,
  AgentLookupsService,
  type AgentSettingsView,
  type AgentSummaryView,
  type AgentView,
  type AgentWarning,
} from '@app/agents';
import { DialerProvidersService } from '@app/calls';
import { Injectable } from '@nestjs/common';

/** It needs no key and no model. */
const SANDBOX = 'sandbox';

/** `warnings` of a response; absent: there are none. */
interface Warned {
  warnings?: AgentWarning[];
}

/** Says in responses which agents cannot work, because the dialers lack a key or a model. */
@Injectable()
export class AgentWarningsService {
  constructor(
    private readonly providers: DialerProvidersService,
    private readonly agents: AgentLookupsService,
    private readonly flows: AgentFlowsService,
  ) {}

  /** About the settings of an agent or of a version. */
  async of(settings: AgentSettingsView): Promise<Warned> {
    return warned(await this.providers.warnings(providersIn(settings)));
  }

  /** About the current settings of an agent, with what its flow misses. */
  async ofStored(accountId: number, agent: AgentView): Promise<Warned> {
    const missing = agent.flow || agent.handoffs.length > 0 ? await this.flows.warningsOf(accountId, agent.id) : [];
    return warned([...((await this.of(agent)).warnings ?? []), ...missing]);
  }

  /** About agents of a list: the fields begin with `agents.{id}`. */
  async ofList(accountId: number, agents: readonly Pick<AgentSummaryView, 'id' | 'provider'>[]): Promise<Warned> {
    const ids = agents.filter(({ provider }) => provider !== SANDBOX).map(({ id }) => id);
    if (ids.length === 0) return {};
    const found = await this.agents.providersOf(accountId, ids);
    const warnings = await Promise.all(
      found.map(async ({ id, ...agent }) =>
        (await this.providers.warnings(agent)).map((one) => ({ ...one, field: `agents.${id}.${one.field}` })),
      ),
    );
    return warned(warnings.flat());
  }

  /** About the agent that a request names in its `agent_id`. */
  async ofAgent(accountId: number, agentId: number): Promise<Warned> {
    const [found] = await this.agents.providersOf(accountId, [agentId]);
    const warnings = found ? await this.providers.warnings(found) : [];
    return warned(warnings.map((one) => ({ ...one, field: 'agent_id' })));
  }
}

const warned = (warnings: AgentWarning[]): Warned => (warnings.length > 0 ? { warnings } : {});

const providersIn = ({ provider, model, pipeline, fallbacks }: AgentSettingsView): AgentProviderSettings => ({
  provider,
  options: { model: model ?? undefined, pipeline: pipeline ?? undefined, fallbacks },
});
