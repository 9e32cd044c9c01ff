import { dialledNumber } from '@app/accounts';
import {
  type AgentDisclosure,
  AgentLookupsService,
  disclosureFor,
  numberIn,
  type VariableDeclaration,
  type VariableValue,
} from '@app/agents';
import { allowList, Encryption, type Env, type FieldErrors } from '@app/common';
import type { Sql } from '@app/database';
import { egressUrlRules } from '@app/egress';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { newCallRows, newCalls } from './call-creation.service.js';
import { REQUESTED_DEFAULTS } from './call.entity.js';
import { CallProgressService } from './progress/call-progress.service.js';
import { CallCreationRepository } from './call-creation.repository.js';
import { CallsRepository } from './calls.repository.js';
import { DialChecksRepository } from './compliance/dial-checks.repository.js';
import { type AgentSettings } from './domain/call-settings.js';
import { settingsByVersion, withVersion } from './domain/agent-version.js';
import type { CallSchedule } from './domain/call.js';
import {
  type CallReferences,
  type CallRules,
  commandFaults,
  type CreateCallsCommand,
  faultSentence,
} from './domain/create-calls-command.js';
import { destinationKind, parseDestination } from './domain/destination.js';

/** What the calls of a campaign share. */
export interface CampaignCalls {
  campaignId: number;
  accountId: number;
  agentId: number;
  /** null: the published one. */
  agentVersion: number | null;
  numberId: number;
  trunkId: number | null;
  record: boolean;
  metadata: Record<string, unknown> | null;
  variables: Record<string, VariableValue> | null;
  /** Contacts for whom the agent has no disclosure are not called. */
  requireDisclosure: boolean;
}

/** What the calls of a campaign depend on. */
export interface CampaignCallReferences extends CallReferences {
  /** Absent: none is required. */
  required_disclosure?: AgentDisclosure | undefined;
}

/** A contact that becomes a call. Its values are merged over those of the campaign. */
interface CalledContact {
  id: string;
  to_number: string;
  metadata: Record<string, unknown> | null;
  variables: Record<string, VariableValue> | null;
}

/** A contact that is called now. */
interface ReleasedContact extends CalledContact {
  /** The displayed number. */
  from: { id: number; e164: string };
  /** When it may be dialled; undefined: at any time. */
  schedule?: CallSchedule;
}

/** Why contacts cannot be called. */
interface CampaignProblems {
  /** By field of a request: no contact can be called. */
  ofAll: FieldErrors;
  /** By the place of the contact: its field and a sentence. */
  ofContacts: Map<number, { field: string; message: string }>;
}

const AGENT_COLUMNS: readonly (keyof AgentSettings)[] = [
  ...(['post_call_webhook', 'call_status_webhook', 'transfer_enabled', 'transfer_phone_number'] as const),
  'transfer_caller_id_number_id',
];

/** Creates the calls of campaigns, with the rules and the settings that calls of requests have. */
@Injectable()
export class CampaignCallsService {
  private readonly rules: CallRules;

  constructor(
    private readonly creation: CallCreationRepository,
    private readonly calls: CallsRepository,
    private readonly agents: AgentLookupsService,
    private readonly progress: CallProgressService,
    private readonly checks: DialChecksRepository,
    private readonly encryption: Encryption,
    @Inject(ENV) env: Env,
  ) {
    this.rules = {
      maxDestinations: Number.POSITIVE_INFINITY,
      sipAllow: allowList(env.SIP_ALLOW_CIDRS),
      webhookUrls: egressUrlRules(env),
    };
  }

  /** The stored data that the calls depend on. Undefined: the account or the pinned version of the agent does not exist. */
  async references(calls: CampaignCalls, tx?: Sql): Promise<CampaignCallReferences | undefined> {
    const found = await this.ofVersion(calls, tx);
    if (!found || !calls.requireDisclosure) return found;
    const { accountId, agentId, agentVersion: version } = calls;
    const none = { disclosure: [], language: null };
    const required = (await this.agents.disclosure({ accountId, agentId, version }, tx)) ?? none;
    return { ...found, required_disclosure: required };
  }

  private async ofVersion(calls: CampaignCalls, tx?: Sql): Promise<CallReferences | undefined> {
    const found = await this.creation.references(calls.accountId, commandOf(calls, []), undefined, tx);
    if (!found || calls.agentVersion === null) return found;
    const settings = await this.agents.versionSettings(calls, calls.agentVersion, tx);
    if (settings === undefined) return undefined;
    const declared = settings?.['variables'] as VariableDeclaration[] | undefined;
    return {
      ...withVersion(found, settings, AGENT_COLUMNS),
      ...(declared && { agent_variables: declared }),
      agent_version: calls.agentVersion,
      canary_version: null,
    };
  }

  /** The ids of the contacts that the do-not-call list has. The dialer checks again, under the lock of the list. */
  async listed(
    accountId: number,
    contacts: readonly Pick<CalledContact, 'id' | 'to_number'>[],
    { has_do_not_call: hasList }: CallReferences,
    tx: Sql,
  ): Promise<ReadonlySet<string>> {
    if (!hasList || contacts.length === 0) return new Set();
    const dialled = contacts.map(({ to_number: to }) => dialledNumber(to));
    const known = dialled.filter((number) => number !== undefined);
    const listed = await this.checks.listedAmong(accountId, known, tx);
    return new Set(contacts.filter((_, place) => listed.has(dialled[place] ?? '')).map(({ id }) => id));
  }

  problems(calls: CampaignCalls, contacts: readonly CalledContact[], found: CampaignCallReferences): CampaignProblems {
    const problems: CampaignProblems = { ofAll: {}, ofContacts: new Map() };
    for (const { index, field, problem } of commandFaults(commandOf(calls, contacts), found, this.rules)) {
      const message = faultSentence(field, problem);
      if (index === undefined) (problems.ofAll[field] ??= []).push(message);
      else if (!problems.ofContacts.has(index)) problems.ofContacts.set(index, { field, message });
    }
    for (const [index, { to_number: address }] of contacts.entries())
      if (!problems.ofContacts.has(index) && lacksDisclosure(found, address))
        problems.ofContacts.set(index, { field: DISCLOSURE_FIELD, message: NO_DISCLOSURE });
    return problems;
  }

  /**
   * Creates one call per contact in the transaction of the campaign, which wakes the dialers after its commit. Returns the ids of the
   * calls in the order of the contacts. Throws when the agent was deleted or deactivated meanwhile.
   */
  async create(
    calls: CampaignCalls,
    contacts: readonly ReleasedContact[],
    found: CallReferences,
    tx: Sql,
  ): Promise<string[]> {
    const command = commandOf(calls, contacts);
    const pinned = settingsByVersion(found, command.overrides, this.encryption);
    const rows = newCallRows(calls.accountId, command, found, pinned).map((row, index) => {
      const { id, from, schedule } = contacts[index]!;
      const settings = schedule ? { ...row.settings, schedule } : row.settings;
      const ofCampaign = { campaign_id: calls.campaignId, contact_id: id };
      return { ...row, ...ofCampaign, number_id: from.id, from_number: from.e164, settings };
    });
    await this.creation.create(newCalls(rows), undefined, tx);
    return rows.map(({ id }) => id);
  }

  /** How many of the calls are live, and how many wait. */
  count(callIds: readonly string[], tx: Sql): Promise<{ live: number; queued: number }> {
    return this.calls.count(callIds, tx);
  }

  /** Ends those of the calls that no dialer has claimed. */
  async endQueued(callIds: readonly string[], cause: 'campaign_stopped' | 'outside_window', tx: Sql): Promise<void> {
    const ending = { change: 'failed', at: new Date(), cause, endedBy: 'system' } as const;
    for (const call of await this.calls.lockQueued(callIds, tx)) await this.progress.end(call, ending, tx);
  }
}

/** The field of contacts for whom the agent has no disclosure. */
export const DISCLOSURE_FIELD = 'disclosure';

const NO_DISCLOSURE =
  'The campaign requires a disclosure, and the agent has none in its language for this number. Add one to the agent.';

function lacksDisclosure({ required_disclosure: required }: CampaignCallReferences, address: string): boolean {
  if (!required) return false;
  const { disclosure, language } = required;
  return disclosureFor(disclosure, { language: language ?? undefined, number: numberIn(address) }) === undefined;
}

function commandOf(calls: CampaignCalls, contacts: readonly CalledContact[]): CreateCallsCommand {
  return {
    destinations: contacts.map(({ to_number: number, metadata, variables }) => ({
      ...destinationOf(number),
      own: { metadata, variables },
    })),
    agentId: calls.agentId,
    numberId: calls.numberId,
    ...(calls.trunkId !== null && { trunkId: calls.trunkId }),
    columns: { ...REQUESTED_DEFAULTS, record: calls.record, metadata: calls.metadata, variables: calls.variables },
    overrides: { postCallWebhook: {}, callStatusWebhook: {}, transfer: {} },
  };
}

/** Stored numbers were parsed before. */
function destinationOf(address: string): CreateCallsCommand['destinations'][number] {
  const parsed = parseDestination(address);
  return parsed.kind === 'wrong' ? { kind: destinationKind(address), address } : parsed;
}
