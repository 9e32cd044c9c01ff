import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AgentEntity } from '@app/agents';
import { PhoneNumberEntity } from '@app/accounts';

/** Arbitrary key of the advisory lock that serialises workspace files. */
const APPLY_LOCK = 7_216_035;

/** Reads and locks the records that a workspace file names. */
@Injectable()
export class WorkspaceRepository {
  /** Waits for other workspace files; the lock is held until the end of the transaction. */
  async lock(tx: EntityTransaction): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [APPLY_LOCK]);
  }

  /**
   * Locks agents in the order of their ids, as changes of shared knowledge bases do: locked in the order of the file, both could
   * deadlock.
   */
  async lockAgents(accountId: number, names: string[], tx: EntityTransaction): Promise<void> {
    await tx.manager.find(AgentEntity, {
      where: { accountId, name: In(names) },
      select: { id: true },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** undefined: the account has no agent of this name. */
  async agentId(accountId: number, name: string, tx: EntityTransaction): Promise<number | undefined> {
    return (await tx.manager.findOne(AgentEntity, { where: { accountId, name }, select: { id: true } }))?.id;
  }

  /** The ids of an agent and its account by their names, as far as they are stored. */
  async idsOf(
    account: string,
    agent: string,
    tx: EntityTransaction,
  ): Promise<{ accountId?: number; agentId?: number }> {
    const text = `SELECT a.id AS "accountId", g.id AS "agentId"
      FROM accounts a LEFT JOIN agents g ON g.account_id = a.id AND g.name = $2 WHERE a.name = $1`;
    const { rows } = await tx.query<{ accountId: number; agentId: number | null }>(text, [account, agent]);
    const [found] = rows;
    return found ? { accountId: found.accountId, agentId: found.agentId ?? undefined } : {};
  }

  /** undefined: the account has no phone number of this name. */
  async numberId(accountId: number, name: string, tx: EntityTransaction): Promise<number | undefined> {
    return (await tx.manager.findOne(PhoneNumberEntity, { where: { accountId, name }, select: { id: true } }))?.id;
  }
}
