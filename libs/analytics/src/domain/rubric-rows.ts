/** The answer of one call to a question of a rubric; empty: the analysis found none. */
export interface RubricFact {
  name: string;
  /** `boolean`, `score` or `enum`. */
  type: string;
  answer: string;
}

/** The part of the facts of a call that rubric rows need. */
interface AnsweringCall {
  account_id: number;
  agent_id: number;
  agent_version: number | null;
  is_test: boolean;
  rubric: RubricFact[] | null;
}

/** How many calls gave an answer, or a change of it. */
export interface RubricRow extends RubricFact {
  accountId: number;
  zoneId: number;
  /** Milliseconds since 1970. */
  bucket: number;
  agentId: number;
  agentVersion: number;
  isTest: boolean;
  calls: number;
}

/** Adds the answers of calls up. */
export class RubricRows {
  private readonly rows = new Map<string, RubricRow>();

  /** Without changes that cancel each other. */
  get all(): RubricRow[] {
    return [...this.rows.values()].filter(({ calls }) => calls !== 0);
  }

  /** `times`: -1 takes the answers away. */
  add({ zoneId, bucket }: Pick<RubricRow, 'zoneId' | 'bucket'>, facts: AnsweringCall, times: 1 | -1): void {
    const { account_id: accountId, agent_id: agentId, is_test: isTest } = facts;
    const agentVersion = facts.agent_version ?? 0;
    for (const { name, type, answer } of facts.rubric ?? []) {
      const key = JSON.stringify([accountId, zoneId, bucket, agentId, agentVersion, isTest, name, type, answer]);
      const row = this.rows.get(key);
      if (row) row.calls += times;
      else
        this.rows.set(key, {
          ...{ accountId, zoneId, bucket, agentId, agentVersion, isTest },
          ...{ name, type, answer, calls: times },
        });
    }
  }
}
