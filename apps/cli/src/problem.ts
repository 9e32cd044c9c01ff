/** Something the person at the terminal can put right: shown as it is, without a stack. */
export class Problem extends Error {}

const CONNECTION_PROBLEMS: Record<string, string> = {
  ECONNREFUSED: 'No PostgreSQL answers at that address.',
  ENOTFOUND: 'The host of the database is not known.',
  ETIMEDOUT: 'The host of the database does not answer.',
  '28P01': 'The database does not accept that user and password.',
  '28000': 'The database does not accept that user.',
  '3D000': 'There is no database of that name on the server.',
  '42P01': 'The database has no tables of Trunkline yet. Run: trunkline migrate',
};

/** A sentence when the failure has one, else undefined: then it is a fault of ours and its stack is worth showing. */
export function sentenceFor(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof Problem) return error.message;
  if (['WorkspaceError', 'InvalidEnvironment', 'PooledMigration'].includes(error.constructor.name))
    return error.message;
  const { code } = error as { code?: string };
  const sentence = code ? CONNECTION_PROBLEMS[code] : undefined;
  return sentence && `${sentence} (${code}; DATABASE_URL, or the running \`npm start\`, says where it is.)`;
}
