import { type Env, InvalidEnvironment, loadEnv } from '@app/common';
import { databaseChecks } from './database-checks.js';
import { localChecks } from './local-checks.js';
import { type Check, examine, type Finding, ok, wrong } from './finding.js';
import { databaseUrl, secretKey } from '../instance.js';

/** A check with what to do when it fails in a way it has no sentence for. */
export type NamedCheck = [name: string, work: Check, remedy: string];

const UNUSABLE = 'Set the variables as the message says; docs/operate/configuration.md lists them all.';

/** Examines the installation of this environment, or the one that runs here. Each finding is told as soon as it is known. */
export async function diagnose(source: NodeJS.ProcessEnv, tell: (finding: Finding) => void): Promise<Finding[]> {
  const findings: Finding[] = [];
  const keep = (finding: Finding): void => {
    findings.push(finding);
    tell(finding);
  };
  const env = readEnvironment(source, keep);
  if (!env) return findings;
  for (const [name, work, remedy] of localChecks(env)) keep(await examine(name, work, remedy));
  await databaseChecks(env, async ([name, work, remedy]) => keep(await examine(name, work, remedy)));
  return findings;
}

/** With the database and the key of the installation that runs here, where the variables name none. */
function readEnvironment(source: NodeJS.ProcessEnv, keep: (finding: Finding) => void): Env | undefined {
  try {
    const env = loadEnv(source);
    const complete = { ...env, DATABASE_URL: databaseUrl(env), SECRET_KEY: secretKey(env) };
    const from = env.DATABASE_URL ? 'of these variables' : 'of the installation that runs here';
    keep({ check: 'environment', ...ok(`the variables are usable; database and key are those ${from}`) });
    return complete;
  } catch (error) {
    const { message } = error as Error;
    const lines = error instanceof InvalidEnvironment ? message.replaceAll(/\s*\n\s*/g, ' ') : message;
    keep({ check: 'environment', ...wrong(lines, UNUSABLE) });
    return undefined;
  }
}

const SIGNS = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ' };

const lineOf = ({ check, state, says, remedy }: Finding): string =>
  `${SIGNS[state]}  ${check.padEnd(18)} ${says}${remedy ? `\n${' '.repeat(28)}-> ${remedy}` : ''}`;

/** `trunkline doctor`: one line per check. @returns whether nothing is wrong. */
export async function doctor({ json }: { json?: boolean }): Promise<boolean> {
  const findings = await diagnose(process.env, (finding) => {
    if (!json) console.log(lineOf(finding));
  });
  if (json) console.log(JSON.stringify(findings, null, 2));
  const bad = findings.filter(({ state }) => state === 'wrong').length;
  if (!json) console.log(bad === 0 ? 'Nothing is wrong.' : `${bad} of ${findings.length} checks are wrong.`);
  return bad === 0;
}
