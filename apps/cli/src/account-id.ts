import type { AccountsService } from '@app/accounts';
import { Problem } from './problem.js';

const MOST_NAMES = 20;

/** Throws Problem with the names of the existing accounts. */
export async function accountIdOf(accounts: AccountsService, name: string): Promise<number> {
  const id = await accounts.idByName(name);
  if (id !== undefined) return id;
  const names = await accounts.names(MOST_NAMES);
  throw new Problem(`There is no account "${name}". The accounts are: ${names.join(', ') || 'none yet'}.`);
}
