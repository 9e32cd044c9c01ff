import { z } from 'zod';
import {
  announceListeners,
  contactLimits,
  defaultCountry,
  limits,
  retention,
  signIn,
  number,
  redaction,
  trunk,
} from '@app/accounts';
import { agent } from '@app/agents';
import { list, name, node } from '@app/common/field-schemas';

const account = node({
  name: name.describe('Name of the account, by which the file finds it.'),
  limits: limits.optional().describe('Limits of the account.'),
  contact_limits: contactLimits.optional().describe('How often and when one number is called.'),
  retention: retention.optional().describe('How long data is kept.'),
  redaction: redaction.describe('Secrets that are removed from everything stored about calls; null: none.'),
  announce_listeners: announceListeners.describe(
    'What the other party hears before a person listens to a call; null: nothing.',
  ),
  default_country: defaultCountry.describe(
    'Country of phone numbers without a country code in imports and in the console, ISO 3166-1 alpha-2; null: none.',
  ),
  sign_in: signIn.nullish().describe('How people of an organisation sign in; null removes it.'),
  numbers: list(number).describe('Phone numbers.'),
  trunks: list(trunk).describe('Connections to carriers, SBCs and PBXs.'),
  agents: list(agent).describe('Voice agents.'),
});

/**
 * A workspace file. An absent key keeps the stored value (a new record gets the default); `null` clears an optional value.
 */
export const workspaceSchema = node({
  accounts: z.array(account, 'must be a list of accounts').describe('Accounts, each found by its name.'),
});

export type Workspace = z.output<typeof workspaceSchema>;
export type AccountNode = z.output<typeof account>;
