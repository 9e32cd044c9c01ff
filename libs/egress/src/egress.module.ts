import { type Env, allowList } from '@app/common';
import { ENV } from '@app/common/settings';
import { Global, Module } from '@nestjs/common';
import { Egress, type EgressOptions } from './egress.js';
import type { UrlRules } from './url-rules.js';

type EgressEnv = Pick<Env, 'EGRESS_ALLOW_CIDRS' | 'EGRESS_PROXY_URL' | 'HTTPS_ONLY'>;

/** The egress settings of this installation. */
const egressOptions = (env: EgressEnv): EgressOptions => ({
  allowCidrs: env.EGRESS_ALLOW_CIDRS,
  httpsOnly: env.HTTPS_ONLY,
  proxyUrl: env.EGRESS_PROXY_URL,
});

/** The rules for stored URLs, the same as for requests. */
export const egressUrlRules = (env: EgressEnv): UrlRules => ({
  httpsOnly: env.HTTPS_ONLY,
  allow: allowList(env.EGRESS_ALLOW_CIDRS),
  proxied: env.EGRESS_PROXY_URL !== undefined,
});

/** Provides `Egress`, the only way to send requests to addresses from users. */
@Global()
@Module({
  providers: [{ provide: Egress, inject: [ENV], useFactory: (env: Env) => new Egress(egressOptions(env)) }],
  exports: [Egress],
})
export class EgressModule {}
