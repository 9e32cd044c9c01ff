import { type Env, InvalidEnvironment, loadEnv } from '@app/common';
import { databaseChecks } from './database-checks.js';
import { localChecks } from './local-checks.js';
import { type CheckResult, type Finding, ok, runCheck, warning, wrong } from './finding.js';
import { vendorChecks } from './vendor-checks.js';
import { databaseUrl, findEmbedderUrl, runningEnvironment, secretKey } from '../installation-home.js';

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

/** The variables, completed with those of the installation that runs in this home. */
function readEnvironment(source: NodeJS.ProcessEnv, keep: (finding: Finding) => void): Env | undefined {
  try {
    const given = loadEnv(source);
    const running = runningEnvironment(given) ?? {};
    const env = loadEnv(completed(source, running));
    const complete = {
      ...env,
      DATABASE_URL: databaseUrl(env),
      SECRET_KEY: secretKey(env),
      EMBEDDER_URL: findEmbedderUrl(env),
    };
    keep({ check: 'environment', ...originOf(source, running, given) });
    return complete;
  } catch (error) {
    const { message } = error as Error;
    const lines = error instanceof InvalidEnvironment ? message.replaceAll(/\s*\n\s*/g, ' ') : message;
    keep({ check: 'environment', ...wrong(lines, UNUSABLE) });
    return undefined;
  }
}

/** A variable of this shell replaces that of the running installation, also when only one of them names a file with the value. */
function completed(source: NodeJS.ProcessEnv, running: Record<string, string>): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(source).filter(([, value]) => value));
  const isOwn = (name: string): boolean => name in own || `${name}_FILE` in own || name.replace(/_FILE$/, '') in own;
  const others = Object.entries(running).filter(([name]) => !isOwn(name));
  return { ...Object.fromEntries(others), ...own };
}

/** Where the examined variables come from. One that differs from the running installation is examined as it is here. */
function originOf(source: NodeJS.ProcessEnv, running: Record<string, string>, given: Env): CheckResult {
  const differing = Object.entries(running).filter(([name, value]) => source[name] && source[name] !== value);
  if (differing.length > 0)
    return warning(
      `the installation that runs here has other values of ${differing.map(([name]) => name).join(', ')}`,
      'Unset them in this shell to check the installation as it runs, or start it again with them.',
    );
  if (Object.keys(running).length > 0)
    return ok('the variables are valid, and those of the installation that runs here');
  const from = given.DATABASE_URL ? 'of these variables' : 'of the installation that runs here';
  return ok(`the variables are valid; database and key are those ${from}`);
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
  if (!json) console.log(conclusionOf(findings));
  return findings.every(({ state }) => state !== 'wrong');
}

/** The last line. */
function conclusionOf(findings: readonly Finding[]): string {
  const count = (wanted: Finding['state']): number => findings.filter(({ state }) => state === wanted).length;
  const [bad, uncertain] = [count('wrong'), count('warning')];
  const warnings = uncertain === 0 ? [] : [`${uncertain} ${uncertain === 1 ? 'warning' : 'warnings'}`];
  const failed = bad === 0 ? [] : [`${bad} of ${findings.length} checks ${bad === 1 ? 'is' : 'are'} wrong`];
  if (failed.length + warnings.length === 0) return 'Nothing is wrong.';
  return `${[...failed, ...warnings].join(', ')}.`;
}
