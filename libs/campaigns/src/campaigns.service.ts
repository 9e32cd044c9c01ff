import type { Acting, AuditAction } from '@app/audit';
import { type CodedProblem, Conflict, Encryption, InvalidFields, NotFound, withCode } from '@app/common';
import { Database, type EntityTransaction, type IdempotencyKey, IdempotencyRepository } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CampaignEntity } from './campaign.entity.js';
import { CampaignAnnouncementsService } from './campaign-announcements.service.js';
import { CampaignSettingsService } from './campaign-settings.service.js';
import { CampaignsRepository } from './campaigns.repository.js';
import type { CampaignStatus } from './domain/campaign.js';
import { fixedWhileRunning } from './domain/campaign-settings.js';
import { campaignView, type CampaignView } from './presenters/campaign.presenter.js';

/** Campaigns that an account may have. */
const CAMPAIGNS_PER_ACCOUNT = 1_000;

const DELETABLE: readonly CampaignStatus[] = ['draft', 'completed', 'cancelled'];

/** Campaigns of an account. The runner of the workers places their calls. */
@Injectable()
export class CampaignsService {
  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly settings: CampaignSettingsService,
    private readonly idempotency: IdempotencyRepository,
    private readonly announcements: CampaignAnnouncementsService,
    private readonly encryption: Encryption,
  ) {}

  /** A page of the account's campaigns, newest first. */
  async list(
    accountId: number,
    filter: { status?: CampaignStatus },
    place: { page: number; perPage: number },
  ): Promise<{ campaigns: CampaignView[]; total: number }> {
    const [campaigns, total] = await this.campaigns.page(accountId, filter.status, place);
    return { campaigns: campaigns.map((campaign) => campaignView(campaign, this.encryption)), total };
  }

  /** @throws NotFound when the account has no such campaign */
  async find(accountId: number, id: number): Promise<CampaignView> {
    const campaign = await this.campaigns.find(accountId, id);
    if (!campaign) throw new NotFound('Campaign');
    return campaignView(campaign, this.encryption);
  }

  /** undefined: the account has no campaign of this name. */
  async findByName(accountId: number, name: string): Promise<CampaignView | undefined> {
    const campaign = await this.campaigns.findByName(accountId, name);
    return campaign ? campaignView(campaign, this.encryption) : undefined;
  }

  /** Creates a draft. Throws InvalidFields, and Conflict when the account has no room or the key was used with another body. */
  async create(
    acting: Acting,
    body: object,
    key?: IdempotencyKey,
  ): Promise<{ view: CampaignView; ignored: string[]; replayed: boolean }> {
    const { accountId } = acting;
    const { answer, replayed } = await this.idempotency.createOnce(accountId, key, async (tx) => {
      if ((await this.campaigns.countLocked(accountId, tx)) >= CAMPAIGNS_PER_ACCOUNT)
        throw new Conflict(
          `The account has ${CAMPAIGNS_PER_ACCOUNT} campaigns, which is the most. Delete an old one first.`,
        );
      const campaign = Object.assign(new CampaignEntity(), { accountId });
      const ignored = await this.settings.apply(campaign, body, tx);
      const saved = await this.campaigns.save(campaign, tx);
      await this.announcements.record(acting, 'campaign.created', saved, tx);
      return { view: campaignView(await this.reread(saved, tx), this.encryption), ignored };
    });
    return { ...answer, replayed };
  }

  /**
   * Applies the given fields; of `schedule`, `retry` and `pacing` the given ones as well. A running campaign may change those three and
   * its name. Throws NotFound, Conflict and InvalidFields.
   */
  async update(acting: Acting, id: number, body: object): Promise<{ view: CampaignView; ignored: string[] }> {
    const updated = await this.database.entityTransaction(async (tx) => {
      const campaign = await this.lock(acting.accountId, id, tx);
      if (campaign.status === 'completed' || campaign.status === 'cancelled')
        throw new Conflict(`The campaign is ${campaign.status} and cannot be changed.`);
      const fields = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      if (campaign.status === 'running') refuseFixed(fields);
      const windows = windowsOf(campaign);
      const ignored = await this.settings.apply(campaign, fields, tx);
      campaign.windowsChanged ||= windowsOf(campaign) !== windows;
      const saved = await this.campaigns.save(campaign, tx);
      await this.announcements.record(acting, 'campaign.updated', saved, tx, { changed: Object.keys(fields) });
      return { view: campaignView(await this.reread(saved, tx), this.encryption), ignored };
    });
    this.announcements.wakeRunner();
    return updated;
  }

  /**
   * Deletes a draft or a campaign that has ended, with its contacts; its calls stay. A deletion that was interrupted leaves a cancelled
   * campaign. Throws NotFound and Conflict.
   */
  async delete(acting: Acting, id: number): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      const campaign = await this.lock(acting.accountId, id, tx);
      if (!DELETABLE.includes(campaign.status))
        throw new Conflict(`The campaign is ${campaign.status}. Cancel it before it is deleted.`);
      if (campaign.status === 'draft') Object.assign(campaign, { status: 'cancelled', endedAt: new Date() });
      await this.campaigns.save(Object.assign(campaign, { hasWork: false }), tx);
    });
    // A million contacts in one statement would hold locks for half a minute.
    while ((await this.campaigns.deleteContacts(id)) > 0);
    await this.database.entityTransaction(async (tx) => {
      const campaign = await this.lock(acting.accountId, id, tx);
      await this.campaigns.delete(id, tx);
      await this.announcements.record(acting, 'campaign.deleted', campaign, tx);
    });
  }

  /** Starts a draft. Throws NotFound, Conflict, and InvalidFields when its agent or all its numbers are inactive. */
  async start(acting: Acting, id: number): Promise<CampaignView> {
    return this.change(acting, id, 'campaign.started', async (campaign, tx) => {
      mustBe(campaign, ['draft'], 'started');
      if (((await this.campaigns.counts(id, tx))['waiting'] ?? 0) === 0)
        throw new Conflict('The campaign has no contacts. Add contacts before it is started.');
      await this.settings.checkReferences(campaign, tx);
      campaign.startedAt = new Date();
      run(campaign, campaign.startedAt);
    });
  }

  /** Resumes a paused campaign; the ramp-up and the breaker begin anew. Throws NotFound, Conflict and InvalidFields. */
  async resume(acting: Acting, id: number): Promise<CampaignView> {
    return this.change(acting, id, 'campaign.resumed', async (campaign, tx) => {
      mustBe(campaign, ['paused'], 'resumed');
      await this.settings.checkReferences(campaign, tx);
      run(campaign, new Date());
    });
  }

  /** Queued calls are not dialled any more; calls that ring or are answered go on. Throws NotFound and Conflict. */
  async pause(acting: Acting, id: number): Promise<CampaignView> {
    return this.change(acting, id, 'campaign.paused', (campaign) => {
      mustBe(campaign, ['running'], 'paused');
      Object.assign(campaign, { status: 'paused', pauseReason: 'requested', hasWork: true });
    });
  }

  /** For ever. Queued calls are not dialled any more; calls that ring or are answered go on. Throws NotFound and Conflict. */
  async cancel(acting: Acting, id: number): Promise<CampaignView> {
    return this.change(acting, id, 'campaign.cancelled', (campaign) => {
      mustBe(campaign, ['draft', 'running', 'paused'], 'cancelled');
      Object.assign(campaign, { status: 'cancelled', pauseReason: null, endedAt: new Date(), hasWork: true });
    });
  }

  private async change(
    acting: Acting,
    id: number,
    action: AuditAction,
    apply: (campaign: CampaignEntity, tx: EntityTransaction) => Promise<void> | void,
  ): Promise<CampaignView> {
    const view = await this.database.entityTransaction(async (tx) => {
      const campaign = await this.lock(acting.accountId, id, tx);
      await apply(campaign, tx);
      const event = EVENT_OF[campaign.status];
      if (event) await this.announcements.send(campaign, event, await this.campaigns.counts(id, tx), tx);
      const saved = await this.campaigns.save(campaign, tx);
      await this.announcements.record(acting, action, saved, tx);
      return campaignView(await this.reread(saved, tx), this.encryption);
    });
    this.announcements.wakeRunner();
    this.announcements.wakeDispatchers();
    return view;
  }

  private async lock(accountId: number, id: number, tx: EntityTransaction): Promise<CampaignEntity> {
    const campaign = await this.campaigns.lock(accountId, id, tx);
    if (!campaign) throw new NotFound('Campaign');
    return campaign;
  }

  /** With the defaults of the database. */
  private async reread({ accountId, id }: CampaignEntity, tx: EntityTransaction): Promise<CampaignEntity> {
    const stored = await this.campaigns.find(accountId, id, tx);
    if (!stored) throw new NotFound('Campaign');
    return stored;
  }
}

const EVENT_OF = { running: 'started', paused: 'paused' } as Partial<Record<CampaignStatus, 'started' | 'paused'>>;

const windowsOf = ({ schedule: { time_zone, windows, excluded_dates } }: CampaignEntity): string =>
  JSON.stringify([time_zone, windows, excluded_dates]);

function mustBe({ status }: CampaignEntity, statuses: CampaignStatus[], what: string): void {
  if (!statuses.includes(status)) throw new Conflict(`The campaign is ${status} and cannot be ${what}.`);
}

function run(campaign: CampaignEntity, now: Date): void {
  const started = { status: 'running', pauseReason: null, resumedAt: now, hasWork: true } as const;
  Object.assign(campaign, started, { recentResults: '', nextCallAt: null });
}

function refuseFixed(fields: Readonly<Record<string, unknown>>): void {
  const fixed = fixedWhileRunning(fields).map((field): [string, CodedProblem[]] => [
    field,
    [
      withCode(
        'not_allowed',
        `The ${field.replaceAll('_', ' ')} field cannot be changed while the campaign runs. Pause it first.`,
      ),
    ],
  ]);
  if (fixed.length > 0) throw new InvalidFields(Object.fromEntries(fixed));
}
