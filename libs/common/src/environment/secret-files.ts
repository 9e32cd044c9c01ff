import { readFileSync } from 'node:fs';

const NAMED = [
  'BOOTSTRAP_TOKEN',
  'DATABASE_URL',
  'EGRESS_PROXY_URL',
  'QUEUE_URL',
  'SECRET_KEY',
  'SECRET_KEY_FALLBACKS',
];

/** Whether a variable holds a secret, so that `NAME_FILE` may name a file with its value. */
export const isSecret = (name: string): boolean => NAMED.includes(name) || /(?:_API_KEY|_SECRET)$/.test(name);

interface FileProblem {
  name: string;
  message: string;
}

/** The most bytes of a file with a secret. */
const MAX_BYTES = 65_536;

/**
 * The values of secrets that are in files, as container platforms mount them: `SECRET_KEY_FILE=/run/secrets/key`. White space around a value
 * is not part of it.
 */
export function readSecretFiles(
  given: Readonly<NodeJS.ProcessEnv>,
  variables: readonly string[],
): { values: Record<string, string>; problems: FileProblem[] } {
  const values: Record<string, string> = {};
  const problems: FileProblem[] = [];
  for (const variable of variables.filter(isSecret)) {
    const name = `${variable}_FILE`;
    const path = given[name];
    if (path === undefined || path === '') continue;
    if (given[variable]) {
      problems.push({ name, message: `set ${variable} or ${name}, not both` });
      continue;
    }
    const read = readValue(path);
    if ('value' in read) values[variable] = read.value;
    else problems.push({ name, message: read.problem });
  }
  return { values, problems };
}

function readValue(path: string): { value: string } | { problem: string } {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES) return { problem: `${path} is larger than ${MAX_BYTES} bytes` };
    const value = bytes.toString('utf8').trim();
    return value === '' ? { problem: `${path} is empty` } : { value };
  } catch (error) {
    return { problem: `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
  }
}
