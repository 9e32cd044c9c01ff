import { type Log, SECRET_FILES, unknownSecretFiles, VARIABLES } from '@app/common';
import { distance } from 'fastest-levenshtein';

/** Variables that libraries in these processes read. */
const OF_LIBRARIES = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

/** One wrong letter is allowed per so many letters of a name, two at most. */
const PER_LETTER = 4;

interface MistypedName {
  name: string;
  meant: string;
}

/** Names that resemble those of variables: `EGRESS_ALOW_CIDRS` would have no effect, without any error. */
export function mistypedNames(given: NodeJS.ProcessEnv): MistypedName[] {
  const known = [...VARIABLES, ...SECRET_FILES, ...OF_LIBRARIES];
  const missing = known.filter((name) => given[name] === undefined);
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = missing.find(
        (right) => distance(name, right) <= Math.min(2, Math.floor(right.length / PER_LETTER)),
      );
      return meant === undefined ? [] : [{ name, meant }];
    });
}

export function warnOfMistypedNames(log: Log): void {
  for (const { name, meant } of mistypedNames(process.env))
    log.warn({ variable: name, meant }, 'an unknown variable is ignored');
  for (const file of unknownSecretFiles(process.env, VARIABLES))
    log.warn({ file }, 'a file in SECRETS_DIR is not named for a secret and is ignored');
}
