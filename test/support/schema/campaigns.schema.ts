import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/* Tables of libs/campaigns that only statements use, for the check of the migrated schema. */

/** Contacts of a campaign by status: counted in the transactions that change contacts, so that progress needs no scan. */
@Entity('campaign_progress')
export class CampaignProgressEntity {
  @ForeignKey('campaigns', { name: 'campaign_progress_campaign_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'campaign_id' })
  campaignId: number;

  /** A status of contacts, or `outcome:` and an outcome, or `reason:` and a stored reason. */
  @PrimaryColumn('text')
  key: string;

  /** bigint, so text. */
  @Column('bigint', { default: 0 })
  contacts: string;
}

/** A row that was refused, without its values: the user has the file. */
@Entity('campaign_import_refusals')
export class CampaignImportRefusalEntity {
  @ForeignKey('campaign_imports', { name: 'campaign_import_refusals_import_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { name: 'import_id' })
  importId: string;

  @PrimaryColumn('integer')
  line: number;

  @PrimaryColumn('text')
  field: string;

  @Column('text')
  reason: string;
}
