import { type Env, InvalidEnvironment, loadEnv } from '@app/common';
import { databaseChecks } from './database-checks.js';
import { localChecks } from './local-checks.js';
import { type Finding, ok, runCheck, wrong } from './finding.js';
import { vendorChecks } from './vendor-checks.js';
import { databaseUrl, findEmbedderUrl, secretKey } from '../installation-home.js';
import { playedVendors } from '../supervisor/child-process.js';

const UNUSABLE = 'Correct the variables in the message; docs/operate/configuration.md lists all variables.';

/** Checks the installation of this environment, or the installation that runs in this home. Calls `onFinding` for each result at once. */
export async function diagnose(source: NodeJS.ProcessEnv, onFinding: (finding: Finding) => void): Promise<Finding[]> {
  const findings: Finding[] = [];
  const keep = (finding: Finding): void => {
    findings.push(finding);
    onFinding(finding);
  };
  const env = readEnvironment(source, keep);
  if (!env) return findings;
  for (const check of [...localChecks(env), ...vendorChecks(env)]) keep(await runCheck(check));
  await databaseChecks(env, async (check) => keep(await runCheck(check)));
  return findings;
}

/** The variables, completed with the database and key of the installation that runs in this home. */
function readEnvironment(source: NodeJS.ProcessEnv, keep: (finding: Finding) => void): Env | undefined {
  try {
    const env = loadEnv(source);
    const here = { DATABASE_URL: databaseUrl(env), SECRET_KEY: secretKey(env), EMBEDDER_URL: findEmbedderUrl(env) };
    const complete = { ...env, ...playedVendors(env), ...here };
    const from = env.DATABASE_URL ? 'of these variables' : 'of the installation that runs here';
    keep({ check: 'environment', ...ok(`the variables are valid; database and key are those ${from}`) });
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

/** `trunkline doctor`: prints one line per check. @returns whether no check failed */
export async function doctor({ json }: { json?: boolean }): Promise<boolean> {
  const findings = await diagnose(process.env, (finding) => {
    if (!json) console.log(lineOf(finding));
  });
  if (json) console.log(JSON.stringify(findings, null, 2));
  const bad = findings.filter(({ state }) => state === 'wrong').length;
  if (!json) console.log(bad === 0 ? 'Nothing is wrong.' : `${bad} of ${findings.length} checks are wrong.`);
  return bad === 0;
}
