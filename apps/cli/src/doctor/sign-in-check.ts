import type { SignInSettingsService } from '@app/accounts';
import { Issuer } from '@app/auth';
import type { Env } from '@app/common';
import { Egress } from '@app/egress';
import { type CheckResult, ok, warning, wrong } from './finding.js';

/** Issuers that are asked; the others of a large installation have their own metrics. */
const MAX_ASKED = 10;
const LOCAL = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|\/|$)/;

/** Whether the issuers answer from this machine, and the console can keep a session. */
export async function signIn(env: Env, settings: Pick<SignInSettingsService, 'all'>): Promise<CheckResult> {
  const rows = await settings.all();
  const own = rows.flatMap(({ issuer }) => issuer ?? []);
  const issuers = [...new Set([...(env.OIDC_ISSUER ? [env.OIDC_ISSUER] : []), ...own])];
  if (issuers.length === 0) return ok('off: neither the installation nor an account has an issuer');
  const egress = new Egress({
    allowCidrs: env.EGRESS_ALLOW_CIDRS,
    httpsOnly: env.HTTPS_ONLY,
    ...(env.EGRESS_PROXY_URL === undefined ? {} : { proxyUrl: env.EGRESS_PROXY_URL }),
  });
  try {
    for (const url of issuers.slice(0, MAX_ASKED)) {
      const problem = await problemOf(new Issuer(url, egress));
      if (problem !== undefined)
        return wrong(`${url}: ${problem}`, 'Correct the issuer, or let this machine reach it (EGRESS_ALLOW_CIDRS).');
    }
  } finally {
    await egress.close();
  }
  const base = env.PUBLIC_URL ?? '';
  if (!base.startsWith('https://') && !LOCAL.test(base))
    return warning(
      'the issuers answer, but PUBLIC_URL is not https',
      'Set PUBLIC_URL: browsers keep sessions on https only.',
    );
  if (rows.length === 0)
    return warning(
      'the issuer answers, but no account has sign_in',
      'Give groups a role: sign_in in the workspace file.',
    );
  return ok(
    `${issuers.length === 1 ? 'the issuer answers' : `${issuers.length} issuers answer`}, for ${rows.length} accounts`,
  );
}

async function problemOf(issuer: Issuer): Promise<string | undefined> {
  try {
    await issuer.check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
