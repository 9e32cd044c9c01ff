import { writeFileSync, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** A problem that the user can solve: printed as a sentence, without a stack. */
export class Problem extends Error {}

const UNKNOWN_AUTHORITY =
  'The certificate of the database is not of a known authority: name its file in sslrootcert of DATABASE_URL, or in NODE_EXTRA_CA_CERTS.';

const CONNECTION_PROBLEMS: Record<string, string> = {
  ECONNREFUSED: 'No PostgreSQL answers at that address.',
  ENOTFOUND: 'The host of the database cannot be resolved.',
  ETIMEDOUT: 'The host of the database does not answer.',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'The certificate of the database has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the database is not for the host in DATABASE_URL.',
  '28P01': 'The database rejects this user and password.',
  '28000': 'The database rejects this user.',
  '3D000': 'The server has no database of this name.',
  '42P01': 'The database does not have the tables of Trunkline yet. Run: trunkline migrate',
};

/** The sentence for a failure that the user can solve; undefined for a defect, whose stack is printed. */
export function sentenceFor(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof Problem) return error.message;
  if (['WorkspaceError', 'InvalidEnvironment', 'PooledMigration'].includes(error.constructor.name))
    return error.message;
  if (error.message === 'The server does not support SSL connections')
    return 'The database does not support TLS, which sslmode of DATABASE_URL requires.';
  const { code } = error as { code?: string };
  const sentence = code ? CONNECTION_PROBLEMS[code] : undefined;
  return sentence && `${sentence} (${code}; DATABASE_URL or the running \`npm start\` sets the address.)`;
}

/** Writes a file that the user named. */
export function writeOutput(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw unwritable(path, error as Error);
  }
}

/** Opens a file that the user named, for personal data: only its owner may read it. */
export async function openOutput(path: string): Promise<WriteStream> {
  try {
    return (await open(path, 'w', 0o600)).createWriteStream();
  } catch (error) {
    throw unwritable(path, error as Error);
  }
}

const unwritable = (path: string, cause: Error): Problem =>
  new Problem(`${path} cannot be written: ${cause.message}`, { cause });
