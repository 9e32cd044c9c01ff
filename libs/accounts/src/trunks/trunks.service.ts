import { NotFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { TrunkState } from './trunk-health.js';
import { trunkView, type TrunkView } from './trunk.presenter.js';
import { type ClaimedHealthCheck, type InboundTrunk, type TrunkRow, TrunksRepository } from './trunks.repository.js';

/** SIP trunks and their health. They are created and changed by workspace files, see WorkspaceService. */
@Injectable()
export class TrunksService {
  constructor(private readonly trunks: TrunksRepository) {}

  /** A page of the account's trunks by name. */
  async list(
    accountId: number,
    place: { page: number; perPage: number },
  ): Promise<{ trunks: TrunkView[]; total: number }> {
    const [trunks, total] = await Promise.all([this.trunks.page(accountId, place), this.trunks.count(accountId)]);
    return { trunks: trunks.map((trunk) => trunkView(trunk)), total };
  }

  /** @throws NotFound when the account has no such trunk */
  async find(accountId: number, trunkId: number): Promise<TrunkView> {
    const found = await this.trunks.find(accountId, trunkId);
    if (!found) throw new NotFound('Trunk');
    return trunkView(found);
  }

  /** All trunks by account and name; of one account when its id is given. For the command line. */
  all(accountId?: number): Promise<TrunkRow[]> {
    return this.trunks.all(accountId);
  }

  /** Active trunks that may call in, by id. */
  inbound(limit: number): Promise<InboundTrunk[]> {
    return this.trunks.inbound(limit);
  }

  /** Claims trunks whose health check is due, each for one dialer. */
  claimHealthChecks(limit: number): Promise<ClaimedHealthCheck[]> {
    return this.trunks.claimHealthChecks(limit);
  }

  /** false: the claim has expired, or the trunk was changed meanwhile; the result is dropped. */
  storeHealth(claimed: ClaimedHealthCheck, found: TrunkState): Promise<boolean> {
    return this.trunks.storeHealth(claimed, found);
  }
}
