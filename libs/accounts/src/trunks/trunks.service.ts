import type { Acting } from '@app/audit';
import { allowList, Conflict, Encryption, type Env, NotFound } from '@app/common';
import {
  Database,
  type EntityTransaction,
  type IdempotencyKey,
  IdempotencyRepository,
  RecordExistenceRepository,
} from '@app/database';
import { ENV } from '@app/common/settings';
import { sipPlace } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import { given, readFields } from '../domain/field-faults.js';
import { AccountRecordsService, type ActingTenant, mustBeNew } from '../records/account-records.service.js';
import { CallsInProgressRepository } from '../records/calls-in-progress.repository.js';
import type { SavedRecord } from '../records/records.repository.js';
import { apiTrunk, type TrunkNode } from './trunk-schema.js';
import { SipTrunkEntity } from './sip-trunk.entity.js';
import { checkApiTrunk, mergeTrunk } from './trunk-changes.js';
import { TrunkPlacesRepository } from './trunk-places.repository.js';
import { trunkNode, trunkSettings } from './trunk-settings.js';
import { trunkView, type TrunkView } from './trunk.presenter.js';
import { type InboundTrunk, type TrunkRow, TrunksRepository } from './trunks.repository.js';

/** Trunks that an account may have; a workspace file may create more. */
const TRUNKS_PER_ACCOUNT = 100;

type Fields = Readonly<Record<string, unknown>>;

/** SIP trunks, for the API, for workspace files and for dialers. */
@Injectable()
export class TrunksService {
  constructor(
    private readonly trunks: TrunksRepository,
    private readonly places: TrunkPlacesRepository,
    private readonly existence: RecordExistenceRepository,
    private readonly calls: CallsInProgressRepository,
    private readonly records: AccountRecordsService,
    private readonly database: Database,
    private readonly idempotency: IdempotencyRepository,
    private readonly encryption: Encryption,
    @Inject(ENV) private readonly env: Pick<Env, 'SIP_ALLOW_CIDRS'>,
  ) {}

  /** A page of the account's trunks by name. */
  async list(
    accountId: number,
    place: { page: number; perPage: number },
  ): Promise<{ trunks: TrunkView[]; total: number }> {
    const [trunks, total] = await Promise.all([this.trunks.page(accountId, place), this.trunks.count(accountId)]);
    return { trunks: trunks.map((trunk) => trunkView(trunk)), total };
  }

  /** @throws NotFound when the account has no such trunk */
  find(accountId: number, trunkId: number): Promise<TrunkView> {
    return this.viewOf(accountId, trunkId);
  }

  /** Throws InvalidFields, and Conflict when the account has no room or the key was used with another body. */
  async create(
    acting: ActingTenant,
    body: object,
    key?: IdempotencyKey,
  ): Promise<{ view: TrunkView; ignored: string[]; replayed: boolean }> {
    const { node, ignored } = this.checked(acting, given(body) as Fields, null);
    const { accountId } = acting;
    const { answer, replayed } = await this.idempotency.createOnce(accountId, key, async (tx) => {
      await this.existence.lockAccount(accountId, tx);
      if ((await this.trunks.count(accountId, tx)) >= TRUNKS_PER_ACCOUNT)
        throw new Conflict(`The account has ${TRUNKS_PER_ACCOUNT} trunks, which is the most. Delete one first.`);
      const settings = trunkSettings({ encryption: this.encryption }, node, null);
      const { id } = await this.save(acting, { name: node.name }, mustBeNew('trunk', node.name, settings), tx);
      return this.viewOf(accountId, id, tx);
    });
    return { view: answer, ignored, replayed };
  }

  /** Applies the given fields. Throws NotFound and InvalidFields. */
  async update(acting: ActingTenant, id: number, body: object): Promise<{ view: TrunkView; ignored: string[] }> {
    const fields = given(body) as Fields;
    const unknown: string[] = [];
    const view = await this.database.entityTransaction(async (tx) => {
      const settings = (stored: SipTrunkEntity | null): Partial<SipTrunkEntity> => {
        if (!stored) throw new NotFound('Trunk');
        const { node, ignored } = this.checked(acting, fields, trunkNode(stored, this.encryption));
        unknown.push(...ignored);
        return { name: node.name, ...trunkSettings({ encryption: this.encryption }, node, stored) };
      };
      if (Object.keys(fields).length > 0) await this.save(acting, { id }, settings, tx);
      return this.viewOf(acting.accountId, id, tx);
    });
    return { view, ignored: unknown };
  }

  /** Throws NotFound, and Conflict while calls are queued for the trunk or active on it. */
  delete(acting: Acting, id: number): Promise<void> {
    return this.database.entityTransaction((tx) => this.deleteWithin(acting, id, tx));
  }

  /** `delete` in the transaction of a workspace file. */
  async deleteWithin(acting: Acting, id: number, tx: EntityTransaction): Promise<void> {
    const stored = await this.trunks.lock(acting.accountId, id, tx);
    if (!stored) throw new NotFound('Trunk');
    if (await this.calls.useTrunk(acting.accountId, id, tx))
      throw new Conflict(
        'The trunk cannot be deleted while calls are queued for it or active on it. Wait until they end, or cancel them.',
      );
    await this.trunks.delete(id, tx);
    await this.records.recordDeleted(acting, 'trunk', stored, tx);
  }

  /** Creates or updates the trunk of this name, for a workspace file, whose paths are relative to `folder`. Throws InvalidRecord. */
  apply(acting: Acting, node: TrunkNode, folder: string, tx: EntityTransaction): Promise<SavedRecord> {
    const { encryption } = this;
    const settings = (stored: SipTrunkEntity | null): Partial<SipTrunkEntity> =>
      trunkSettings({ encryption, folder }, node, stored);
    return this.save(acting, { name: node.name }, settings, tx);
  }

  /** The trunks of an account by name as nodes of a workspace file, with their secrets. */
  async nodes(accountId: number, tx: EntityTransaction): Promise<(TrunkNode & { id: number })[]> {
    const stored = await this.trunks.entities(accountId, tx);
    return stored.map((trunk) => ({ id: trunk.id, ...trunkNode(trunk, this.encryption) }));
  }

  /** All trunks by account and name; of one account when its id is given. For the command line. */
  all(accountId?: number): Promise<TrunkRow[]> {
    return this.trunks.all(accountId);
  }

  /** Active trunks that may call in, by id. */
  inbound(limit: number): Promise<InboundTrunk[]> {
    return this.trunks.inbound(limit);
  }

  /** The trunk as the API may store it. Throws InvalidRecord. */
  private checked(
    { isOperator }: ActingTenant,
    fields: Fields,
    before: TrunkNode | null,
  ): { node: TrunkNode; ignored: string[] } {
    const { fields: node, ignored } = readFields(apiTrunk, before ? mergeTrunk(before, fields) : fields);
    checkApiTrunk({ node, before, fields }, { allow: allowList(this.env.SIP_ALLOW_CIDRS), isOperator });
    return { node, ignored };
  }

  private async save(
    acting: Acting,
    which: { id: number } | { name: string },
    settings: (stored: SipTrunkEntity | null) => Partial<SipTrunkEntity>,
    tx: EntityTransaction,
  ): Promise<SavedRecord> {
    const identity = { accountId: acting.accountId, ...which };
    const write = { kind: 'trunk' as const, entity: SipTrunkEntity, identity, settings };
    const saved = await this.records.save<SipTrunkEntity>(acting, write, tx);
    if (saved.result === 'updated') {
      await this.trunks.resetHealth(saved.id, tx);
      await this.forgetPlaces(acting.accountId, saved.id, tx);
    }
    return saved;
  }

  /** A host that is no longer a target is not protected for the trunk. */
  private async forgetPlaces(accountId: number, trunkId: number, tx: EntityTransaction): Promise<void> {
    const trunk = await this.trunks.find(accountId, trunkId, tx);
    if (trunk) await this.places.keepTargets(trunkId, (trunk.targets ?? [trunk]).map(sipPlace), tx);
  }

  private async viewOf(accountId: number, trunkId: number, tx?: EntityTransaction): Promise<TrunkView> {
    const found = await this.trunks.find(accountId, trunkId, tx);
    if (!found) throw new NotFound('Trunk');
    return trunkView(found);
  }
}
