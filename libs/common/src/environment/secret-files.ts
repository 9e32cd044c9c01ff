import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const NAMED = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'BOOTSTRAP_TOKEN',
  'DATABASE_PASSWORD',
  'DATABASE_URL',
  'EGRESS_PROXY_URL',
  'QUEUE_PASSWORD',
  'QUEUE_URL',
  'SECRET_KEY',
  'SECRET_KEY_FALLBACKS',
] as const;

/** The name of a variable that holds a secret. */
export type SecretName = (typeof NAMED)[number] | `${string}_API_KEY` | `${string}_SECRET`;

/** Whether a variable holds a secret, so that `NAME_FILE` may name a file with its value. */
export const isSecret = (name: string): name is SecretName =>
  (NAMED as readonly string[]).includes(name) || /(?:_API_KEY|_SECRET)$/.test(name);

interface FileProblem {
  name: string;
  message: string;
}

/** The most bytes of a file with a secret. */
const MAX_BYTES = 65_536;

type Given = Readonly<NodeJS.ProcessEnv>;

/**
 * The values of secrets that are in files, as container platforms mount them: `SECRET_KEY_FILE=/run/secrets/key`, or files named for their
 * variables in the folder SECRETS_DIR. White space around a value is not part of it.
 */
export function readSecretFiles(
  given: Given,
  variables: readonly string[],
): { values: Record<string, string>; problems: FileProblem[] } {
  const values: Record<string, string> = {};
  const problems: FileProblem[] = [];
  for (const variable of variables.filter(isSecret)) {
    const read = readSecret(given, variable);
    if (read === undefined) continue;
    if ('value' in read) values[variable] = read.value;
    else problems.push(read.problem);
  }
  const { SECRETS_DIR: folder } = given;
  if (folder !== undefined && !existsSync(folder))
    problems.push({ name: 'SECRETS_DIR', message: `${folder} does not exist` });
  return { values, problems };
}

type SecretRead = { value: string } | { problem: FileProblem } | undefined;

function readSecret(given: Given, variable: string): SecretRead {
  const name = `${variable}_FILE`;
  const path = given[name];
  if (path === undefined || path === '') return readFromFolder(given, variable);
  if (given[variable]) return { problem: { name, message: `set ${variable} or ${name}, not both` } };
  const read = readValue(path);
  if ('problem' in read) return { problem: { name, message: read.problem } };
  return read.value === '' ? { problem: { name, message: `${path} is empty` } } : read;
}

/** A variable of the environment has priority. An empty file is an unset one, so that a folder may have all files and some values. */
function readFromFolder(given: Given, variable: string): SecretRead {
  const { SECRETS_DIR: folder } = given;
  if (folder === undefined || folder === '' || given[variable]) return undefined;
  const path = join(folder, variable);
  if (!existsSync(path)) return undefined;
  const read = readValue(path);
  if ('problem' in read) return { problem: { name: 'SECRETS_DIR', message: read.problem } };
  return read.value === '' ? undefined : read;
}

function readValue(path: string): { value: string } | { problem: string } {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES) return { problem: `${path} is larger than ${MAX_BYTES} bytes` };
    return { value: bytes.toString('utf8').trim() };
  } catch (error) {
    return { problem: `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
  }
}

/** Files in SECRETS_DIR that are not named for a secret, and are not read. Kubernetes' own begin with a dot. */
export function unknownSecretFiles(given: Given, variables: readonly string[]): string[] {
  const { SECRETS_DIR: folder } = given;
  if (folder === undefined || folder === '' || !existsSync(folder)) return [];
  const known = variables.filter(isSecret) as string[];
  return readdirSync(folder).filter((name) => !name.startsWith('.') && !known.includes(name));
}

/** A URL with the password of a separate variable; undefined: the URL has another one. Hosts may be lists, as those of Redis. */
export function withPassword(url: string, password: string): string | undefined {
  const [, scheme = '', user = '', own, rest = ''] =
    /^([a-z+]+:\/\/)(?:([^@/:]*)(?::([^@/]*))?@)?(.*)$/.exec(url) ?? [];
  if (own !== undefined && own !== '') return decoded(own) === password ? url : undefined;
  return `${scheme}${user}:${encodeURIComponent(password)}@${rest}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
