export { CallDeletionService } from './call-deletion.service.js';
export { CampaignLookupsModule } from './campaign-lookups.module.js';
export { CampaignLookupsService } from './campaign-lookups.service.js';
export { CampaignContactsService, type ContactFilter, MAX_CONTACTS_PER_REQUEST } from './campaign-contacts.service.js';
export { CampaignProgressService } from './campaign-progress.service.js';
export { CampaignRunnerService } from './campaign-runner.service.js';
export { CampaignRunsRepository } from './campaign-runs.repository.js';
export { type CampaignStates, CampaignStatesRepository } from './campaign-states.repository.js';
export { CampaignsModule } from './campaigns.module.js';
export { CampaignsService } from './campaigns.service.js';
export { ContactAdditionsService } from './contact-additions.service.js';
export { contactsCsv, refusalsCsv } from './contacts-csv.js';
export {
  CAMPAIGN_STATUSES,
  type CampaignStatus,
  CONTACT_OUTCOMES,
  CONTACT_REASONS,
  CONTACT_STATUSES,
  type ContactOutcome,
  type ContactReason,
  type ContactStatus,
  NUMBER_ROTATIONS,
  PAUSE_REASONS,
} from './domain/campaign.js';
export { campaign, campaignRequest } from './domain/campaign-settings.js';
export { REFUSAL_REASONS } from './domain/contact-input.js';
export { CampaignImportRunnerService } from './imports/campaign-import-runner.service.js';
export { DUPLICATE_RULES, type DuplicateRule, IMPORT_STATUSES } from './imports/campaign-import.entity.js';
export type { CampaignImportView } from './imports/campaign-import.presenter.js';
export { CampaignImportsService } from './imports/campaign-imports.service.js';
export { type ImportPreview, ImportPreviewService } from './imports/import-preview.service.js';
export type { CampaignProgressView, CampaignView } from './presenters/campaign.presenter.js';
export type { ContactView } from './presenters/contact.presenter.js';
