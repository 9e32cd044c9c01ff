import { allowList, type Env } from '@app/common';
import type { UrlRules } from './safe-fetch-url.js';
import type { EgressOptions } from './safe-fetch.js';

export type EgressEnv = Pick<Env, 'EGRESS_ALLOW_CIDRS' | 'EGRESS_PROXY_URL' | 'HTTPS_ONLY'>;

/** How this installation reaches the addresses that users give. */
export const egressOptions = (env: EgressEnv): EgressOptions => ({
  allowCidrs: env.EGRESS_ALLOW_CIDRS,
  httpsOnly: env.HTTPS_ONLY,
  proxyUrl: env.EGRESS_PROXY_URL,
});

/** What a URL must be to be stored; the same as when it is requested. */
export const egressUrlRules = (env: EgressEnv): UrlRules => ({
  httpsOnly: env.HTTPS_ONLY,
  allow: allowList(env.EGRESS_ALLOW_CIDRS),
  proxied: env.EGRESS_PROXY_URL !== undefined,
});
