import { RecordLookupsService } from '@app/accounts';
import { AgentLookupsService, hasDisclosure, unmaskHeaders } from '@app/agents';
import {
  type CodedProblem,
  Encryption,
  type Env,
  type FieldErrors,
  InvalidFields,
  referenceProblem,
  withCode,
} from '@app/common';
import { type EntityTransaction } from '@app/database';
import { egressUrlRules, type UrlRules, urlFault } from '@app/egress';
import { ENV } from '@app/common/settings';
import { headerErrors, openHeaders, sealHeaders, type StoredWebhook } from '@app/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { CampaignEntity } from './campaign.entity.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { type CampaignNode, readCampaign } from './domain/campaign-settings.js';

/** Whether the records that a campaign names may be used; null: the account has no such record. */
interface CampaignReferences {
  agentActive: boolean | null;
  /** false: the agent has no such published version. */
  versionFound: boolean;
  trunkActive: boolean | null;
  /** Whether they are active, by id. */
  numbers: ReadonlyMap<number, boolean>;
}

/** Reads and checks the settings of campaigns. */
@Injectable()
export class CampaignSettingsService {
  private readonly webhookUrls: UrlRules;

  constructor(
    private readonly campaigns: CampaignsRepository,
    private readonly agents: AgentLookupsService,
    private readonly records: RecordLookupsService,
    private readonly encryption: Encryption,
    @Inject(ENV) env: Env,
  ) {
    this.webhookUrls = egressUrlRules(env);
  }

  /** Applies the fields of a request to a campaign and returns the paths of unknown ones. Throws InvalidFields. */
  async apply(campaign: CampaignEntity, body: object, tx: EntityTransaction): Promise<string[]> {
    const isNew = campaign.id === undefined;
    const { node, ignored } = readCampaign(isNew ? null : this.nodeOf(campaign), body as Record<string, unknown>);
    const errors: FieldErrors = {};
    const webhook = this.webhookOf(node, campaign.webhook ?? null, errors);
    const { accountId } = campaign;
    const ids = { agentId: node.agent_id, agentVersion: node.agent_version };
    const found = await this.references(accountId, { ...ids, trunkId: node.trunk_id, numberIds: node.number_ids }, tx);
    addReferenceErrors(node, found, errors);
    await this.checkDisclosure(accountId, node, errors, tx);
    if (campaign.name !== node.name && (await this.campaigns.isNameTaken(accountId, node.name, tx)))
      errors['name'] = [withCode('taken', `The account has another campaign with the name ${node.name}.`)];
    if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
    Object.assign(campaign, columnsOf(node), { webhook: webhook ?? null });
    return ignored;
  }

  /** Throws InvalidFields when a record that the campaign names was deleted or deactivated. */
  async checkReferences(campaign: CampaignEntity, tx: EntityTransaction): Promise<void> {
    const errors: FieldErrors = {};
    const { agentId, agentVersion, trunkId, numberIds } = campaign;
    if (agentId === null)
      throw new InvalidFields({ agent_id: [withCode('not_found', 'The agent of the campaign was deleted.')] });
    const found = await this.references(campaign.accountId, { agentId, agentVersion, trunkId, numberIds }, tx);
    addReferenceErrors({ agent_id: agentId, trunk_id: trunkId, number_ids: numberIds }, found, errors);
    // The runner leaves out numbers that were deactivated.
    if ([...found.numbers.values()].some(Boolean))
      for (const field of Object.keys(errors)) if (field.startsWith('number_ids.')) delete errors[field];
    if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  }

  /** Without any sentence in its language every contact would be refused. */
  private async checkDisclosure(
    accountId: number,
    node: CampaignNode,
    errors: FieldErrors,
    tx: EntityTransaction,
  ): Promise<void> {
    if (!node.require_disclosure || Object.keys(errors).length > 0) return;
    const agent = { accountId, agentId: node.agent_id, version: node.agent_version };
    const found = await this.agents.disclosure(agent, tx);
    if (found && hasDisclosure(found.disclosure, found.language ?? undefined)) return;
    errors['require_disclosure'] = [withCode('invalid', 'The agent has no disclosure in its language. Add one first.')];
  }

  private async references(
    accountId: number,
    ids: { agentId: number; agentVersion: number | null; trunkId: number | null; numberIds: number[] },
    tx: EntityTransaction,
  ): Promise<CampaignReferences> {
    const { agentVersion, trunkId, numberIds } = ids;
    const agent = { accountId, agentId: ids.agentId };
    const numbers = await this.records.numbers(accountId, numberIds, tx);
    return {
      agentActive: await this.agents.isActive(agent, tx),
      versionFound: agentVersion === null || (await this.agents.isPublished(agent, agentVersion, tx)),
      trunkActive: trunkId === null ? null : await this.records.isTrunkActive(accountId, trunkId, tx),
      numbers: new Map(numbers.map(({ id, active }) => [id, active])),
    };
  }

  private nodeOf(campaign: CampaignEntity): CampaignNode {
    const { webhook } = campaign;
    return {
      name: campaign.name,
      agent_id: campaign.agentId ?? 0,
      agent_version: campaign.agentVersion,
      number_ids: campaign.numberIds,
      rotation: campaign.rotation,
      trunk_id: campaign.trunkId,
      record: campaign.record,
      require_disclosure: campaign.requireDisclosure,
      metadata: campaign.metadata,
      variables: campaign.variables,
      schedule: campaign.schedule,
      retry: { ...campaign.retry, unless: campaign.retry.unless ?? null },
      pacing: campaign.pacing,
      webhook: webhook && {
        url: webhook.url,
        method: webhook.method as 'POST',
        headers: openHeaders(this.encryption, webhook.headers_sealed),
      },
    };
  }

  private webhookOf(
    { webhook }: CampaignNode,
    stored: StoredWebhook | null,
    errors: FieldErrors,
  ): StoredWebhook | undefined {
    if (!webhook) return undefined;
    const open = stored && { ...stored, headers: openHeaders(this.encryption, stored.headers_sealed) };
    const headers = unmaskHeaders('webhook', webhook, open, errors);
    const ofUrl = urlFault(webhook.url, this.webhookUrls);
    if (ofUrl) errors['webhook.url'] = [ofUrl];
    for (const [field, problem] of headerErrors('webhook.headers', headers)) errors[field] ??= [problem];
    const sealed = sealHeaders(this.encryption, headers);
    return { url: webhook.url, method: webhook.method, ...(sealed && { headers_sealed: sealed }) };
  }
}

function addReferenceErrors(
  {
    agent_id: agentId,
    trunk_id: trunkId,
    number_ids: numberIds,
  }: Pick<CampaignNode, 'agent_id' | 'trunk_id' | 'number_ids'>,
  found: CampaignReferences,
  errors: FieldErrors,
): void {
  const add = (field: string, problem: CodedProblem | undefined): void => {
    if (problem) errors[field] = [problem];
  };
  add('agent_id', referenceProblem('agent', agentId, found.agentActive));
  if (!found.versionFound)
    errors['agent_version'] = [withCode('not_found', 'The agent has no such published version.')];
  if (trunkId !== null) add('trunk_id', referenceProblem('trunk', trunkId, found.trunkActive));
  for (const [index, id] of numberIds.entries())
    add(`number_ids.${index}`, referenceProblem('number', id, found.numbers.get(id) ?? null));
}

const columnsOf = (node: CampaignNode): Partial<CampaignEntity> => ({
  name: node.name,
  agentId: node.agent_id,
  agentVersion: node.agent_version,
  numberIds: node.number_ids,
  rotation: node.rotation,
  trunkId: node.trunk_id,
  record: node.record,
  requireDisclosure: node.require_disclosure,
  metadata: node.metadata,
  variables: node.variables,
  schedule: node.schedule,
  retry: node.retry,
  pacing: node.pacing,
});
