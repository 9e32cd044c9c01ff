import { Encryption, type Env, type FieldErrors, InvalidFields, noRecord } from '@app/common';
import { type EntityTransaction, RecordExistenceRepository } from '@app/database';
import { egressUrlRules, type UrlRules, urlFault } from '@app/egress';
import { ENV } from '@app/common/settings';
import { openHeaders } from '@app/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { AgentFlowsService, requireNoFaults, wantedAgent } from './agent-flows.service.js';
import type { GivenFlow } from './schemas/flow-schema.js';
import type { AgentChange } from './schemas/agent-schema.js';
import { agentSettings, settingFaults } from './schemas/agent-settings.js';
import type { AgentEntity } from './agent.entity.js';
import { AGENT_WEBHOOK_FIELDS, withStoredHeaders } from './schemas/agent-request.js';
import { findScenarioProblems, findScriptProblems } from './script-problems.js';
import {
  type AgentSettingsView,
  agentSettingsView,
  agentView,
  type AgentView,
  type ScenarioView,
} from './agent.presenter.js';

const WEBHOOK_PROPERTIES = {
  post_call_webhook: 'postCallWebhook',
  call_status_webhook: 'callStatusWebhook',
  pre_call_webhook: 'preCallWebhook',
} as const;

/** A change of them changes what a flow may refer to. */
const FLOW_FIELDS = ['flow', 'handoffs', 'variables', 'call_transfer'] as const;

/** Turns the fields of requests into columns of agents, and agents into the JSON of the API. */
@Injectable()
export class AgentFieldsService {
  private readonly urlRules: UrlRules;

  constructor(
    private readonly existence: RecordExistenceRepository,
    private readonly encryption: Encryption,
    private readonly flows: AgentFlowsService,
    @Inject(ENV) env: Env,
  ) {
    this.urlRules = egressUrlRules(env);
  }

  /** Throws InvalidFields for scripts, scenarios and URLs, which the schema does not know. */
  async check(fields: AgentChange): Promise<void> {
    const errors: FieldErrors = {};
    const script = fields.script ? await findScriptProblems(fields.script) : [];
    if (script.length > 0) errors.script = script.map((problem) => `The script field ${problem}.`);
    for (const [index, { scenario }] of (fields.scenarios ?? []).entries())
      for (const [path, problems] of Object.entries(findScenarioProblems(scenario))) {
        const field = `scenarios.${index}.scenario${path && `.${path}`}`;
        errors[field] = problems.map((problem) => `The ${field} field ${problem}.`);
      }
    for (const field of AGENT_WEBHOOK_FIELDS) {
      const url = fields[field]?.url;
      const problem = url === undefined ? undefined : urlFault(url, this.urlRules);
      if (problem) errors[`${field}.url`] = [problem];
    }
    if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  }

  /**
   * The wanted columns; masked headers keep the values of `base`. Throws InvalidFields, also when the account has no such phone number.
   */
  async columns(
    accountId: number,
    given: AgentChange,
    base: AgentEntity | null,
    tx: EntityTransaction,
  ): Promise<Partial<AgentEntity>> {
    const fields = withStoredHeaders(given, (field) => {
      const webhook = base?.[WEBHOOK_PROPERTIES[field]];
      return webhook ? { ...webhook, headers: openHeaders(this.encryption, webhook.headers_sealed) } : null;
    });
    const faults = settingFaults(fields, base).map(({ path, problem }) => [path.join('.'), problem]);
    if (faults.length > 0)
      throw new InvalidFields(
        Object.fromEntries(faults.map(([field, problem]) => [field, [`The ${field} field ${problem}.`]])),
      );
    const callerIdNumberId = fields.call_transfer?.caller_id_number_id;
    if (
      typeof callerIdNumberId === 'number' &&
      !(await this.existence.exists(accountId, { table: 'phone_numbers', id: callerIdNumberId }, tx))
    ) {
      throw new InvalidFields({ 'call_transfer.caller_id_number_id': [noRecord('number', callerIdNumberId)] });
    }
    // The schema knows the shape: of each exit and action one alternative.
    const flows = { flow: fields.flow, handoffs: fields.handoffs } as GivenFlow;
    await this.flows.requireAgents(accountId, flows, tx);
    const columns = agentSettings(this.encryption, fields, { script: fields.script, callerIdNumberId, flows })(base);
    if (FLOW_FIELDS.some((field) => fields[field] !== undefined))
      requireNoFaults(await this.flows.faults(wantedAgent(base, columns), accountId, base?.id, tx));
    return columns;
  }

  view(agent: AgentEntity, scenarios: ScenarioView[]): AgentView {
    return agentView(agent, scenarios, this.encryption);
  }

  settingsView(agent: AgentEntity): AgentSettingsView {
    return agentSettingsView(agent, this.encryption);
  }
}
