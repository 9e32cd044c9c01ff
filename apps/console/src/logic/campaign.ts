import type { CampaignProgress } from '../api/types.js';

type Contacts = CampaignProgress['contacts'];

/** The contacts that will not be called again. */
export const settledContacts = ({ total, waiting, calling }: Contacts): number => total - waiting - calling;
