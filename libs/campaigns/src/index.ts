export {
  type AddedContacts,
  CampaignContactsService,
  type ContactFilter,
  type ContactIntake,
  type DuplicateHandling,
  MOST_CONTACTS_PER_REQUEST,
} from './campaign-contacts.service.js';
export { CampaignProgressService } from './campaign-progress.service.js';
export { CampaignRunnerService } from './campaign-runner.service.js';
export { CampaignsModule } from './campaigns.module.js';
export { CampaignsService } from './campaigns.service.js';
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
export { type ContactInput, REFUSAL_REASONS, type RefusedContact } from './domain/contact-input.js';
export type { CampaignProgressView, CampaignView } from './presenters/campaign.presenter.js';
export type { ContactView } from './presenters/contact.presenter.js';
