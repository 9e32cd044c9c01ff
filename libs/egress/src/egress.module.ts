import type { Env } from '@app/common';
import { ENV } from '@app/settings';
import { Global, Module } from '@nestjs/common';
import { egressOptions } from './egress-env.js';
import { Egress } from './safe-fetch.js';

/** Gives `Egress`, the one way out to addresses that users give. */
@Global()
@Module({
  providers: [{ provide: Egress, inject: [ENV], useFactory: (env: Env) => new Egress(egressOptions(env)) }],
  exports: [Egress],
})
export class EgressModule {}
