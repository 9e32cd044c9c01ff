import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CallClaimsRepository } from './call-claims.repository.js';
import type { OwnedCall } from '../domain/call.js';
import { servedCallers } from '../domain/inbound-front.js';
import { WaitingCallersRepository } from './waiting-callers.repository.js';

/** A caller of one dialer: it has its place, or this position in the queue, from 1. */
export type CallerTurn = { id: string } & ({ served: true } | { served: false; position: number });

/** Gives free places to waiting callers in order of arrival, over all dialers. */
@Injectable()
export class WaitingCallersService {
  constructor(
    private readonly database: Database,
    private readonly claims: CallClaimsRepository,
    private readonly callers: WaitingCallersRepository,
  ) {}

  /** Serves the callers of a dialer whose turn it is, and returns the turns of its live callers among `ids`, all of one account. */
  async serve(owner: string, accountId: number, ids: readonly string[]): Promise<CallerTurn[]> {
    // Most looks find no free place, and take no lock.
    if ((await this.due(owner, accountId)).length > 0)
      await this.database.transaction(async (tx) => {
        await this.claims.lock(accountId, tx);
        await this.callers.serve(owner, await this.due(owner, accountId, tx), tx);
      });
    const line = (await this.callers.ofAccount(accountId)).filter(({ hasLeft }) => !hasLeft).map(({ id }) => id);
    const places = new Map(line.map((id, at) => [id, at + 1]));
    const left = ids.filter((id) => !places.has(id));
    // Read, not remembered: the response to the write may have been lost.
    const served = left.length > 0 ? await this.callers.served(owner, left) : [];
    const waiting = ids.flatMap((id): CallerTurn[] => {
      const position = places.get(id);
      return position === undefined ? [] : [{ id, served: false, position }];
    });
    return [...served.map((id): CallerTurn => ({ id, served: true })), ...waiting];
  }

  /** The caller leaves the queue without a place, to be transferred. False: it got its place meanwhile, or its call is over. */
  leave(call: OwnedCall): Promise<boolean> {
    return this.callers.leave(call);
  }

  /** The callers of the dialer whose turn it is. Places of callers of other dialers stay theirs. */
  private async due(owner: string, accountId: number, tx?: Sql): Promise<string[]> {
    const counted = await this.callers.ofAccount(accountId, tx);
    const waiting = counted.filter(({ hasLeft }) => !hasLeft);
    const account = await this.claims.accountGate(accountId, tx);
    if (!account) return [];
    // The limits count waiting callers as calls, so that no other call takes their place.
    const trunks = new Map([...(await this.claims.trunkGates(accountId, tx))].map(([id, { free }]) => [id, free]));
    for (const { trunkId } of counted) if (trunkId !== null) trunks.set(trunkId, (trunks.get(trunkId) ?? 0) + 1);
    const served = servedCallers(waiting, { account: account.free + counted.length, trunks });
    return waiting.filter((one) => one.owner === owner && served.has(one.id)).map(({ id }) => id);
  }
}
