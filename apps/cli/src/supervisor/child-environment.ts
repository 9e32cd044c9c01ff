import type { Env } from '@app/common';
import type { Role } from './child-process.js';

const LOOPBACK = '127.0.0.0/8,::1/128';

export interface Chosen {
  home: string;
  databaseUrl: string;
  secretKey: string;
  port: number;
  sipPort: number;
  phonePort: number;
}

/**
 * The variables of the parts: those of `start`, with what it chose. On the embedded database the service is for trying out: calls and
 * webhooks may go to loopback, where the sandbox phone and the receivers of the person trying it are.
 */
export function childEnvironment(env: Env, chosen: Chosen): NodeJS.ProcessEnv {
  // HEALTH_PORT differs from part to part (healthPortOf); only `start` uses the token.
  const { HEALTH_PORT: _health, BOOTSTRAP_TOKEN: _token, ...inherited } = process.env;
  return {
    ...inherited,
    ...(opensLoopback(env, env.SIP_ALLOW_CIDRS) ? { SIP_ALLOW_CIDRS: LOOPBACK } : {}),
    ...(opensLoopback(env, env.EGRESS_ALLOW_CIDRS) ? { EGRESS_ALLOW_CIDRS: LOOPBACK } : {}),
    TRUNKLINE_HOME: chosen.home,
    DATABASE_URL: chosen.databaseUrl,
    SECRET_KEY: chosen.secretKey,
    PORT: String(chosen.port),
    SIP_PORT: String(chosen.sipPort),
    SANDBOX_SIP_PORT: String(chosen.phonePort),
  };
}

/**
 * On the embedded database only, unless the operator has named networks. A `DATABASE_URL` on loopback says nothing about who uses the
 * service: a production database may run beside it, or behind a local proxy.
 */
export const opensLoopback = (env: Pick<Env, 'DATABASE_URL'>, list: readonly string[]): boolean =>
  list.length === 0 && env.DATABASE_URL === undefined;

/** One port cannot serve three processes: the api has HEALTH_PORT, the worker the next one, the dialer the one after. */
const AFTER_HEALTH_PORT: Partial<Record<Role, number>> = { api: 0, worker: 1, dialer: 2 };

export function healthPortOf(role: Role, { HEALTH_PORT }: Pick<Env, 'HEALTH_PORT'>): { HEALTH_PORT?: string } {
  const after = AFTER_HEALTH_PORT[role];
  if (HEALTH_PORT === undefined || after === undefined) return {};
  return { HEALTH_PORT: String(HEALTH_PORT === 0 ? 0 : HEALTH_PORT + after) };
}
