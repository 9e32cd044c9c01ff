import type { AgentHandoff, Flow } from '@app/flow';
import { DIAL_TRUNK, type DialTrunk, type ListenerAnnouncement } from '@app/accounts';
import {
  type StoredAnsweringMachine,
  type StoredDigitInput,
  type StoredDisclosure,
  type StoredGuardrail,
  type StoredRecordingConsent,
  type StoredConversation,
  type StoredPreCallWebhook,
  type StoredProviderOptions,
  type VariableDeclaration,
} from '@app/agents';
import { Database } from '@app/database';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import type { CallEntity } from '../call.entity.js';
import { withVersion } from '../domain/agent-version.js';
import type { OwnedCall } from '../domain/call.js';
import type { ContactLimits } from '../compliance/domain/contact-limits.js';

type CallColumns =
  | 'id'
  | 'account_id'
  | 'direction'
  | 'channel'
  | 'to_number'
  | 'from_number'
  | 'record'
  | 'metadata'
  | 'variables'
  | 'knowledge_base_ids'
  | 'settings'
  | 'agent_id'
  | 'trunk_id'
  | 'agent_name'
  | 'created_at'
  | 'trace_parent'
  | 'campaign_id'
  | 'released_at';

/** The account's limits when the call is dialled. */
interface AccountLimits {
  daily_spend_micros: string | null;
  spent_micros: string;
  destinations_allow: string[];
  destinations_deny: string[];
}

/** A claimed call with its agent, its trunk and the limits of its account. */
export interface StoredCallContext extends Pick<CallEntity, CallColumns>, AccountLimits, ContactLimits {
  provider: string;
  provider_options: StoredProviderOptions;
  instructions: string;
  greeting: string;
  max_call_seconds: number;
  ring_timeout_seconds: number;
  answering_machine: StoredAnsweringMachine | null;
  conversation: StoredConversation | null;
  agent_variables: VariableDeclaration[];
  timezone: string | null;
  pre_call_webhook: StoredPreCallWebhook | null;
  /** The agent may put the other party on the do-not-call list. */
  do_not_call_tool: boolean;
  /** The agent may pause and resume the recording. */
  pause_recording_tool: boolean;
  digit_inputs: StoredDigitInput[];
  recording_consent: StoredRecordingConsent | null;
  guardrails: StoredGuardrail[];
  disclosure: StoredDisclosure[];
  /** Of the agent, in addition to that of the account. */
  redaction: Redaction | null;
  account_redaction: Redaction | null;
  /** Spoken before a person listens. */
  announce_listeners: ListenerAnnouncement | null;
  trunk: DialTrunk | null;
  /** The steps of the agent; null: one conversation without steps. */
  flow: Flow | null;
  handoffs: AgentHandoff[];
  /** The agent, the number of a phone call, and the trunk, if the call has one, exist and are active. */
  active: boolean;
  /** The agent has knowledge bases that can be searched in the call. */
  has_knowledge: boolean;
  /** The agent has active tools of the account. */
  has_tools: boolean;
}

/** The context of the second leg of a live call. */
export interface TransferContext extends AccountLimits {
  account_id: number;
  /** The displayed number: that of the transfer, or that of the call; empty when the account of a web call has no active number. */
  caller_id: string;
  /** The account's number of the call; null: a web call, whose caller dialled none. */
  diverted_from: string | null;
  /** The trunk of the call; for a call without a trunk, the first one of the account. */
  trunk_id: number | null;
  trunk: DialTrunk | null;
}

/** The settings of the agent, which the version of the call replaces. */
const AGENT_COLUMNS = [
  ...(['provider', 'provider_options', 'instructions', 'greeting', 'max_call_seconds'] as const),
  ...(['ring_timeout_seconds', 'answering_machine', 'conversation', 'timezone', 'pre_call_webhook'] as const),
  ...(['do_not_call_tool', 'pause_recording_tool', 'digit_inputs', 'recording_consent', 'redaction'] as const),
  ...(['guardrails', 'disclosure', 'flow', 'handoffs'] as const),
] satisfies (keyof StoredCallContext)[];

const LIMITS = `o.daily_spend_micros, o.destinations_allow, o.destinations_deny,
      coalesce((SELECT s.micros FROM daily_spend s
        WHERE s.account_id = c.account_id AND s.day = (now() AT TIME ZONE 'UTC')::date), 0) AS spent_micros`;

/** One statement over the tables of several features: a claimed call must not wait for five statements. */
const CONTEXT = {
  name: 'call-context',
  text: `SELECT c.id, c.account_id, c.direction, c.channel, c.to_number, c.from_number, c.record, c.metadata, c.variables, c.knowledge_base_ids, c.settings, c.agent_id, c.trunk_id, c.agent_name,
      c.created_at, c.trace_parent, c.campaign_id, c.released_at, v.settings AS version_settings, a.variables AS agent_variables,
      ${AGENT_COLUMNS.map((column) => `a.${column}`).join(', ')},
      CASE WHEN t.id IS NULL THEN NULL ELSE ${DIAL_TRUNK} END AS trunk,
      CASE WHEN c.channel = 'web' THEN (SELECT w.max_seconds FROM web_calls w WHERE w.call_id = c.id) END AS web_seconds,
      a.active AND (c.channel = 'web' OR coalesce(n.active, false)) AND (c.trunk_id IS NULL OR coalesce(t.active, false)) AS active,
      ${LIMITS}, o.contact_attempts_per_day, o.contact_attempts_per_week, o.contact_earliest, o.contact_latest, o.contact_time_zone,
      o.redaction AS account_redaction, o.announce_listeners,
      EXISTS (SELECT 1 FROM knowledge_base_agents l JOIN knowledge_bases k ON k.id = l.knowledge_base_id
        WHERE l.account_id = c.account_id AND l.agent_id = c.agent_id AND k.is_active AND k.serving IS NOT NULL
          AND (c.knowledge_base_ids IS NULL OR k.id = ANY (c.knowledge_base_ids))) AS has_knowledge,
      EXISTS (SELECT 1 FROM tool_agents l JOIN tools u ON u.id = l.tool_id
        WHERE l.account_id = c.account_id AND l.agent_id = c.agent_id AND u.is_active) AS has_tools
    FROM calls c JOIN agents a ON a.id = c.agent_id LEFT JOIN phone_numbers n ON n.id = c.number_id JOIN accounts o ON o.id = c.account_id
      LEFT JOIN sip_trunks t ON t.id = c.trunk_id
      LEFT JOIN agent_versions v ON v.agent_id = c.agent_id AND v.version = c.agent_version
    WHERE c.id = $1 AND c.owner = $2 AND c.ended_at IS NULL`,
};

/**
 * The number may have been deleted while the call was created: the call keeps it. A web call has none and shows the first number of
 * its agent, or else of the account.
 */
const OWN_NUMBER = `coalesce(own.e164, CASE WHEN c.channel = 'web' THEN coalesce((SELECT p.e164 FROM phone_numbers p
        WHERE p.account_id = c.account_id AND p.active ORDER BY p.agent_id IS DISTINCT FROM c.agent_id, p.id LIMIT 1), '')
      WHEN c.direction = 'inbound' THEN c.to_number ELSE c.from_number END)`;

const TRANSFER_CONTEXT = {
  name: 'transfer-context',
  text: `SELECT c.account_id, coalesce(shown.e164, ${OWN_NUMBER}) AS caller_id, CASE c.channel WHEN 'phone' THEN ${OWN_NUMBER} END AS diverted_from, t.id AS trunk_id,
      CASE WHEN t.id IS NULL THEN NULL ELSE ${DIAL_TRUNK} END AS trunk,
      ${LIMITS}
    FROM calls c JOIN accounts o ON o.id = c.account_id LEFT JOIN phone_numbers own ON own.id = c.number_id
      LEFT JOIN phone_numbers shown ON shown.id = $3 AND shown.account_id = c.account_id AND shown.active
      LEFT JOIN LATERAL (SELECT * FROM sip_trunks one WHERE one.account_id = c.account_id AND one.active
          AND (coalesce($4::integer, c.trunk_id) IS NULL OR one.id = coalesce($4::integer, c.trunk_id)) ORDER BY one.id LIMIT 1) t ON true
    WHERE c.id = $1 AND c.owner = $2 AND c.ended_at IS NULL`,
};

@Injectable()
export class CallContextRepository {
  constructor(private readonly database: Database) {}

  /** With the settings of the version that the call keeps. Undefined: the call belongs to another dialer or has ended. */
  async find({ id, owner }: OwnedCall): Promise<StoredCallContext | undefined> {
    type Found = StoredCallContext & {
      version_settings: Record<string, unknown> | null;
      web_seconds: number | null;
    };
    const [found] = await this.database.rows<Found & Record<string, unknown>>(CONTEXT, [id, owner]);
    if (!found) return undefined;
    const { version_settings: ofVersion, web_seconds: ofWebCall, ...columns } = found;
    const declared = (ofVersion?.variables as VariableDeclaration[] | undefined) ?? columns.agent_variables;
    const context = withVersion<StoredCallContext>(columns, ofVersion, AGENT_COLUMNS);
    const maxSeconds = Math.min(context.max_call_seconds, ofWebCall ?? Infinity);
    return { ...context, max_call_seconds: maxSeconds, agent_variables: declared };
  }

  /**
   * `trunkId`: the trunk of the second leg; absent: that of the call, or else the first one. Undefined: the call belongs to another dialer
   * or has ended.
   */
  async findForTransfer(
    { id, owner }: OwnedCall,
    callerIdNumberId: number | undefined,
    trunkId?: number,
  ): Promise<TransferContext | undefined> {
    const values = [id, owner, callerIdNumberId ?? null, trunkId ?? null];
    const [context] = await this.database.rows<TransferContext & Record<string, unknown>>(TRANSFER_CONTEXT, values);
    return context;
  }
}
