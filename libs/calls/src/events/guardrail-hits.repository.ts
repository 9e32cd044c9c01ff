import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { GuardrailHitRecord } from '../domain/call.js';

/** How often a rule of an agent applied. */
export interface GuardrailCount {
  agent_id: number | null;
  agent_name: string;
  name: string;
  on: GuardrailHitRecord['on'];
  action: GuardrailHitRecord['action'];
  hits: number;
  /** Calls with at least one hit. */
  calls: number;
}

interface CountedCalls {
  accountId: number;
  /** Of the creation of the calls; `to` is excluded. */
  from: Date;
  to: Date;
  agentId?: number | undefined;
}

/** Reads the calls with hits only, which have an index of their own. */
const COUNTS = {
  name: 'guardrail-hit-counts',
  text: `SELECT c.agent_id, max(c.agent_name) AS agent_name, h.value->>'name' AS name, h.value->>'on' AS "on",
      h.value->>'action' AS action, count(*)::integer AS hits, count(DISTINCT c.id)::integer AS calls
    FROM calls c CROSS JOIN LATERAL jsonb_array_elements(c.guardrail_hits) AS h (value)
    WHERE c.account_id = $1 AND c.created_at >= $2 AND c.created_at < $3 AND c.guardrail_hits IS NOT NULL
      AND ($4::integer IS NULL OR c.agent_id = $4)
    GROUP BY c.agent_id, 3, 4, 5 ORDER BY hits DESC, c.agent_id, name LIMIT $5`,
};

/** The rules that applied on calls. */
@Injectable()
export class GuardrailHitsRepository {
  constructor(private readonly database: Database) {}

  /** The most frequent rules first. */
  counts({ accountId, from, to, agentId }: CountedCalls, limit: number): Promise<GuardrailCount[]> {
    type Found = GuardrailCount & Record<string, unknown>;
    return this.database.rows<Found>(COUNTS, [accountId, from, to, agentId ?? null, limit]);
  }
}
